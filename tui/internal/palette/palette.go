// Package palette holds the colours of the screen, each with one meaning, as themes: the built-in
// ones, and those that a user writes.
//
//	p := palette.Named("dark").On(colorprofile.TrueColor)
//	color := p.Color(palette.Warn) // nil: the colour of usual text
//
// A built-in theme has a colour of its own for each token, and one of the terminal's sixteen for
// terminals that have no others.
package palette

import (
	"image/color"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Token is what a colour means.
type Token uint8

// The tokens.
const (
	Dim           Token = iota // what matters less: notes, hints, rules, comments in code
	User                       // what the user has written, and where they write
	Accent                     // what runs, headings, remarks
	Link                       // addresses
	Code                       // what is meant literally: code, strings, numbers
	Keyword                    // the words of a programming language
	OK                         // what went well
	Warn                       // what the user should know
	Err                        // what failed or was refused
	Added                      // lines that a change adds
	Removed                    // lines that a change removes
	Hunk                       // the place of a change
	Alarm                      // behind what must not be overlooked
	AlarmText                  // on Alarm
	Choice                     // behind the line that a key would pick
	ChoiceText                 // on Choice
	AddedGround                // behind code that a change adds
	RemovedGround              // behind code that a change removes
	tokens        int   = iota
)

// names are the names of the tokens in the file of a theme, in their order.
var names = [tokens]string{"dim", "user", "accent", "link", "code", "keyword", "ok", "warn",
	"error", "added", "removed", "hunk", "alarm", "alarm_text", "choice", "choice_text",
	"added_ground", "removed_ground"}

// Names returns the names of the tokens.
func Names() []string { return names[:] }

// Palette is a theme: a colour for each token. The zero Palette has no colours.
type Palette struct {
	Name string
	Dark bool // it is made for a dark background
	full [tokens]color.Color
	few  [tokens]color.Color // of the sixteen
	only colorprofile.Profile
}

// On returns the palette for a terminal with these colours.
func (p *Palette) On(profile colorprofile.Profile) *Palette {
	q := *p
	q.only = profile
	return &q
}

// Color returns the colour of a token, nil for that of usual text. A palette without On has all
// colours.
func (p *Palette) Color(t Token) color.Color {
	switch {
	case p.only == colorprofile.ANSI256 && t >= AddedGround:
		// the nearest colours of the 256 may be the same for both
		if _, mixed := p.full[t].(color.RGBA); mixed {
			return nil
		}
		return p.full[t]
	case p.only == colorprofile.Unknown || p.only >= colorprofile.ANSI256:
		return p.full[t]
	case p.only == colorprofile.ANSI:
		return p.few[t]
	}
	return nil
}

// Same reports whether p is the palette of q on a terminal with these colours.
func (p *Palette) Same(q *Palette, profile colorprofile.Profile) bool {
	return p.Name == q.Name && p.only == profile && p.full == q.full
}

// clone returns a copy with another name.
func (p *Palette) clone(name string) *Palette {
	q := *p
	q.Name = name
	return &q
}

// rgb returns a colour that is written as 0xrrggbb.
func rgb(v uint32) color.Color {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}

// basic returns one of the terminal's sixteen colours, nil for a negative number.
func basic(n int) color.Color {
	if n < 0 {
		return nil
	}
	return ansi.BasicColor(n)
}
