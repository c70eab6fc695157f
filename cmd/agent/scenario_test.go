// This file generates handlers in both languages from one description, runs them, and checks the
// effects.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
)

// scenario is a run that fires an event, with a handler of the event that may return something.
type scenario struct {
	on      string         // the name of the event if it is not the row's, such as custom:note
	options map[string]any // of the handler
	returns map[string]any // what the handler returns; nil: it only observes
	body    body           // instead of returns, for computed values
	times   int            // how often the handler returns that; 0: always

	files map[string]string // other scripts, and files of the project (with a slash)
	extra body              // of a second script, x.lua or x.js
	grant string            // of both scripts
	args  []string          // flags
	user  *user             // nil: no user is available
	does  []any             // inputs (string) and other actions (func(*drive))
	sees  []string          // conditions at the end: see drive.check
}

// body is the same code in both languages.
type body struct{ lua, js string }

// of returns the code in a language.
func (b body) of(lang string) string {
	if lang == "lua" {
		return b.lua
	}
	return b.js
}

// languages are the endings of scripts.
var languages = []string{"lua", "js"}

// handler returns the source of a script that handles event as s says and logs it.
func (s *scenario) handler(lang, event string) string {
	if s.on != "" {
		event = s.on
	}
	answer := s.body.of(lang)
	if s.returns != nil {
		answer = "return " + literal(lang, s.returns)
	}
	options := s.options
	if options == nil {
		options = map[string]any{}
	}
	times := s.times
	if times == 0 {
		times = 1e6
	}
	register := fmt.Sprintf("ext.on(%q, %s, ", event, literal(lang, options))
	if event == "guard" {
		register = fmt.Sprintf("ext.guard(%s, ", literal(lang, options))
	}
	if lang == "lua" {
		return s.header("-- ") +
			fmt.Sprintf("local left = %d\n%sfunction(ev)\n  ext.log.info(\"event \" .. "+
				"ext.json.encode(ev))\n"+
				"  left = left - 1\n  if left < 0 then return end\n  %s\nend)\n", times, register,
				answer)
	}
	return s.header("// ") +
		fmt.Sprintf("let left = %d;\n%s(ev) => {\n  ext.log.info(\"event \" + "+
			"ext.json.encode(ev));\n"+
			"  left = left - 1;\n  if (left < 0) return;\n  %s\n});\n", times, register, answer)
}

func (s *scenario) header(comment string) string {
	if s.grant == "" {
		return ""
	}
	return comment + "==Agent==\n" + comment + "@grant " + s.grant + "\n" + comment + "==/Agent==\n"
}

// literal formats plain data as a literal of a language.
func literal(lang string, v any) string {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		parts := make([]string, len(keys))
		for i, k := range keys {
			if lang == "lua" {
				parts[i] = k + " = " + literal(lang, v[k])
			} else {
				parts[i] = k + ": " + literal(lang, v[k])
			}
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = literal(lang, e)
		}
		if lang == "lua" {
			return "ext.list{ " + strings.Join(parts, ", ") + " }"
		}
		return "[ " + strings.Join(parts, ", ") + " ]"
	}
	b, err := json.Marshal(v) // strings, numbers and booleans are written alike in both
	if err != nil {
		panic(err)
	}
	return string(b)
}

// run runs the program through the scenario, with a handler in the given language.
func (s *scenario) run(t testing.TB, lang, event string) *drive {
	t.Helper()
	files := map[string]string{}
	for name, text := range s.files {
		files[name] = text
	}
	files["h."+lang] = s.handler(lang, event)
	if x := s.extra.of(lang); x != "" {
		comment := map[string]string{"lua": "-- ", "js": "// "}[lang]
		files["x."+lang] = s.header(comment) + x
	}
	d := newDrive(t, files)
	if s.user != nil {
		d.user = &user{no: s.user.no}
	}
	d.open(s.args...)
	for _, step := range s.does {
		switch step := step.(type) {
		case string:
			d.input(step)
		case func(*drive):
			step(d)
		}
	}
	d.close()
	return d
}

