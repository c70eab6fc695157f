// This file reads [mcp.NAME]: MCP servers whose tools the agent may call.

package config

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/value"
)

// MCPServer is a server that is either started (Command) or reached (URL).
type MCPServer struct {
	Name    string
	Project bool // from a file of the project, not the user's
	Expands bool // ${VAR} in its texts names a variable of the environment: see Expanded

	Command string
	Args    []string
	Env     map[string]string
	EnvFrom []string // variables of the agent's environment that are passed on
	CWD     string   // relative to the project root; "" = the project root

	URL     string
	Headers map[string]string
	// variable of the agent's environment with a token for the Authorization header
	BearerEnv string

	Disabled bool
	// it runs outside of the sandbox; only the user's own config can set it
	Unconfined bool
	Tools      []string // globs: the tools that are offered; nil = all
	// globs: the read-only tools; the server's own claims do not count
	ReadOnly       []string
	Timeout        time.Duration
	StartupTimeout time.Duration
}

const (
	// mcpTimeout is the default time limit of a call: the same as for a shell command.
	mcpTimeout = 120 * time.Second
	// mcpStartup is the time limit for a server to start and list its tools: long enough for a
	// package runner to look for a new version.
	mcpStartup = 10 * time.Second
	// mcpLongest is the maximum of both: users do not wait longer.
	mcpLongest = time.Hour
)

var mcpFields = []value.Field{{Name: "command", Type: "string?"}, {Name: "args", Type: "list?"},
	{Name: "env", Type: "table?"},
	{Name: "env_from", Type: "list?"}, {Name: "cwd", Type: "string?"},
	{Name: "url", Type: "string?"}, {Name: "headers", Type: "table?"},
	{Name: "bearer_env", Type: "string?"}, {Name: "enabled", Type: "boolean?"},
	{Name: "sandbox", Type: "boolean?"},
	{Name: "tools", Type: "list?"}, {Name: "read_only", Type: "list?"},
	{Name: "timeout", Type: "number?"}, {Name: "startup_timeout", Type: "number?"}}

// ofCommand and ofURL are the keys that apply to only one of the two.
var (
	ofCommand = []string{"args", "env", "env_from", "cwd", "sandbox"}
	ofURL     = []string{"headers", "bearer_env"}
)

// NewMCPServer returns a server with the default time limits, for settings from another source.
func NewMCPServer(name string) MCPServer {
	return MCPServer{Name: name, Timeout: mcpTimeout, StartupTimeout: mcpStartup}
}

// setMCP reads the servers. It drops one with a mistake, which might start with wrong arguments or
// offer tools that it must not.
func (r *reader) setMCP(v any) {
	all := r.table("mcp", v,
		"[mcp.NAME] and below it command = \"program\" or url = \"https://...\"")
	for _, name := range value.SortedKeys(all) {
		before := len(r.warnings)
		s := r.mcpServer(name, all[name])
		if strings.TrimSpace(name) == "" {
			r.warn([]string{"mcp", name}, "mcp: a server needs a name: [mcp.NAME]")
		}
		if n := len(r.warnings); n > before {
			r.warnings[n-1].Message += "; this server is not used"
			r.unused = append(r.unused, s)
			continue
		}
		r.MCP = append(r.MCP, s)
	}
}

func (r *reader) mcpServer(name string, v any) MCPServer {
	at := []string{"mcp", name}
	m, ok := r.fields(at, v, mcpFields)
	if !ok {
		return MCPServer{}
	}
	key := func(k string) []string { return append(slices.Clip(at), k) }
	s := MCPServer{Name: name, Command: value.Text(m, "command"), CWD: value.Text(m, "cwd"),
		URL: value.Text(m, "url"), Disabled: m["enabled"] == false,
		Unconfined: m["sandbox"] == false}
	s.BearerEnv = r.keyVariable(key("bearer_env"), value.Text(m, "bearer_env"))
	s.Args, s.EnvFrom = r.texts(key("args"), m["args"]), r.texts(key("env_from"), m["env_from"])
	s.Env, s.Headers = r.textTable(key("env"), m["env"]), r.textTable(key("headers"), m["headers"])
	s.Tools, s.ReadOnly = r.globs(key("tools"), m["tools"]),
		r.globs(key("read_only"), m["read_only"])
	s.Timeout, s.StartupTimeout = r.seconds(key("timeout"), m["timeout"], mcpTimeout),
		r.seconds(key("startup_timeout"), m["startup_timeout"], mcpStartup)
	r.checkMCP(at, m, s)
	return s
}

