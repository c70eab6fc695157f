// This file reads .mcp.json, in which a project names MCP servers for several programs.

package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

const mcpJSON = ".mcp.json"

// mcpTypes are the values of type, and the key that each needs.
var mcpTypes = map[string]string{"": "", "stdio": "command", "http": "url", "sse": "url",
	"streamable-http": "url", "streamableHttp": "url"}

// loadMCPJSON reads .mcp.json of the project at root; nil if there is none.
func loadMCPJSON(root string) (*ProjectFile, []Warning) {
	p, text, err := readProjectFile(root, mcpJSON)
	r := reader{file: mcpJSON}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		r.warnings = []Warning{unused(0, plain.Error(err))}
	default:
		r.setMCPJSON([]byte(text))
	}
	for i := range r.MCP {
		r.MCP[i].Project = true
	}
	if p != nil {
		p.MCP, p.unused = r.MCP, r.unused
	}
	warnings := few(r.warnings)
	for i := range warnings {
		warnings[i].file = mcpJSON
	}
	return p, warnings
}

// setMCPJSON reads the servers of the file.
func (r *reader) setMCPJSON(b []byte) {
	b = plain.TrimBOM(b)
	j := jsonLines{source: b, in: json.NewDecoder(bytes.NewReader(b)), lines: map[string]int{}}
	v, err := j.value(nil)
	if err != nil {
		r.warnings = append(r.warnings, unused(j.errorLine(err), plain.Ending(err.Error())))
		return
	}
	r.lines = j.lines
	top, _ := v.(map[string]any)
	servers, ok := top["mcpServers"].(map[string]any)
	if !ok {
		r.warnings = append(r.warnings, unused(1,
			`want {"mcpServers": {"NAME": {"command": "program"}}}`))
		return
	}
	for _, name := range value.SortedKeys(servers) {
		before := len(r.warnings)
		fields, ignored := r.ofMCPJSON(name, servers[name])
		var s MCPServer
		if fields != nil {
			s = r.mcpServer(name, fields)
			s.Expands = true
		}
		if n := len(r.warnings); n > before {
			r.warnings[n-1].Message += "; this server is not used"
			r.unused = append(r.unused, s)
			continue
		}
		r.MCP = append(r.MCP, s)
		for _, key := range ignored {
			r.warn([]string{"mcp", name, key}, "mcp.%s: %s is ignored: nothing here corresponds "+
				"to it", name, plain.Line(key, 80))
		}
	}
}

// ofMCPJSON translates the keys of a server to those of config.toml. ignored are the others.
func (r *reader) ofMCPJSON(name string, v any) (fields map[string]any, ignored []string) {
	at := []string{"mcp", name}
	m, ok := v.(map[string]any)
	if !ok || strings.TrimSpace(name) == "" {
		r.warn(at, "mcp.%s: got %s, want a name, and {\"command\": \"program\"}", name,
			value.TypeName(v))
		return nil, nil
	}
	fields = map[string]any{}
	for _, k := range value.SortedKeys(m) {
		switch k {
		case "command", "args", "env", "cwd", "url", "headers":
			fields[k] = m[k]
		case "type":
		case "disabled":
			fields["enabled"] = m[k] != true
		default:
			ignored = append(ignored, k)
		}
	}
	kind, _ := m["type"].(string)
	switch needs, known := mcpTypes[kind]; {
	case !known || m["type"] != nil && kind == "":
		r.warn(append(at, "type"), "mcp.%s: type: want stdio, http or sse", name)
	case needs != "" && m[needs] == nil:
		r.warn(append(at, "type"), "mcp.%s: a server of type %s needs %s", name, kind, needs)
	}
	return fields, ignored
}

// jsonLines decodes JSON, and notes the lines of the keys.
type jsonLines struct {
	source []byte
	in     *json.Decoder
	lines  map[string]int // by path, see pathKey
}

// maxJSON is the depth down to which lines are noted: {"mcpServers": {NAME: {KEY:
const maxJSON = 3

func pathKey(path []string) string { return strings.Join(path, "\x00") }

