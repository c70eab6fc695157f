// Package config reads the user's settings from config.toml, and finds the project of a directory.
//
//	c, warnings := config.Load(home)
//
// A mistake in the file is a warning that names the line; the agent starts with the other settings.
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

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Config is what the user has set. The zero value: nothing.
type Config struct {
	Model string // "provider/id"
	// "provider/id" of a cheap model, for what "small" names; "" = Model
	SmallModel string
	Permission event.Permission // one of event.Permissions(), or ""
	Thinking   string           // one of chat.ThinkingLevels(), or ""
	Limits     Limits
	Rules      Rules
	Tools      Tools
	Providers  []Provider  // in order of their names
	Models     []Model     // in order of their names
	MCP        []MCPServer // in order of their names
	Options    []Option    // of scripts, in order of their names

	written []string // keys that stand in the file, where they do not belong
}

// file is the file's name in the agent's own directory.
const file = "config.toml"

// section is one key of the file, or one table: how it is read.
type section struct {
	key  string
	read func(r *reader, v any)
}

// sections are what the file may set.
func sections() []section {
	return []section{
		{"model", func(r *reader, v any) { r.Model = r.text("model", v) }},
		{"small_model", func(r *reader, v any) { r.SmallModel = r.text("small_model", v) }},
		{"permission", func(r *reader, v any) { r.setPermission(r.text("permission", v)) }},
		{"thinking", func(r *reader, v any) { r.setThinking(r.text("thinking", v)) }},
		{"limits", (*reader).setLimits},
		{"permissions", (*reader).setRules},
		{"tools", (*reader).setTools},
		{"providers", (*reader).setProviders},
		{"models", (*reader).setModels},
		{"mcp", (*reader).setMCP},
		{"options", (*reader).setOptions},
	}
}

// Warning is a mistake in the file.
type Warning struct {
	Line    int // 1-based, 0 = unknown
	Message string

	file string // "" = the user's
}

// String is `config.toml:3: unknown key "modle"; did you mean "model"?`.
func (w Warning) String() string { return w.place() + ": " + w.Message }

// place is `config.toml:3`.
func (w Warning) place() string {
	name := w.file
	if name == "" {
		name = file
	}
	if w.Line == 0 {
		return name
	}
	return fmt.Sprintf("%s:%d", name, w.Line)
}

// Load reads config.toml in home; none is no mistake. The Config is never nil.
func Load(home string) (*Config, []Warning) {
	b, err := os.ReadFile(filepath.Join(home, file))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Config{}, nil
	case err != nil:
		w := unused(0, plain.Error(err))
		return &Config{Rules: Rules{Unread: w.place()}}, []Warning{w}
	}
	return parse(string(b))
}

func unused(line int, message string) Warning {
	return Warning{Line: line, Message: message + "; nothing of the file is used"}
}

func parse(text string) (*Config, []Warning) {
	m, warning := decodeTOML(text)
	if warning != nil { // any mistake, since the rules may be anywhere in it
		return &Config{Rules: Rules{Unread: warning.place()}}, []Warning{*warning}
	}
	r := reader{source: text}
	for _, k := range value.SortedKeys(m) {
		r.setField(k, m[k])
	}
	return &r.Config, few(r.warnings)
}

// decodeTOML reads TOML; what is wrong with it is a warning.
func decodeTOML(text string) (m map[string]any, w *Warning) {
	if deep(text) {
		one := unused(0, fmt.Sprintf("goes deeper than %d tables, lists or parts of a name",
			deepest))
		return nil, &one
	}
	_, err := toml.Decode(text, &m)
	if err == nil {
		return m, nil
	}
	one := unused(0, plain.Ending(err.Error()))
	if pe := (toml.ParseError{}); errors.As(err, &pe) {
		at := pe.Position.Line
		if strings.Contains(pe.Message, `but got '\n'`) { // it counts the line that this ends
			at--
		}
		one = unused(at, plain.Ending(pe.Message))
	}
	return nil, &one
}

// reader takes keys one by one and collects what is wrong with them.
type reader struct {
	Config
	source   string
	warnings []Warning
}

