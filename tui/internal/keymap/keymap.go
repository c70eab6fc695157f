// Package keymap holds what the keys of the screen do, and what the user has changed about it.
//
//	m, problems := keymap.New([]keymap.Binding{{Action: "search", Keys: []string{"alt+s"}}})
//	key, ok := m.Translate(msg) // the key that the screen knows; false: it does nothing
//	rows := m.Rows()            // for the help, and for /keys
//
// It is about the editor and the conversation. Keys of questions, lists and panels, and those of a
// selected entry, are fixed, and so are ctrl+c and the keys that move in a text.
package keymap

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/chord"
	"github.com/agentscripts/agent/engine/suggest"
)

// Binding is a line of the user: the keys of an action, none to have no key for it.
type Binding struct {
	Action string
	Keys   []string
	Where  string // file and line, for messages
}

// Row is an action with its keys.
type Row struct {
	Action string
	Keys   []string
	Help   string
	Where  string // of the user's line; "" = the default
}

// Map is the keys of all actions.
type Map struct {
	rows []Row
	to   map[string]string // from a key to the key that the screen knows for the action
}

// New returns the map with the user's lines. problems are those of the lines, in their order, nil
// for one that is used; the action of a wrong one keeps its keys.
func New(lines []Binding) (m *Map, problems []error) {
	problems = make([]error, len(lines))
	byAction := map[string]int{}
	for i, line := range lines {
		keys, err := line.checkKeys()
		if err != nil {
			problems[i] = err
			continue
		}
		lines[i].Keys = keys
		byAction[line.Action] = i
	}
	for {
		m = build(lines, byAction)
		i, err := m.conflict(byAction)
		if err == nil {
			return m, problems
		}
		problems[i] = err
		delete(byAction, lines[i].Action)
	}
}

// checkKeys returns the keys of a line in their usual form.
func (b *Binding) checkKeys() (keys []string, err error) {
	if !slices.ContainsFunc(actions(), func(a action) bool { return a.name == b.Action }) {
		var names []string
		for _, a := range actions() {
			names = append(names, a.name)
		}
		hint := suggest.DidYouMean(b.Action, names)
		if hint == "" {
			hint = "; /keys lists them"
		}
		return nil, fmt.Errorf("unknown action %q%s", b.Action, hint)
	}
	for _, text := range b.Keys {
		key, err := chord.KeyName(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Action, err)
		}
		bare := strings.TrimPrefix(key, "shift+")
		switch {
		case key == "ctrl+c":
			return nil, fmt.Errorf("%s: ctrl+c always interrupts and quits", b.Action)
		case utf8.RuneCountInString(bare) == 1 || bare == "space":
			return nil, fmt.Errorf("%s: %s is text; write a key with ctrl or alt, or such as f5",
				b.Action, key)
		case slices.Contains(moving[:], key):
			return nil, fmt.Errorf("%s: %s moves or deletes in a text", b.Action, key)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// moving are the keys that every text has.
var moving = [...]string{"up", "down", "left", "right", "home", "end", "backspace", "delete"}

// build returns the map with some of the lines.
func build(lines []Binding, byAction map[string]int) *Map {
	m := &Map{to: map[string]string{}}
	for _, a := range actions() {
		row := Row{Action: a.name, Keys: a.keys, Help: a.help}
		if i, ok := byAction[a.name]; ok {
			row.Keys, row.Where = slices.Clone(lines[i].Keys), lines[i].Where
			if a.stays && !slices.Contains(row.Keys, a.keys[0]) {
				row.Keys = append(row.Keys, a.keys[0])
			}
		}
		m.rows = append(m.rows, row)
		for _, key := range a.keys {
			if m.to[key] == "" {
				m.to[key] = dead
			}
		}
		for _, key := range row.Keys {
			if m.to[key] = a.keys[0]; slices.Contains(a.keys, key) {
				m.to[key] = key
			}
		}
	}
	return m
}

// dead stands in Map.to for a key that did something before the user changed it.
const dead = "nothing"

// conflict returns a line that gives its action a key of another one.
func (m *Map) conflict(byAction map[string]int) (line int, err error) {
	holder := map[string]Row{}
	for _, row := range m.rows {
		for _, key := range row.Keys {
			before, taken := holder[key]
			holder[key] = row
			if !taken || before.Action == row.Action {
				continue
			}
			line, ok := byAction[row.Action]
			other := before.Action
			if earlier, both := byAction[before.Action]; !ok || both && earlier > line {
				line, other = earlier, row.Action
			}
			return line, fmt.Errorf("%s is also a key of %s; give that one another key, or [] for "+
				"none", key, other)
		}
	}
	return 0, nil
}

// Rows returns all actions with their keys.
func (m *Map) Rows() []Row { return m.rows }

// Translate returns the key that the screen knows for what a key does now. It reports false if the
// user has taken the action from the key.
func (m *Map) Translate(msg tea.KeyPressMsg) (tea.KeyPressMsg, bool) {
	key := msg.Keystroke()
	switch known := m.to[key]; known {
	case "", key:
		return msg, true
	case dead:
		return msg, false
	default:
		return press(known), true
	}
}

// codes are the keys that have names.
var codes = map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab,
	"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd}

// press returns the press of a key of the table.
func press(name string) (msg tea.KeyPressMsg) {
	for _, mod := range [...]struct {
		name string
		mod  tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if rest, ok := strings.CutPrefix(name, mod.name); ok {
			name, msg.Mod = rest, msg.Mod|mod.mod
		}
	}
	if code, ok := codes[name]; ok {
		msg.Code = code
		return msg
	}
	msg.Code, _ = utf8.DecodeRuneInString(name)
	return msg
}
