// This file reads the hooks of a settings file.

package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// settings are the hooks of a file.
type settings struct {
	*dialect
	about    string  // its description
	off      bool    // disableAllHooks
	inherent bool    // it asks for what the program does anyway
	hooks    []*hook // in the order of the file within each event
	// status is the command of statusLine; nil = none
	status *hook
	notes  []string
	unread []string // what else of the file is not used, for those who look at it
	// unsure: it may guard calls by what is not understood
	unsure bool
}

// hook is one handler of an event.
type hook struct {
	handler
	row     *row
	matcher *matcher
	rule    *rule // of if; nil = none
	line    int
	key     string // two hooks of an event with the same key are the same
	wrong   error  // why it cannot run
}

// handler has the fields of a handler. Others are for other programs.
type handler struct {
	kind    string  // type: command, http, mcp_tool, prompt, agent
	timeout float64 // seconds; 0 = that of the event

	command string   // command
	args    []string // if bare, command is a program with these arguments, not a command line
	bare    bool
	shell   string
	async   bool
	rewake  bool

	url     string // http
	headers message
	allowed []string // variables that headers may name

	input message // mcp_tool, whose command is the name of the tool

	prompt string // prompt, agent
	model  string

	// of docker-agent
	name    string
	env     message
	dir     string // working_dir; "" = that of the agent
	onError string // block, warn, ignore
	warns   bool   // a failure is only told, unless onError says otherwise or it guards
	strict  bool   // what is not understood in its answer is a failure
	builtin *builtin
	most    float64  // of max_iterations
	script  string   // of a builtin that is a command line, which gets args
	texts   []string // templates: prompt, or those of a builtin
	shape   string   // of the answer of a model
}

// label names a hook in messages.
func (h *hook) label() string {
	return "the " + h.row.name + " hook " +
		plain.Line(cmp.Or(h.name, strings.TrimSpace(h.command+" "+h.url+h.prompt)), 80)
}

// limit returns how long a hook may take.
func (h *hook) limit() time.Duration {
	switch {
	case h.timeout > 0:
		return time.Duration(h.timeout * float64(time.Second))
	case h.kind == "prompt":
		return promptLimit
	case h.kind == "agent":
		return agentLimit
	}
	return h.row.limit
}

// readSettings reads a file. Keys that it does not know are for others.
func readSettings(d *dialect, file string, src []byte) (settings, error) {
	s := settings{dialect: d}
	f := &fields{mistake: &mistake{}}
	src = plain.TrimBOM(src)
	if err := json.Unmarshal(src, &f.m); err != nil {
		return s, fmt.Errorf("not a valid %s: %w", file, plain.Wrap(err))
	}
	f.lines = linesOf(src)
	s.about = value.Text(f.m, "description")
	s.off = f.m["disableAllHooks"] == true
	if _, has := f.m["hooks"]; !has && plugin(file) {
		f.wrong("hooks", `it is missing: write {"hooks": {"PreToolUse": [...]}}`)
	}
	in := f.inner("hooks")
	for _, name := range value.SortedKeys(in.m) {
		s.readEvent(in, name)
	}
	s.readStatus(f)
	s.noteAnswers()
	for _, text := range []string{"permissions, whose rules go into [permissions] of config.toml",
		"env, whose variables can be set before the agent starts"} {
		if key, _, _ := strings.Cut(text, ","); f.m[key] != nil {
			s.unread = append(s.unread, text)
		}
	}
	return s, f.err
}

// readEvent reads the hooks of an event.
func (s *settings) readEvent(in *fields, name string) {
	row := s.row(name)
	switch {
	case row == nil:
		s.addNote(in.place + name + " is not an event" + suggest.DidYouMean(name, s.eventNames()))
		return
	case row.ours == "":
		s.addNote(in.place + name + " has no counterpart here, so its hooks never run")
		return
	}
	in.each(name, func(g *fields) {
		text := g.text("matcher")
		if row.about == "" {
			text = ""
		}
		m, err := newMatcher(text)
		if err != nil {
			g.wrong("matcher", err.Error())
			return
		}
		if own := m.misnamed(s.dialect, row); own != "" {
			s.addNote(fmt.Sprintf("%smatcher: %q matches nothing: hooks know this tool as %q",
				g.place, own, s.tools.names(own)[0]))
		}
		if _, has := g.m["hooks"]; !has && row.decides {
			g.wrong("hooks", "want a list of hooks: nothing guards without it")
		}
		g.each("hooks", func(f *fields) { s.readHook(f, row, m) })
	})
}

