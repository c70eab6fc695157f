package vim

import "strings"

// command is a complete command: 2d3w has the operator d, the name w and the count 6.
type command struct {
	operator string // d, c, y; "" = none
	name     string // of the motion, the text object or the action; the operator again for lines
	char     string // the character after f, F, t, T and r
	count    int    // at least 1
	counted  bool   // the user gave a count
	// the size of a selection that a repeated operator is for: characters, or lines
	chars, lines int
}

// parsing is how far keys are a command.
type parsing int

const (
	wrong parsing = iota
	partial
	complete
)

const (
	operators = "dcy"
	motions   = "hjklwWbBeE0^$G;,%{}"
	finds     = "fFtT"
	actions   = "iaIAoOxXsSCDYpPuJ~.vV"
	// in visual mode
	visualActions = "dxcsyXDCSYpPuUJ~oOvV"
	objects       = "wW\"'`()b[]{}B<>"
)

// sameKeys are the keys that mean the same as others.
var sameKeys = map[string]string{"left": "h", "backspace": "h", "right": "l", "space": "l",
	" ": "l", "home": "0", "end": "$", "delete": "x"}

// parseKeys reads the keys of a command.
func parseKeys(keys []string, visual bool) (c command, state parsing) {
	c.count = 1
	rest := c.readCount(keys)
	if len(rest) == 0 {
		return c, partial
	}
	key := rest[0]
	if same, ok := sameKeys[key]; ok {
		key = same
	}
	if !visual && within(operators, key) {
		c.operator = key
		before := c.count
		if rest = c.readCount(rest[1:]); len(rest) == 0 {
			return c, partial
		}
		c.count = min(before*c.count, mostCount)
		key = rest[0]
		if same, ok := sameKeys[key]; ok {
			key = same
		}
		if key == c.operator { // dd
			c.name = key
			return c, complete
		}
	}
	return c.readName(key, rest[1:], visual)
}

// readName reads what follows the counts and the operator.
func (c *command) readName(key string, rest []string, visual bool) (command, parsing) {
	c.name = key
	object := c.operator != "" || visual
	switch {
	case within(finds, key) || key == "r" && c.operator == "":
		if len(rest) == 0 {
			return *c, partial
		}
		c.char = rest[0]
		if c.char == "enter" {
			c.char = "\n"
		}
		return *c, complete
	case key == "g", object && (key == "i" || key == "a"):
		if len(rest) == 0 {
			return *c, partial
		}
		c.name += rest[0]
		if key == "g" && (rest[0] == "g" || rest[0] == "e") || key != "g" &&
			within(objects, rest[0]) {
			return *c, complete
		}
		return *c, wrong
	case within(motions, key), visual && within(visualActions, key),
		c.operator == "" && !visual && within(actions, key), c.operator == "" && key == "ctrl+r":
		return *c, complete
	}
	return *c, wrong
}

// within reports whether a list of characters has a key.
func within(list, key string) bool { return len(key) == 1 && strings.Contains(list, key) }

// mostCount bounds counts.
const mostCount = 10_000

// readCount reads a count and returns the other keys.
func (c *command) readCount(keys []string) (rest []string) {
	n := 0
	for len(keys) > 0 && len(keys[0]) == 1 && (keys[0] >= "1" || n > 0) && keys[0] >= "0" &&
		keys[0] <= "9" {
		n = min(10*n+int(keys[0][0]-'0'), mostCount)
		keys = keys[1:]
	}
	if c.count = max(n, 1); n > 0 {
		c.counted = true
	}
	return keys
}
