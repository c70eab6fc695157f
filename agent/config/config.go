// Package config reads the user's settings from config.toml, and finds the project of a directory.
//
//	c, warnings := config.Load(home, nil)
//
// A mistake in the file is a warning that names the line; the agent starts with the other settings.
package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// Config is the user's settings. The zero value sets nothing.
type Config struct {
	Model string // "provider/id"
	// "provider/id" of a cheap model, for requests that name "small"; "" = Model
	SmallModel string
	Permission event.Permission // one of event.Permissions(), or ""
	Thinking   string           // one of chat.ThinkingLevels(), or ""
	Limits     Limits
	Rules      Rules
	Tools      Tools
	Sandbox    Sandbox
	Extensions Extensions
	TUI        TUI
	Keys       []Binding   // of the screen, in the order of the file
	Providers  []Provider  // in order of their names
	Models     []Model     // in order of their names
	MCP        []MCPServer // in order of their names
	Options    []Option    // of scripts, in order of their names

	written []string // keys found in the file, where they do not belong
}

// file is the file's name in the agent's own directory.
const file = "config.toml"

// section is one key or table of the file, with the function that reads it.
type section struct {
	key  string
	read func(r *reader, v any)
}

// sections lists what the file may set.
func sections() []section {
	return []section{
		{"model", func(r *reader, v any) { r.Model = r.text("model", v) }},
		{"small_model", func(r *reader, v any) { r.SmallModel = r.text("small_model", v) }},
		{"permission", func(r *reader, v any) { r.setPermission(r.text("permission", v)) }},
		{"thinking", func(r *reader, v any) { r.setThinking(r.text("thinking", v)) }},
		{"limits", (*reader).setLimits},
		{"permissions", (*reader).setRules},
		{"tools", (*reader).setTools},
		{"sandbox", (*reader).setSandbox},
		{"extensions", (*reader).setExtensions},
		{"providers", (*reader).setProviders},
		{"models", (*reader).setModels},
		{"mcp", (*reader).setMCP},
		{"options", (*reader).setOptions},
		{"picoclaw", (*reader).setPicoclaw},
		{"tui", (*reader).setTUI},
		{"keys", (*reader).setKeys},
	}
}

// Warning is a mistake in the file.
type Warning struct {
	Line    int // 1-based, 0 = unknown
	Message string

	file string // "" = the user's file
}

// String returns `config.toml:3: unknown key "modle"; did you mean "model"?`.
func (w Warning) String() string { return w.place() + ": " + w.Message }

// place returns `config.toml:3`.
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

// maxFile is the maximal size of config.toml in bytes.
const maxFile = 1 << 20

// Load reads config.toml in home; a missing file is no mistake. keeper says which version is in
// force; nil = the file itself. The Config is never nil.
func Load(home string, keeper ledger.Keeper) (*Config, []Warning) {
	b, err := readKept(filepath.Join(home, file), maxFile, keeper)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Config{}, nil
	case err != nil:
		w := unused(0, plain.Error(err))
		why := plain.Error(err)
		return &Config{Rules: Rules{Unread: w.place(), UnreadWhy: why}}, []Warning{w}
	}
	return parse(string(b))
}

const notUsed = "; nothing of the file is used"

func unused(line int, message string) Warning {
	return Warning{Line: line, Message: message + notUsed}
}

func parse(text string) (*Config, []Warning) {
	m, warning := decodeTOML(text)
	if warning != nil { // any mistake, since the rules may be anywhere in the file
		return &Config{Rules: Rules{Unread: warning.place()}}, []Warning{*warning}
	}
	r := reader{source: text}
	for _, k := range value.SortedKeys(m) {
		r.setField(k, m[k])
	}
	slices.SortStableFunc(r.warnings, func(a, b Warning) int { return a.Line - b.Line })
	return &r.Config, few(r.warnings)
}

// decodeTOML decodes TOML; an error is returned as a warning.
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
		if strings.Contains(pe.Message, `but got '\n'`) { // it reports the line after this one
			at--
		}
		one = unused(at, plain.Ending(pe.Message))
	}
	return nil, &one
}

// reader reads the keys one by one and collects warnings.
type reader struct {
	Config
	file     string // its name in warnings; "" = config.toml
	source   string
	lines    map[string]int // by pathKey, of a file that is not TOML; nil = see line
	warnings []Warning
	unused   []MCPServer // with mistakes
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

// text returns v if it is a string, else "" with a warning.
func (r *reader) text(key string, v any) string {
	s, ok := v.(string)
	if !ok {
		r.warn([]string{key}, "%s: got %s, want a string", key, value.TypeName(v))
	}
	return s
}

// table returns v if it is a table, else nil with a warning; example shows the syntax.
func (r *reader) table(key string, v any, example string) map[string]any {
	t, ok := v.(map[string]any)
	if !ok {
		r.warn([]string{key}, "%s: got %s, want a table: %s", key, value.TypeName(v), example)
	}
	return t
}

// fields returns the valid keys of the table at path. It warns of each invalid key, and of a
// missing one: then ok is false.
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

// loose returns fields, all of them optional.
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
	names := event.PermissionNames()
	if slices.Contains(names, s) {
		r.Permission = event.Permission(s)
		return
	}
	r.warn([]string{"permission"}, "permission: got %q, want one of %s%s", s,
		strings.Join(names, ", "), suggest.DidYouMean(s, names))
}

// mostWarnings is how many mistakes of a file are reported. The line of each is found by a search
// of the whole file.
const mostWarnings = 50

// warn records a mistake at path.
func (r *reader) warn(path []string, format string, args ...any) {
	at := 0
	for n := len(path); r.lines != nil && n > 0 && at == 0; n-- {
		at = r.lines[pathKey(path[:n])]
	}
	if r.lines == nil && len(r.warnings) < mostWarnings {
		at = line(r.source, path)
	}
	message := strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "␊") // of a name in the file
	r.warnings = append(r.warnings, Warning{Line: at, Message: message, file: r.file})
}

// few returns the warnings to report.
func few(all []Warning) []Warning {
	if more := len(all) - mostWarnings; more > 0 {
		return append(all[:mostWarnings:mostWarnings],
			Warning{Message: fmt.Sprintf("and %d mistakes more", more)})
	}
	return all
}