// noteAnswers says what of the answers of hooks has no counterpart, for those who look at the file.
func (s *settings) noteAnswers() {
	for _, note := range [][2]string{
		{"SessionStart",
			"watchPaths in answers of SessionStart, as FileChanged has no counterpart"},
		{"PermissionRequest", "updatedPermissions in answers of PermissionRequest, beyond " +
			"addRules with the behavior allow, which hold for the session"},
	} {
		if slices.ContainsFunc(s.hooks, func(h *hook) bool { return h.row.name == note[0] }) {
			s.unread = append(s.unread, note[1])
		}
	}
}

func (s *settings) addNote(text string) { s.notes = append(s.notes, text) }

// readHook reads a hook.
func (s *settings) readHook(f *fields, row *row, m *matcher) {
	place := strings.TrimSuffix(f.place, ".")
	key, _ := json.Marshal(f.m) // it was read from JSON
	h := &hook{row: row, matcher: m, line: f.lines[place], key: string(key)}
	s.hooks = append(s.hooks, h)
	h.timeout, h.rule, h.kind = f.seconds("timeout"), newRule(f.text("if")), f.text("type")
	async, rewake := f.flag("async"), f.flag("asyncRewake")
	switch h.kind {
	case "command":
		h.async, h.rewake = async, rewake // an answer of others is awaited
		h.command, h.bare, h.args = f.need("command"), f.m["args"] != nil, f.texts("args")
		h.shell = cmp.Or(f.text("shell"), "sh")
		if h.shell != "sh" && h.shell != "bash" {
			h.wrong = errors.New("the shell " + h.shell + " is not supported")
		}
	case "http":
		if h.url = f.text("url"); hostOf(h.url) == "" {
			f.wrong("url", "want an address: http:// or https://")
		}
		h.headers, h.allowed = f.table("headers"), f.texts("allowedEnvVars")
	case "mcp_tool":
		h.command = "mcp__" + f.need("server") + "__" + f.need("tool")
		h.input = f.table("input")
	case "prompt", "agent":
		h.prompt, h.model = f.need("prompt"), f.text("model")
	default:
		f.wrong("type", fmt.Sprintf("got %q, want command, http, mcp_tool, prompt or agent",
			h.kind))
	}
	if h.wrong != nil {
		what := ", so it never runs"
		if row.decides {
			what = ", so you are asked about each call that it may be about"
		}
		s.addNote(place + ": " + h.wrong.Error() + what)
	}
}

// need returns a text that must be there.
func (f *fields) need(name string) string {
	text := f.text(name)
	if strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0) {
		f.wrong(name, "want text, without NUL")
	}
	return text
}

// linesOf returns the lines of the values in a valid JSON text, by place: "hooks.Stop[0]".
func linesOf(src []byte) map[string]int {
	dec := json.NewDecoder(bytes.NewReader(src))
	lines := map[string]int{}
	at, line := 0, 1
	mark := func(place string) {
		end := int(dec.InputOffset())
		for end < len(src) && bytes.IndexByte([]byte(" \t\r\n,:"), src[end]) >= 0 {
			end++
		}
		line += bytes.Count(src[at:end], []byte("\n"))
		at = end
		lines[strings.TrimPrefix(place, ".")] = line
	}
	var walk func(place string, depth int)
	walk = func(place string, depth int) {
		t, err := dec.Token()
		open, is := t.(json.Delim)
		if err != nil || !is {
			return
		}
		for i := 0; dec.More(); i++ {
			inner := fmt.Sprintf("%s[%d]", place, i)
			if open == '{' {
				key, _ := dec.Token()
				inner = fmt.Sprintf("%s.%v", place, key)
			}
			if depth < deepest {
				mark(inner)
			}
			walk(inner, depth+1)
		}
		_, _ = dec.Token() // the end
	}
	walk("", 0)
	return lines
}

// deepest is how deep places are known: hooks.EVENT[0].hooks[0].command.
const deepest = 6
