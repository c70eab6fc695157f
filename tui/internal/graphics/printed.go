// This file draws images by the protocol of iTerm2, which WezTerm and mintty know too. It has no
// placeholders: an image is drawn where the cursor is, and is then the terminal's, so it is only
// for lines that are printed once. Source: https://iterm2.com/documentation-images.html

package graphics

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/iterm2"
	"github.com/charmbracelet/x/ansi/kitty"
)

// KnownToPrint reports whether the terminal is known to draw images in printed lines. env returns a
// variable of its environment.
func KnownToPrint(env func(name string) string) bool {
	if multiplexed(env) {
		return false
	}
	switch env("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "mintty":
		return true
	}
	return env("LC_TERMINAL") == "iTerm2" // which ssh passes on
}

// printedSequence returns what draws a PNG image when the cursor is in the first cell of its last
// line. The cursor stays there.
func printedSequence(image []byte, cols, rows int) string {
	up := ""
	if rows > 1 {
		up = ansi.CursorUp(rows - 1)
	}
	return ansi.SaveCursor + up + ansi.ITerm2(iterm2.File{Size: int64(len(image)),
		Width: iterm2.Cells(cols), Height: iterm2.Cells(rows), Inline: true, DoNotMoveCursor: true,
		Content: []byte(base64.StdEncoding.EncodeToString(image))}) + ansi.RestoreCursor
}

// printedMark is the place of an image in its last line: the printer writes its sequence there.
func printedMark(id uint32) string {
	return fmt.Sprintf("\x1b[38;2;%d;%d;%dm%c\x1b[39m", id>>16&0xff, id>>8&0xff, id&0xff,
		kitty.Placeholder)
}

// printedLines returns the lines of an image that is to be printed.
func printedLines(id uint32, rows int) []string {
	return append(make([]string, rows-1), printedMark(id))
}

// multiplexed reports whether another program is between this one and the terminal, which does not
// pass images on.
func multiplexed(env func(name string) string) bool {
	return env("TMUX") != "" || env("STY") != "" || env("ZELLIJ") != "" ||
		strings.HasPrefix(env("TERM"), "screen") || strings.HasPrefix(env("TERM"), "tmux")
}
