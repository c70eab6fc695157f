package keymap

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/tui/tuitest"
)

// TestTable checks that the table has no key twice, and that each of its keys can be pressed.
func TestTable(t *testing.T) {
	m, _ := New(nil)
	seen := map[string]string{}
	for _, row := range m.Rows() {
		if row.Help == "" || len(row.Keys) == 0 {
			t.Errorf("%s has no help or no keys", row.Action)
		}
		for _, key := range row.Keys {
			if seen[key] != "" {
				t.Errorf("%s is a key of %s and of %s", key, seen[key], row.Action)
			}
			seen[key] = row.Action
			if got := press(key).Keystroke(); got != key {
				t.Errorf("press(%q) is %q", key, got)
			}
		}
	}
}

func TestBindings(t *testing.T) {
	tests := []struct {
		lines    string // action=key,key
		presses  string // pressed=what the screen gets
		problems string // with | between the lines; "" = none
	}{
		{"", "ctrl+f=ctrl+f ctrl+j=ctrl+j x=x f5=f5", ""},
		{"search=alt+s", "alt+s=ctrl+f ctrl+f=none", "|"},
		{"search=Option+S", "alt+s=ctrl+f ctrl+f=none", "|"},
		{"search=", "ctrl+f=none", "|"},
		{"search=ctrl+o unfold=ctrl+f", "ctrl+o=ctrl+f ctrl+f=ctrl+o", "|"},
		{"new_line=ctrl+j,f5", "ctrl+j=ctrl+j f5=shift+enter shift+enter=none", "|"},
		{"interrupt=ctrl+x", "ctrl+x=esc esc=esc", "|"},
		{"search=ctrl+o", "ctrl+o=ctrl+o ctrl+f=ctrl+f",
			"ctrl+o is also a key of unfold; give that one another key, or [] for none|"},
		{"search=f5 unfold=f5", "f5=ctrl+f ctrl+f=none ctrl+o=ctrl+o",
			"f5 is also a key of search;"},
		{"search=ctrl+o unfold=ctrl+r", "ctrl+o=ctrl+o ctrl+f=ctrl+f ctrl+r=ctrl+r",
			"ctrl+o is also a key of unfold"},
		{"serach=f5", "f5=f5", `unknown action "serach"; did you mean "search"?|`},
		{"frobnicate=f5", "f5=f5", `unknown action "frobnicate"; /keys lists them|`},
		{"search=s", "s=s ctrl+f=ctrl+f", "search: s is text; write a key with ctrl"},
		{"search=shift+s", "ctrl+f=ctrl+f", "search: shift+s is text"},
		{"search=ctrl+c", "ctrl+c=ctrl+c", "search: ctrl+c always interrupts"},
		{"search=up", "up=up", "search: up moves"},
		{"search=crtl+s", "ctrl+f=ctrl+f", `did you mean "ctrl"`},
	}
	for _, test := range tests {
		var lines []Binding
		for _, l := range strings.Fields(test.lines) {
			action, keys, _ := strings.Cut(l, "=")
			lines = append(lines, Binding{Action: action,
				Keys: strings.FieldsFunc(keys, func(r rune) bool { return r == ',' })})
		}
		m, problems := New(lines)
		var texts []string
		for _, err := range problems {
			if err != nil {
				texts = append(texts, err.Error())
			}
		}
		if got := strings.Join(texts, "|") + "|"; !strings.Contains(got, test.problems) ||
			test.problems == "|" && got != "|" {
			t.Errorf("%q: problems %q, want %q", test.lines, got, test.problems)
		}
		for _, p := range strings.Fields(test.presses) {
			key, want, _ := strings.Cut(p, "=")
			msg, ok := m.Translate(tuitest.KeyPress(key))
			got := msg.Keystroke()
			if !ok {
				got = "none"
			}
			if key != "f5" && got != want {
				t.Errorf("%q: %s is %s, want %s", test.lines, key, got, want)
			}
		}
	}
}

// TestRows checks that a list says where keys come from.
func TestRows(t *testing.T) {
	m, _ := New([]Binding{{"search", []string{"f5"}, "config.toml:3"}})
	for _, row := range m.Rows() {
		want := fmt.Sprint([]string{"f5"}, "config.toml:3")
		if got := fmt.Sprint(row.Keys, row.Where); row.Action == "search" && got != want ||
			row.Action != "search" && row.Where != "" {
			t.Errorf("%s: %s", row.Action, got)
		}
	}
	if slices.Contains(m.Rows()[0].Keys, "f5") {
		t.Error("another action has the key")
	}
}
