// Package chord reads the names of keys, and of key chords that can be shortcuts.
//
//	key, err := chord.Parse("Shift+Ctrl+K") // "ctrl+shift+k"
package chord

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/suggest"
)

// modifiers are the modifiers of a chord, in normalized order; aliases are other names.
var (
	modifiers  = [...]string{"ctrl", "alt", "shift", "meta", "hyper", "super"}
	modAliases = map[string]string{"control": "ctrl", "opt": "alt", "option": "alt", "cmd": "super",
		"command": "super", "win": "super"}
	keyAliases = map[string]string{"escape": "esc", "return": "enter", "del": "delete",
		"ins": "insert", "pageup": "pgup", "pagedown": "pgdown", " ": "space", "bs": "backspace"}
	keyNames = [...]string{"enter", "tab", "backspace", "esc", "space", "up", "down", "left",
		"right", "insert", "delete", "pgup", "pgdown", "home", "end"}
)

// reserved are chords for the screen: those that always let a user leave or cancel, and those that
// terminals send for other keys.
var reserved = [...]string{"ctrl+c", "ctrl+d", "ctrl+l", "ctrl+z", "ctrl+[", "ctrl+i", "ctrl+m",
	"ctrl+j", "ctrl+h", "shift+tab", "alt+enter", "shift+enter"}

// Parse returns a key chord in normalized form: modifiers in the order ctrl, alt, shift, meta,
// hyper, super, and the key in lower case: ctrl+shift+k. The error says why the chord cannot be a
// shortcut.
func Parse(text string) (string, error) {
	chord, err := KeyName(text)
	if err != nil {
		return "", err
	}
	key := chord
	for _, m := range modifiers {
		key = strings.TrimPrefix(key, m+"+")
	}
	switch {
	case key == "esc" || slices.Contains(reserved[:], chord):
		return "", fmt.Errorf("%s is reserved for the screen", chord)
	case !isFunctionKey(key) && strings.TrimPrefix(chord, "shift+") == key:
		return "", fmt.Errorf("%s is a key for editing: a shortcut needs ctrl, alt or super", chord)
	}
	return chord, nil
}

// KeyName returns the name of a key with its modifiers in the form of Parse. It allows all keys.
func KeyName(text string) (string, error) {
	rest, mods := strings.ToLower(text), map[string]bool{}
	for {
		word, after, ok := strings.Cut(rest, "+")
		if !ok || after == "" { // "ctrl++" is ctrl and +
			break
		}
		word = strings.TrimSpace(word)
		if a := modAliases[word]; a != "" {
			word = a
		}
		if !slices.Contains(modifiers[:], word) {
			return "", fmt.Errorf("got %.40q: unknown modifier %q%s", text, word,
				suggest.DidYouMean(word, modifiers[:]))
		}
		mods[word], rest = true, after
	}
	key := rest
	if key != " " {
		key = strings.TrimSpace(key)
	}
	if a := keyAliases[key]; a != "" {
		key = a
	}
	if !isFunctionKey(key) && utf8.RuneCountInString(key) != 1 &&
		!slices.Contains(keyNames[:], key) {
		return "", fmt.Errorf("got %.40q, want a chord such as ctrl+t, alt+shift+k or f5%s", text,
			suggest.DidYouMean(key, keyNames[:]))
	}
	chord := ""
	for _, m := range modifiers {
		if mods[m] {
			chord += m + "+"
		}
	}
	return chord + key, nil
}

// isFunctionKey reports whether key is one of f1 to f24.
func isFunctionKey(key string) bool {
	var n int
	_, err := fmt.Sscanf(key, "f%d", &n)
	return err == nil && n >= 1 && n <= 24 && key == fmt.Sprintf("f%d", n)
}
