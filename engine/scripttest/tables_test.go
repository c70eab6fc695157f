// This file compares both languages with the tables of functions and events.

package scripttest_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

const (
	luaHeader = "-- ==Agent==\n-- @grant ui keys provider permission.allow agent session llm " +
		"tools:read exec:echo,sh env:EDITOR,GITHUB_TOKEN net:localhost fs.read:./** " +
		"fs.write:./**\n-- ==/Agent==\n"
	jsHeader = "// ==Agent==\n// @grant ui keys provider permission.allow agent session llm " +
		"tools:read exec:echo,sh env:EDITOR,GITHUB_TOKEN net:localhost fs.read:./** " +
		"fs.write:./**\n// ==/Agent==\n"
)

// scriptCase is a case in text.
func scriptCase(lua, js, input string) string {
	return fmt.Sprintf(
		"-- case.lua --\n%s%s\n-- case.js --\n%s%s\n-- project/notes.txt --\none\ntwo\n-- input "+
			"--\n%s\n", luaHeader, lua, jsHeader, js, input)
}

// used is the input for the examples of registrations. Lines that use what an example does not
// register have no effect.
const used = `list
guardcall bash {"command": "sudo ls"}
call shout {"text": "hi"}
command /greet you
mask it is sk-123
complete #1
press f9
emit tool_end {"call_id": "c", "tool": "bash", "kind": "execute", "read_only": false, "args": {}, "duration_ms": 1, "is_error": false}`

// shows returns a part of the expected output of the example of a registration.
var shows = map[string]string{
	"on": "log: info  bash", "guard": `"block":true,"reason":"no sudo"`, "tool": `"content":"HI"`,
	"command":    "case says: hello you",
	"render":     "render call of bash",
	"shortcut":   "shortcut ctrl+t: Runs the tests",
	"completion": `{"description":"crash at start","value":"#12"}`,
	"keys":       "> press f9\ntrue",
	"option":     "option most number = 5",
	"redact":     "it is [redacted:key]",
	"provider":   `chunk: {"text":"hi"}`,
	"test":       `{"trail":[]}`, // only agent ext test runs it: it registers nothing
}

// TestExamples runs the example of each API row in both languages, with equal results.
func TestExamples(t *testing.T) {
	t.Parallel()
	result := regexp.MustCompile(`^(?:local|const) (\w+) = `)
	for _, row := range spec.API() {
		t.Run(row.Name, func(t *testing.T) {
			if row.Loading {
				input := used
				if row.Name == "provider" {
					input += "\nstream echo hello"
				}
				out := kit().Output(t, scriptCase(row.Lua, row.JS, input))
				if want := shows[row.Name]; want == "" || !strings.Contains(out, want) {
					t.Errorf("got\n%s\nwant something with %q", out, want)
				}
				return
			}
			lua, js := row.Lua, row.JS
			l, j := result.FindStringSubmatch(lua), result.FindStringSubmatch(js)
			if row.Result == "function" { // the result is not data
				l, j = nil, nil
			} else if row.Result != "" && row.Result != "boolean" &&
				(l == nil || j == nil) { // an example may ignore a result that only reports success
				t.Fatal("an example of a function with a result keeps it: local v = ..., const v " +
					"= ...")
			}
			// the only fact that differs between languages
			if l != nil && j != nil && row.Name != "language" {
				lua += " ext.log.info(ext.json.encode(" + l[1] + "))"
				js += " ext.log.info(ext.json.encode(" + j[1] + "));"
			}
			out := kit().Output(t, scriptCase(
				"ext.command{ name = \"x\", run = function()\n"+lua+"\nend }",
				"ext.command({ name: \"x\", run: async () => {\n"+js+"\n} });",
				"confirm yes\nsay staging\ncommand /x"))
			if !strings.HasSuffix(out, `{"display":"","error":"","insert":"","prompt":""}`+"\n") {
				t.Errorf("got\n%s", out)
			}
		})
	}
}

// sample returns a value of a payload field's type.
func sample(f value.Field) any {
	if len(f.Values) > 0 {
		return f.Values[0]
	}
	switch f.Name {
	case "messages":
		return []any{map[string]any{"role": "user",
			"content": []any{map[string]any{"type": "text", "text": "z"}}}}
	case "tools":
		return []any{"read"}
	case "tool_calls":
		if f.Type == "list" {
			return []any{map[string]any{"tool": "read", "args": map[string]any{"a": 1.0}}}
		}
	case "model":
		return "some/model"
	}
	switch typ := strings.TrimSuffix(f.Type, "?"); typ {
	case "string":
		return "some " + f.Name
	case "boolean":
		return true
	case "number":
		return 1.5
	case "integer":
		return 3.0
	case "table":
		return map[string]any{"a": map[string]any{"b": []any{1.0, "x"}}}
	case "list":
		if f.Name == "images" {
			return []any{map[string]any{"type": "image", "mime_type": "image/png", "data": "aGk="}}
		}
		return []any{map[string]any{"c": 2.0}, "y"}
	case "any":
		return "anything"
	case "string|list":
		return []any{map[string]any{"type": "text", "text": "z"}}
	default:
		panic("no sample of type " + typ)
	}
}

