// This file keeps control characters away from the terminal. Text from a tool, a model or a script
// may contain escape sequences that move the cursor, change colours, rename the window or write the
// clipboard, and characters that disguise text. Everything that is drawn has passed through Clean
// or a Cleaner or, if a person must judge it, through Reveal.

package cells

import (
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// tabWidth is how many spaces replace a tab: a terminal's own tab stops would break the layout.
const tabWidth = 4

// Clean returns the text without control characters and with spaces for tabs.
func Clean(s string) string { return Spaced(plain.Text(s)) }

// Spaced replaces tabs by spaces.
func Spaced(s string) string { return strings.ReplaceAll(s, "\t", strings.Repeat(" ", tabWidth)) }

// Cleaner cleans a text that arrives in pieces.
type Cleaner struct{ plain.Cleaner }

// Add returns the clean text that a piece adds.
func (c *Cleaner) Add(s string) string { return Spaced(c.Write(s)) }

// Reveal makes control and invisible characters visible, for text that a person decides about: the
// command shown must be the command that runs. Line ends stay, tabs become spaces.
func Reveal(s string) string { return Spaced(plain.Reveal(s)) }