// check checks one condition: WHERE: PATTERN, or -WHERE: PATTERN for a pattern that must not match.
// WHERE is one of
//
//	model    the requests to the model; model2: the second one
//	user     the output of -p
//	json     the lines of --json
//	file     the session files
//	asked    the user's dialogs
//	status   the status of the last prompt
//	resumed  the requests of a program that resumes the session
//	export   the session as Markdown
func (d *drive) check(line string) {
	d.t.Helper()
	m := checkLine.FindStringSubmatch(line)
	if m == nil {
		d.t.Fatalf("not a check: %s", line)
	}
	text := ""
	switch m[2] {
	case "model":
		requests := d.requests()
		if n, err := strconv.Atoi(m[3]); err == nil {
			if n > len(requests) {
				if m[1] == "" {
					d.t.Errorf("%s: there were %d requests", line, len(requests))
				}
				return
			}
			requests = requests[n-1 : n]
		}
		text = strings.Join(requests, "\n")
	case "user":
		text = d.out.String() + d.err.String()
	case "json":
		text = d.lines.String()
	case "file":
		text = d.sessions()
	case "asked":
		text = strings.Join(d.user.asked, "\n")
	case "status":
		text = string(d.end.Status)
	case "resumed":
		text = d.resumed()
	case "export":
		text = d.exported()
	}
	if found := regexp.MustCompile(m[4]).MatchString(text); found != (m[1] == "") {
		d.t.Errorf("%s: got\n%.6000s", line, text)
	}
}

var checkLine = regexp.MustCompile(
	`(?s)^(-?)(model|user|json|file|asked|status|resumed|export)(\d*): (.*)$`)

// resumed resumes the session in a new program, without scripts of the user, and returns the
// request to the model.
func (d *drive) resumed() string {
	again := &drive{t: d.t, ctx: d.ctx, home: d.home, dir: d.dir}
	before := len(d.requests())
	again.open("-c", "--no-scripts")
	again.input("and again")
	again.close()
	return strings.Join(d.requests()[before:], "\n") + "\n" + again.out.String() +
		again.lines.String()
}

// exported returns the output of agent session export for the last session.
func (d *drive) exported() string {
	var out, errs bytes.Buffer
	d.fired("session_start")
	ids := d.fired("session_start")
	f, err := parseFlags([]string{"session", "export", ids[len(ids)-1].Env().SessionID})
	if err != nil {
		d.t.Fatal(err)
	}
	if code := sessionCommand(f, place{home: d.home, dir: d.dir}, &out, &errs); code != exitOK {
		d.t.Errorf("agent session export: exit code %d: %s", code, errs.String())
	}
	return out.String()
}

// checkFields returns the fields of a logged event that do not match the event's row.
func checkFields(row *event.Row, ev map[string]any) (wrong []string) {
	payload := map[string]bool{} // payload fields that replace keys of the envelope
	for _, f := range row.Payload {
		payload[f.Name] = true
		v, there := ev[f.Name]
		typ, optional := strings.CutSuffix(f.Type, "?")
		switch {
		case !there && !optional:
			wrong = append(wrong, "no "+f.Name)
		case there && !hasType(typ, v):
			wrong = append(wrong, fmt.Sprintf("%s: got %v, want %s", f.Name, v, f.Type))
		case there && len(f.Values) > 0 && !contains(f.Values, v):
			wrong = append(wrong, fmt.Sprintf("%s: got %v, want one of %v", f.Name, v, f.Values))
		}
		delete(ev, f.Name)
	}
	for _, k := range event.EnvelopeKeys() {
		if _, there := ev[k]; !there && !payload[k] && !absent(row.Name, k) {
			wrong = append(wrong, "no "+k+" in the envelope")
		}
		delete(ev, k)
	}
	for k := range ev {
		wrong = append(wrong, "a field that is not in the table: "+k)
	}
	sort.Strings(wrong)
	return wrong
}

func hasType(types string, v any) bool {
	for _, typ := range strings.Split(types, "|") {
		ok := typ == "any"
		switch v := v.(type) {
		case string:
			ok = ok || typ == "string"
		case bool:
			ok = ok || typ == "boolean"
		case float64:
			ok = ok || typ == "number" || typ == "integer" && v == float64(int64(v))
		case []any:
			ok = ok || typ == "list" || typ == "table"
		case map[string]any:
			ok = ok || typ == "table"
		}
		if ok {
			return true
		}
	}
	return false
}

func contains(list []string, v any) bool {
	for _, s := range list {
		if s == v {
			return true
		}
	}
	return false
}

// absent reports whether a key of the envelope may be missing in an event: prompt_id and turn
// outside of prompts, and others before scripts are loaded.
func absent(event, key string) bool {
	switch key {
	case "prompt_id", "turn":
		return !ofTurn.MatchString(event)
	case "parent_agent_id":
		return true // the main agent has none
	case "model", "window", "cost":
		return strings.HasPrefix(event, "script_")
	}
	return false
}

// ofTurn matches the events that fire only in a turn.
var ofTurn = regexp.MustCompile(`^(turn_|llm_|message_|assistant_message|tool_[^a]|context$|guard)`)