// TestEvents fires each event of the table with each of its fields, and checks that scripts of both
// languages read the same values.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, row := range spec.Events() {
		t.Run(row.Name, func(t *testing.T) {
			fields := map[string]any{}
			for _, f := range row.Payload {
				fields[f.Name] = sample(f)
			}
			out := kit().Output(t, scriptCase(
				register(row.Name,
					"function(ev) local t = ext.copy(ev) t.id = nil t.time = nil "+
						"ext.log.info(ext.json.encode(t)) end"),
				register(row.Name,
					"(ev) => { const t = { ...ev }; delete t.id; delete t.time; "+
						"ext.log.info(JSON.stringify(sorted(t))); }")+
					"\nconst sorted = (v) => v && typeof v === \"object\" ? (Array.isArray(v) ? "+
					"v.map(sorted) : Object.fromEntries(Object.keys(v).sort().map((k) => [k, "+
					"sorted(v[k])]))) : v;",
				"emit "+row.Name+" "+toJSON(fields)))
			_, line, _ := strings.Cut(out, "log: info  ")
			line, _, _ = strings.Cut(line, "\n")
			var got map[string]any
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatalf("%v in %s", err, out)
			}
			// the payload of hook_finished has a field with the name of an envelope key
			_, own := fields["event"]
			if !own && got["event"] != row.Name || got["cwd"] != "/project" ||
				got["permission"] != "default" {
				t.Errorf("the envelope has changed: %s", line)
			}
			for name, want := range fields {
				if toJSON(got[name]) != toJSON(want) {
					t.Errorf("%s: got %s, want %s", name, toJSON(got[name]), toJSON(want))
				}
			}
		})
	}
}

// register registers fn for an event; the text is the same in both languages.
func register(event, fn string) string {
	if event == "guard" {
		return "ext.guard(" + fn + ")"
	}
	return fmt.Sprintf("ext.on(%q, %s)", event, fn)
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// verbs maps the outcome keys that are not payload fields to valid values.
var verbs = map[string]map[string]any{
	"block":   {"block": true, "reason": "because"},
	"ask":     {"ask": "sure?", "reason": "because", "detail": map[string]any{"a": 1.0}},
	"allow":   {"allow": true, "reason": "because"},
	"respond": {"respond": "an answer"},
	"handled": {"handled": true},
	"context": {"context": "a text"},
	"stop":    {"stop": true, "reason": "because"},
	"abort":   {"abort": "prompt"},

	"continue_with": {"continue_with": "more"},
	"summary":       {"summary": "in short"},
	"extend":        {"extend": 2.0},
}

// TestOutcomes returns each key from handlers of each event in both languages, and checks that the
// keys in the event's row are accepted and others are errors.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, v := range engine.Verbs() {
		// these are valid only with another key
		if verbs[v.Name] == nil && v.Name != "reason" && v.Name != "detail" && v.Name != "notify" {
			t.Errorf("there is no outcome with %s", v.Name)
		}
	}
	for _, row := range spec.Events() {
		// failures of their handlers are reported as notifications, because otherwise the handlers
		// would be called for their own failures
		if row.Name == "script_error" {
			continue
		}
		fired := map[string]any{}
		var keys []string
		for _, f := range row.Payload {
			keys = append(keys, f.Name)
			fired[f.Name] = sample(f)
		}
		for verb := range verbs {
			if !slices.Contains(keys, verb) {
				keys = append(keys, verb)
			}
		}
		sort.Strings(keys)
		for _, key := range keys {
			t.Run(row.Name+"/"+key, func(t *testing.T) {
				t.Parallel()
				testOutcome(t, row, key, fired)
			})
		}
	}
}

func testOutcome(t *testing.T, row event.Row, key string, fired map[string]any) {
	outcome, isVerb := verbs[key]
	if i := slices.IndexFunc(row.Payload,
		func(f value.Field) bool { return f.Name == key }); i >= 0 {
		outcome, isVerb = map[string]any{key: sample(row.Payload[i])}, false
	}
	permitted := slices.Contains(row.Returns, key)
	mark := func(comment string) string {
		if permitted {
			return ""
		}
		return comment + " ### only be observed|does not permit|cannot be changed|unknown key"
	}
	out := kit().Output(t, scriptCase(
		register(row.Name, "function() return "+luaValue(outcome)+" end")+mark(" --"),
		register(row.Name, "() => ("+toJSON(outcome)+")")+mark(" //"),
		"emit "+row.Name+" "+toJSON(fired)))
	if t.Failed() || !permitted {
		return
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var got map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if changed, _ := got["changed"].(map[string]any); isVerb && got[key] == nil || !isVerb &&
		toJSON(changed[key]) != toJSON(outcome[key]) {
		t.Errorf("got %s, want it to have %s", lines[len(lines)-1], toJSON(outcome))
	}
}

// luaValue formats v in Lua's syntax.
func luaValue(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var parts []string
		for _, k := range value.SortedKeys(v) {
			parts = append(parts, k+" = "+luaValue(v[k]))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, luaValue(e))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return toJSON(v)
}
