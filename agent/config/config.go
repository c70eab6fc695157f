// Package config reads what the user has set in config.toml, and finds the project of a directory.
//
//	c, warnings := config.Load(home)
//
// A mistake in the file is a warning that names the line: the agent starts all the same, with the rest.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/agentscripts/agent/engine"
)

// Config is what the user has set. The zero value: nothing.
type Config struct {
	Model      string            // "provider/id"
	Permission engine.Permission // one of engine.Permissions(), or ""
	Thinking   string            // one of engine.ThinkingLevels(), or ""
	Limits     Limits
}

// file is the file's name in the agent's own directory.
const file = "config.toml"

// keys are the names that the file may set.
var keys = [...]string{"model", "permission", "thinking", "limits"}

// Warning is a mistake in the file.
type Warning struct {
	Line    int // 1-based, 0 = unknown
	Message string
}

// String is `config.toml:3: unknown key "modle"; did you mean "model"?`.
func (w Warning) String() string {
	if w.Line == 0 {
		return file + ": " + w.Message
	}
	return fmt.Sprintf("%s:%d: %s", file, w.Line, w.Message)
}

// Load reads config.toml in home; none is no mistake. The Config is never nil.
func Load(home string) (*Config, []Warning) {
	b, err := os.ReadFile(filepath.Join(home, file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Config{}, nil
	case err != nil:
		return &Config{}, []Warning{unused(0, err.Error())}
	}
	return parse(string(b))
}

func unused(line int, message string) Warning {
	return Warning{line, message + "; nothing of the file is used"}
}

func parse(text string) (*Config, []Warning) {
	var m map[string]any
	if _, err := toml.Decode(text, &m); err != nil {
		var pe toml.ParseError
		if errors.As(err, &pe) {
			return &Config{}, []Warning{unused(pe.Position.Line, pe.Message)}
		}
		return &Config{}, []Warning{unused(0, err.Error())}
	}
	r := reader{text: text}
	for _, k := range engine.SortedKeys(m) {
		r.set(k, m[k])
	}
	return &r.Config, r.warnings
}

// reader takes keys one by one and collects what is wrong with them.
type reader struct {
	Config
	text     string
	warnings []Warning
}

func (r *reader) set(key string, v any) {
	s, isText := v.(string)
	t, isTable := v.(map[string]any)
	switch {
	case !slices.Contains(keys[:], key):
		r.warn(key, "unknown key %q%s", key, engine.DidYouMean(key, keys[:]))
	case key == "limits" && !isTable:
		r.warn(key, "limits: got %s, want a table: [limits] and below it turns = 50", engine.TypeName(v))
	case key == "limits":
		r.setLimits(t)
	case !isText:
		r.warn(key, "%s: got %s, want a string", key, engine.TypeName(v))
	case key == "model":
		r.Model = s
	case key == "thinking":
		r.setThinking(s)
	default:
		r.setPermission(s)
	}
}

func (r *reader) setThinking(s string) {
	if err := CheckThinking(s); err != nil {
		r.warn("thinking", "thinking: %v", err)
		return
	}
	r.Thinking = s
}

func (r *reader) setLimits(t map[string]any) {
	for _, k := range engine.SortedKeys(t) {
		n, ok := engine.Number(t[k])
		err := fmt.Errorf("%s: got %s, want a number", k, engine.TypeName(t[k]))
		if ok || !slices.Contains(limitKinds[:], k) {
			err = r.Limits.Set(k, n)
		}
		if err != nil {
			r.warnings = append(r.warnings, Warning{lineIn(r.text, "limits", k), "limits: " + err.Error()})
		}
	}
}

func (r *reader) setPermission(s string) {
	var names []string
	for _, p := range engine.Permissions() {
		if string(p) == s {
			r.Permission = p
			return
		}
		names = append(names, string(p))
	}
	r.warn("permission", "permission: got %q, want one of %s%s", s, strings.Join(names, ", "), engine.DidYouMean(s, names))
}

func (r *reader) warn(key, format string, args ...any) {
	r.warnings = append(r.warnings, Warning{line(r.text, key), fmt.Sprintf(format, args...)})
}

// line finds where a top-level key or table is set, 1-based; 0 if it is written in an unusual way. The decoder
// does not tell.
func line(text, key string) int { return lineIn(text, "", key) }

// lineIn is line for a key of a table; the table's own line if the key is not found in it.
func lineIn(text, table, key string) int {
	at := table == "" // in the table
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		header := strings.HasPrefix(l, "[")
		l = strings.TrimLeft(l, "[ \t")
		switch {
		case at && (table == "" || !header) && named(l, key, header):
			return i + 1
		case header && table != "":
			at = named(l, table, true)
		}
	}
	if table != "" {
		return line(text, table)
	}
	return 0
}

// named reports whether a line, without its opening brackets, sets key.
func named(l, key string, header bool) bool {
	for _, quote := range []string{"", `"`, "'"} {
		rest, ok := strings.CutPrefix(l, quote+key+quote)
		rest = strings.TrimLeft(rest, " \t")
		if ok && (header && strings.IndexAny(rest, "].") == 0 || !header && strings.IndexAny(rest, "=.") == 0) {
			return true
		}
	}
	return false
}