func (r *reader) setField(key string, v any) {
	if mayBeRules(key, v) {
		r.unread(key)
	}
	var keys []string
	for _, s := range sections() {
		if s.key == key {
			s.read(r, v)
			return
		}
		keys = append(keys, s.key)
	}
	r.warn([]string{key}, "unknown key %q%s", key, suggest.DidYouMean(key, keys))
}

// text is v if it is a string, else "" and a warning.
func (r *reader) text(key string, v any) string {
	s, ok := v.(string)
	if !ok {
		r.warn([]string{key}, "%s: got %s, want a string", key, value.TypeName(v))
	}
	return s
}

// table is v if it is a table, else nil and a warning; example shows how one is written.
func (r *reader) table(key string, v any, example string) map[string]any {
	t, ok := v.(map[string]any)
	if !ok {
		r.warn([]string{key}, "%s: got %s, want a table: %s", key, value.TypeName(v), example)
	}
	return t
}

// fields are the keys of the table at path that fit; each other one is a warning, and so is one
// that is missing: then !ok.
func (r *reader) fields(path []string, v any, fields []value.Field) (out map[string]any, ok bool) {
	name := strings.Join(path, ".")
	t, isTable := v.(map[string]any)
	if !isTable {
		r.warn(path, "%s: got %s, want a table: [%s] and below it its keys", name,
			value.TypeName(v), name)
		return nil, false
	}
	out, ok = map[string]any{}, true
	for _, k := range value.SortedKeys(t) {
		one, err := value.CheckArgs(name, []value.Field{
			{Name: "keys", Type: "table", Fields: loose(fields)}}, []any{map[string]any{k: t[k]}})
		if err != nil {
			r.warn(append(slices.Clip(path), k), "%s",
				strings.Replace(err.Error(), ": keys: ", ": ", 1))
			continue
		}
		if m := one[0].(map[string]any); m[k] != nil {
			out[k] = m[k]
		}
	}
	for _, f := range fields {
		if !strings.HasSuffix(f.Type, "?") && out[f.Name] == nil {
			r.warn(path, "%s: %s is missing", name, f.Name)
			ok = false
		}
	}
	return out, ok
}

// loose are fields none of which has to be there.
func loose(fields []value.Field) []value.Field {
	out := slices.Clone(fields)
	for i := range out {
		out[i].Type = strings.TrimSuffix(out[i].Type, "?") + "?"
	}
	return out
}

func (r *reader) setThinking(s string) {
	if s == "" {
		return
	}
	if err := CheckThinking(s); err != nil {
		r.warn([]string{"thinking"}, "thinking: %v", err)
		return
	}
	r.Thinking = s
}

func (r *reader) setLimits(v any) {
	t := r.table("limits", v, "[limits] and below it turns = 50")
	for _, k := range value.SortedKeys(t) {
		n, ok := value.Number(t[k])
		err := fmt.Errorf("%s: got %s, want a number", k, value.TypeName(t[k]))
		if ok || !slices.Contains(limitKinds[:], k) {
			err = r.Limits.Set(k, n)
		}
		if err != nil {
			r.warn([]string{"limits", k}, "limits: %v", err)
		}
	}
}

func (r *reader) setPermission(s string) {
	if s == "" {
		return
	}
	var names []string
	for _, p := range event.Permissions() {
		if string(p) == s {
			r.Permission = p
			return
		}
		names = append(names, string(p))
	}
	r.warn([]string{"permission"}, "permission: got %q, want one of %s%s", s,
		strings.Join(names, ", "), suggest.DidYouMean(s, names))
}

// mostWarnings is how many mistakes of a file are told, each with its line, for which all of the
// file is looked through.
const mostWarnings = 50

// warn notes a mistake in what stands at path.
func (r *reader) warn(path []string, format string, args ...any) {
	at := 0
	if len(r.warnings) < mostWarnings {
		at = line(r.source, path)
	}
	r.warnings = append(r.warnings, Warning{Line: at, Message: fmt.Sprintf(format, args...)})
}

// few are the warnings that are told.
func few(all []Warning) []Warning {
	if more := len(all) - mostWarnings; more > 0 {
		return append(all[:mostWarnings:mostWarnings],
			Warning{Message: fmt.Sprintf("and %d mistakes more", more)})
	}
	return all
}