// value decodes the next value, which is at path.
func (j *jsonLines) value(path []string) (any, error) {
	rest := bytes.TrimLeft(j.source[min(int(j.in.InputOffset()), len(j.source)):], " \t\r\n:,")
	if len(path) >= maxJSON || len(rest) == 0 || rest[0] != '{' {
		var v any
		err := j.in.Decode(&v)
		return v, err
	}
	if _, err := j.in.Token(); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for j.in.More() {
		token, err := j.in.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return nil, err
		}
		at := append(slices.Clip(path), key)
		named := slices.Clone(at)
		named[0] = "mcp" // as in config.toml
		j.lines[pathKey(named)] = lineAtOffset(j.source, int(j.in.InputOffset()))
		if out[key], err = j.value(at); err != nil {
			return nil, err
		}
	}
	_, err := j.in.Token()
	if err == nil && len(path) == 0 && j.in.More() {
		err = errors.New("something follows the end of the object")
	}
	return out, err
}

// errorLine returns the line of an error of the decoder.
func (j *jsonLines) errorLine(err error) int {
	at := int(j.in.InputOffset())
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) && int(e.Offset) > at {
		at = int(e.Offset)
	}
	return lineAtOffset(j.source, at)
}

func lineAtOffset(source []byte, offset int) int {
	line := 1
	for i, c := range source {
		if i < offset && c == '\n' {
			line++
		}
	}
	return line
}

// reference matches ${NAME} and ${NAME:-DEFAULT}.
var reference = lazyregexp.New(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)

// Expanded returns the server with the variables of the environment that its settings name. The
// error names those that are missing.
func (s MCPServer) Expanded(lookupEnv func(name string) (string, bool)) (MCPServer, error) {
	if !s.Expands {
		return s, nil
	}
	var missing []string
	expand := func(text string) string {
		return reference().ReplaceAllStringFunc(text, func(ref string) string {
			m := reference().FindStringSubmatch(ref)
			v, ok := lookupEnv(m[1])
			switch {
			case ok && (v != "" || m[2] == ""):
				return v
			case m[2] == "" && !slices.Contains(missing, m[1]):
				missing = append(missing, m[1])
			}
			return m[3]
		})
	}
	s = s.each(expand)
	s.Expands = false
	if len(missing) > 0 {
		return s, fmt.Errorf("%s: ${%s} is not set in the environment, and has no default: set "+
			"it, or write ${%s:-DEFAULT}", mcpJSON, strings.Join(missing, "} and ${"), missing[0])
	}
	return s, nil
}

// each returns the server with its texts replaced.
func (s MCPServer) each(replace func(string) string) MCPServer {
	s.Command, s.URL, s.CWD = replace(s.Command), replace(s.URL), replace(s.CWD)
	s.Args = slices.Clone(s.Args)
	for i := range s.Args {
		s.Args[i] = replace(s.Args[i])
	}
	values := func(m map[string]string) map[string]string {
		if m == nil {
			return nil
		}
		out := map[string]string{}
		for k, v := range m {
			out[k] = replace(v)
		}
		return out
	}
	s.Env, s.Headers = values(s.Env), values(s.Headers)
	return s
}

// written returns the parts of a value that are written in the file: not the variables that it
// names, but their defaults.
func written(text string) (parts []string) {
	for _, m := range reference().FindAllStringSubmatch(text, -1) {
		parts = append(parts, m[3])
	}
	return append(parts, reference().Split(text, -1)...)
}

// Hide replaces the keys that are written in the settings of the server in a text about them, each
// by [NAME].
func (s MCPServer) Hide(text string) string {
	for _, g := range s.Given(func(string) (string, bool) { return "", false }) {
		parts := []string{g.Value}
		if s.Expands {
			parts = written(g.Value)
		}
		for _, part := range parts {
			if part = strings.TrimSpace(part); g.Secret && len(part) > 2 {
				quoted := strconv.Quote(part) // as a file has it
				quoted = quoted[1 : len(quoted)-1]
				name := "[" + g.Name + "]"
				text = strings.NewReplacer(part, name, quoted, name).Replace(text)
			}
		}
	}
	return text
}

// Hide replaces the keys that are written in the file in a text about it.
func (p *ProjectFile) Hide(text string) string {
	for _, s := range slices.Concat(p.MCP, p.unused) {
		text = s.Hide(text)
	}
	return text
}
