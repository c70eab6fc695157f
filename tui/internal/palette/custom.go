// This file makes themes of what a user has written.

package palette

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/suggest"
)

// Entry is a line of a user's theme: a token and its colour, a text or a number.
type Entry struct {
	Token string
	Value any
}

// Custom returns the theme of a name that changes a built-in one. problems are those of the
// entries, in their order, nil for one that is used; a wrong one leaves the colour as it is in
// base.
func Custom(name string, base *Palette, entries []Entry) (p *Palette, problems []error) {
	p = base.clone(name)
	for _, e := range entries {
		problems = append(problems, p.set(e))
	}
	return p, problems
}

// set sets one colour.
func (p *Palette) set(e Entry) error {
	t := slices.Index(names[:], e.Token)
	if t < 0 {
		hint := suggest.DidYouMean(e.Token, names[:])
		if hint == "" {
			hint = "; there is " + strings.Join(names[:], ", ")
		}
		return fmt.Errorf("unknown token %q%s", e.Token, hint)
	}
	c, err := parseColor(e.Value)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Token, err)
	}
	p.full[t] = c
	if b, ok := c.(ansi.BasicColor); ok {
		p.few[t] = b
	}
	return nil
}

// sixteen are the names of the terminal's sixteen colours. Each has a bright one.
var sixteen = [8]string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// bright precedes the names of the last eight.
const bright = "bright-"

// parseColor returns the colour that a user has written.
func parseColor(v any) (color.Color, error) {
	switch v := v.(type) {
	case string:
		if hex, ok := strings.CutPrefix(v, "#"); ok {
			return parseHex(v, hex)
		}
		name, isBright := strings.CutPrefix(v, bright)
		if i := slices.Index(sixteen[:], name); i >= 0 {
			if isBright {
				i += len(sixteen)
			}
			return ansi.BasicColor(i), nil
		}
		return nil, fmt.Errorf("got %q, want %s%s", v, wanted,
			suggest.DidYouMean(name, sixteen[:]))
	case int64:
		switch {
		case v >= 0 && v < 16:
			return ansi.BasicColor(v), nil
		case v >= 16 && v < 256:
			return ansi.IndexedColor(v), nil
		}
		return nil, fmt.Errorf("got %d, want %s", v, wanted)
	}
	return nil, fmt.Errorf("got %v, want %s", v, wanted)
}

// wanted says how colours are written.
const wanted = `a colour such as "#5f87ff", a name such as "red" or "bright-red", or a number up ` +
	`to 255`

func parseHex(written, hex string) (color.Color, error) {
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	n, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		return nil, fmt.Errorf("got %q, want %s", written, wanted)
	}
	return rgb(uint32(n)), nil
}
