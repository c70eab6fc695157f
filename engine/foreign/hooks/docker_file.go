// This file reads the files of docker-agent.

package hooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/internal/yamltext"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/value"
)

// readDocker reads a file of docker-agent. Keys that it does not know are for others.
func readDocker(d *dialect, file string, src []byte) (settings, error) {
	s := settings{dialect: d}
	f := &fields{mistake: &mistake{lines: map[string]int{}}}
	v, err := yamltext.Decode(string(src), func(place string, line int) { f.lines[place] = line })
	if err != nil {
		if strings.Contains(file, "*") {
			file = "file of " + path.Base(path.Dir(file))
		}
		return s, fmt.Errorf("not a valid %s: %s", file, plain.YAML(err.Error()))
	}
	if f.m, _ = v.(message); f.m == nil && v != nil {
		f.wrong("", "it is not a table")
	}
	switch {
	case strings.Contains(file, "*"):
		s.readTable(f)
	case strings.HasSuffix(file, "/config.yaml"): // the user's settings
		s.readTable(f.inner("settings").inner("hooks"))
	default:
		s.readTable(f.inner("hooks"))
		s.readAgents(f)
	}
	if s.off = f.err == nil && len(s.hooks) == 0; s.off && !s.inherent {
		s.addNote("it has no hooks that run here: nothing of it is used")
	}
	return s, f.err
}

// readAgents reads the hooks of the agent that the user talks with.
func (s *settings) readAgents(f *fields) {
	agents := f.inner("agents")
	main := ""
	for name := range agents.m {
		if name == "root" || main == "" || main != "root" &&
			agents.line(agents.place+name) < agents.line(agents.place+main) {
			main = name
		}
	}
	for _, name := range value.SortedKeys(agents.m) {
		agent := agents.inner(name)
		if name != main {
			if agent.m["hooks"] != nil {
				s.addNote(agent.place + "hooks are not used: those of the agent " + main + " are")
			}
			continue
		}
		s.about = agent.text("description")
		s.readTable(agent.inner("hooks"))
		for _, flag := range flags {
			if v := agent.m[flag[0]]; v != nil && v != false {
				args, _ := v.([]any) // others are not lists
				agent.m = object("type", "builtin", "command", flag[0], "args", args)
				s.readDockerHook(agent, s.row(flag[1]), &matcher{})
				agent.m = agents.table(name)
			}
		}
	}
}

// unknown reports a value that is not one of those that are known; "" = the name of the field.
func (f *fields) unknown(name, v string, known []string) {
	f.wrong(name, fmt.Sprintf("%q is not known%s", cmp.Or(v, name), suggest.DidYouMean(cmp.Or(v,
		name), known)))
}

// choice returns a text that is one of a few.
func (f *fields) choice(name string, known ...string) string {
	text := f.text(name)
	if !slices.Contains(known, text) {
		f.wrong(name, fmt.Sprintf("got %q, want %s", text, strings.Join(known, ", ")))
	}
	return text
}

// flags are the keys of an agent that stand for builtins, and their events.
var flags = [][2]string{{"add_date", "turn_start"}, {"add_environment_info", "session_start"},
	{"redact_secrets", "tool_input_transform"}, {"add_prompt_files", "turn_start"}}

// readTable reads the hooks of all events.
func (s *settings) readTable(in *fields) {
	for _, name := range value.SortedKeys(in.m) {
		row := s.row(name)
		if row == nil {
			s.unsure = true
			in.unknown(name, "", s.eventNames())
			continue
		}
		if row.ours == "" {
			s.addNote(in.place + name + " has no counterpart here, so its hooks never run")
			continue
		}
		if one, single := in.m[name].(message); single {
			in.m[name] = []any{one}
		}
		in.each(name, func(g *fields) {
			if row.about == "" {
				s.readDockerHook(g, row, &matcher{})
				return
			}
			m, err := newGoMatcher(g.text("matcher"))
			if err != nil {
				g.wrong("matcher", err.Error())
				return
			}
			if own := m.misnamed(s.dialect, row); own != "" {
				s.addNote(fmt.Sprintf("%smatcher: %q matches nothing: hooks know this tool as %q",
					g.place, own, s.tools.names(own)[0]))
			}
			if _, has := g.m["hooks"]; !has {
				g.wrong("hooks", "want a list of hooks: nothing runs without it")
			}
			g.each("hooks", func(f *fields) { s.readDockerHook(f, row, m) })
		})
	}
}

// readDockerHook reads a hook.
func (s *settings) readDockerHook(f *fields, row *row, m *matcher) {
	key, _ := json.Marshal(f.m) // it is plain data
	h := &hook{row: row, matcher: m, line: f.line(f.place), key: string(key)}
	h.kind = f.choice("type", "command", "builtin", "model")
	h.name, h.command, h.args = f.text("name"), f.text("command"), f.strings("args")
	h.env, h.dir, h.strict, h.shell = f.table("env"), f.text("working_dir"),
		f.flag("strict_output"), "sh"
	h.warns, h.timeout = true, cmp.Or(f.seconds("timeout"), dockerLimit.Seconds())
	h.onError = f.choice("on_error", "warn", "ignore", "block", "")
	for name := range h.env {
		f.inner("env").text(name)
	}
	switch h.kind {
	case "command":
		h.command, h.args = f.need("command"), nil
	case "builtin":
		if !h.readBuiltin(f, s) {
			return
		}
	case "model":
		h.readModel(f)
	}
	s.hooks = append(s.hooks, h)
}

// readModel reads a hook of the type model.
func (h *hook) readModel(f *fields) {
	h.prompt, h.model, h.shape = f.need("prompt"), f.text("model"), f.choice("schema", judged, "")
	h.addTexts(f, "prompt", []string{h.prompt})
	if h.shape == judged && !h.row.decides {
		f.wrong("schema", judged+" has no effect on "+h.row.name)
	}
}

// addTexts adds templates.
func (h *hook) addTexts(f *fields, name string, texts []string) {
	h.texts = texts
	for _, text := range texts {
		if _, err := fill(text, nil); err != nil {
			f.wrong(name, err.Error())
		}
	}
}

// filled returns the texts of a hook with what it reads.
func (h *hook) filled(in message) string {
	text, _ := fill(strings.Join(h.texts, "\n"), in) // they are valid
	return text
}

// strings returns a list of texts, and of other values as they are written.
func (f *fields) strings(name string) (texts []string) {
	for _, v := range f.list(name) {
		texts = append(texts, fmt.Sprint(v))
	}
	return texts
}

// seconds returns a number of seconds; 0 = absent.
func (f *fields) seconds(name string) float64 {
	n, _ := f.typed(name, "number").(float64)
	if f.m[name] != nil && !(n > 0 && n < 1e6) {
		f.wrong(name, "want seconds, more than 0")
	}
	return n
}