// checkMCP reports keys that do not fit together.
func (r *reader) checkMCP(at []string, m map[string]any, s MCPServer) {
	name := strings.Join(at, ".")
	stray, what := ofURL, "command"
	switch {
	// with a line end in it, it could pass for other lines of a list that the user reviews
	case strings.ContainsFunc(at[1], func(c rune) bool { return !strconv.IsPrint(c) }):
		r.warn(at, "mcp: the name %.100q has characters that cannot be shown: rename the server",
			at[1])
		return
	case s.Command == "" && s.URL == "":
		r.warn(at, "%s: command or url is missing", name)
		return
	case s.Command != "" && s.URL != "":
		r.warn(at, "%s: got command and url, want one of them", name)
	case s.URL != "":
		stray, what = ofCommand, "url"
		if r.lines != nil && strings.Contains(s.URL, "${") { // known when it is expanded
			break
		}
		if u, err := url.Parse(s.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" ||
			u.Host == "" {
			r.warn(append(slices.Clip(at), "url"),
				"%s: url: got %q, want http://... or https://...", name, s.Hide(s.URL))
		}
	}
	for _, k := range stray {
		if m[k] != nil {
			r.warn(append(slices.Clip(at), k), "%s: %s makes no sense with %s", name, k, what)
		}
	}
	for _, k := range append(slices.Sorted(maps.Keys(s.Env)), s.EnvFrom...) {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(s.Env[k], "\x00") {
			r.warn(append(slices.Clip(at), "env"),
				"%s: %q is no name and value of an environment variable", name, k)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(s.Headers)) {
		if v := s.Headers[k]; k == "" || strings.ContainsAny(k, " :\r\n\t") ||
			strings.ContainsAny(v, "\r\n") {
			r.warn(append(slices.Clip(at), "headers"),
				"%s: headers: %q is no name and value of a header", name, k)
		}
	}
}

// textTable returns the strings of a table; it warns of other values.
func (r *reader) textTable(at []string, v any) map[string]string {
	t, _ := v.(map[string]any)
	out := map[string]string{}
	for _, k := range value.SortedKeys(t) {
		s, ok := t[k].(string)
		if !ok {
			r.warn(at, "%s: %s: got %s, want a string", strings.Join(at, "."), k,
				value.TypeName(t[k]))
			continue
		}
		out[k] = s
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// globs returns patterns for names; it warns of invalid ones.
func (r *reader) globs(at []string, v any) []string {
	list := r.texts(at, v)
	for _, g := range list {
		if _, err := path.Match(g, ""); err != nil {
			r.warn(at, "%s: %q: %v", strings.Join(at, "."), g, err)
		}
	}
	if list == nil && v != nil {
		list = []string{} // an empty list does not mean all
	}
	return list
}

// seconds returns a duration, or absent if there is none.
func (r *reader) seconds(at []string, v any, absent time.Duration) time.Duration {
	n, ok := value.Number(v)
	switch {
	case !ok:
		return absent
	case !(n > 0) || n > mcpLongest.Seconds():
		r.warn(at, "%s: got %v, want seconds, more than 0 and at most %v", strings.Join(at, "."), n,
			mcpLongest.Seconds())
		return absent
	}
	return time.Duration(n * float64(time.Second))
}

// Lines describes the server for the user: the whole command line or address, its directory and its
// variables. It escapes invisible characters and those that change the direction of text, and hides
// keys.
func (s MCPServer) Lines() []string {
	s = s.each(s.Hide)
	if s.URL != "" {
		lines := []string{shown(s.URL)}
		for _, k := range slices.Sorted(maps.Keys(s.Headers)) {
			lines = append(lines, "header "+shown(k)+": "+shown(s.Headers[k]))
		}
		if s.BearerEnv != "" {
			lines = append(lines, "is sent "+shown(s.BearerEnv)+" of your environment")
		}
		return lines
	}
	words := []string{shown(s.Command)}
	for _, a := range s.Args {
		words = append(words, shown(a))
	}
	lines := []string{strings.Join(words, " ")}
	if s.CWD != "" {
		lines = append(lines, "runs in "+shown(s.CWD))
	}
	for _, k := range slices.Sorted(maps.Keys(s.Env)) {
		lines = append(lines, fmt.Sprintf("with %s=%s", shown(k), shown(s.Env[k])))
	}
	for _, k := range s.EnvFrom {
		lines = append(lines, "gets "+shown(k)+" of your environment")
	}
	return lines
}

// shown returns text unchanged if it is one plain word, else quoted and escaped.
func shown(s string) string {
	for _, r := range s {
		if r <= ' ' || r == '"' || r == '\\' || r == '`' || !strconv.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}
