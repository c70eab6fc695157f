// This file compares what scripts in the two languages see of the same run.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
)

// eventLogger returns a script that handles every event and logs it.
func eventLogger(lang string) string {
	var b strings.Builder
	for _, row := range spec.Events() {
		name := strings.Replace(row.Name, event.Custom, "custom:note", 1)
		register := fmt.Sprintf("ext.on(%q, ", name)
		if name == "guard" {
			register = "ext.guard("
		}
		if lang == "lua" {
			b.WriteString(register +
				`function(ev) ext.log.info("event " .. ext.json.encode(ev)) end)` + "\n")
		} else {
			b.WriteString(register + `(ev) => { ext.log.info("event " + ext.json.encode(ev)); });` +
				"\n")
		}
	}
	return b.String()
}

// watchedInputs are the inputs while the scripts watch. Each list is short enough for the scripts'
// logs.
var watchedInputs = map[string][]string{
	"calls": {plays("think hm | say first\\nand second | "+echo, "say ok"), "!echo from the user",
		"!!echo hidden", "/nope", "/set thinking high",
		plays(`call read {"path":"nowhere"} | call bush {} | call bash {"command":5}`, "say ok")},
	"requests": {plays("fail 529 overloaded",
		"warn careful | source https://example.org/a A page | say ok"),
		plays("fail 400 no such thing"), "/compact be brief", "one more"},
	"steering": {plays(`call poke {"text":"turn left","when":"steer"} | `+echo, "say turned"),
		plays(`call poke {"text":"and then","when":"next"}`, "say later")},
	"below": {plays(delegate, "say ok"), "/clear", "after"},
	"loop":  {repeated(echo, 5)},
}

// TestBothLanguagesSeeTheSame runs the same inputs with a script in each language and checks that
// the user's stream and the handlers get the same events.
func TestBothLanguagesSeeTheSame(t *testing.T) {
	t.Parallel()
	for name, inputs := range watchedInputs {
		t.Run(name, func(t *testing.T) {
			streams, seen := map[string][]string{}, map[string][]string{}
			for _, lang := range languages {
				streams[lang], seen[lang] = runWatched(t, lang, inputs)
			}
			compareEvents(t, "the user's stream", streams)
			compareEvents(t, "what handlers see", seen)
		})
	}
}

// runWatched runs inputs, and returns the events of the user's stream and those that the handlers
// saw.
func runWatched(t *testing.T, lang string, inputs []string) (stream, seen []string) {
	t.Helper()
	d := newDrive(t, map[string]string{"h." + lang: eventLogger(lang),
		"tools.lua": "-- ==Agent==\n-- @grant agent session\n-- ==/Agent==\n" + poke.lua + "\n" +
			settings.lua +
			"\next.on(\"agent_start\", function() ext.emit(\"custom:note\", { " +
			"n = 1, list = { 1, 2 " +
			"}, deep = { a = { b = ext.null } } }) ext.notify(\"psst\") ext.say(\"**so**\") end)"})
	d.open("--limit", "turns=4")
	d.input(inputs...)
	d.close()
	if _, err := os.Stat(filepath.Join(d.home, "logs", "h."+lang+".log.1")); err == nil {
		t.Error("too many inputs: the script's log may have lost events")
	}
	var lines []string
	for _, ev := range d.events {
		if b, err := json.Marshal(ev); err == nil {
			lines = append(lines, "event "+string(b))
		}
	}
	return normalizeEvents(d, lines, lang), normalizeEvents(d, d.logged("h."+lang), lang)
}

// anyNumber are the hooks that are called for each piece of a text.
var anyNumber = []string{"assistant_message", "message_delta", "tool_input_delta", "tool_output"}

// normalizeEvents returns a list of events without the values that differ from run to run, sorted
// by event name, because observers run concurrently with what they observe.
func normalizeEvents(d *drive, lines []string, lang string) []string {
	var out []string
	deltas := map[string]string{} // the sizes of the pieces depend on timing
	pieces := map[string]bool{}   // and so does their number
	for _, l := range lines {
		text, ok := strings.CutPrefix(l, "event ")
		if !ok {
			continue
		}
		var ev map[string]any
		if err := json.Unmarshal([]byte(text), &ev); err != nil {
			d.t.Fatalf("%v: %s", err, text)
		}
		names := strings.NewReplacer(d.home, "HOME", d.dir, "DIR", "h."+lang, "h")
		ev = normalizeValue(ev, names).(map[string]any)
		if ev["event"] == "subagent_event" { // the last request may be counted by then, or not yet
			delete(ev, "cost")
		}
		if delta, ok := ev["delta"].(string); ok {
			delete(ev, "delta")
			b, _ := json.Marshal(ev)
			deltas[string(b)] += delta
			continue
		}
		if ev["event"] == "assistant_message" && ev["final"] == false {
			continue // the final one has the whole text
		}
		// only a slow machine gives this warning, at any moment, and handlers hear it
		if text, _ := ev["message"].(string); strings.HasPrefix(text, "h is too slow") ||
			ev["hook"] == "notification" {
			continue
		}
		b, _ := json.Marshal(ev)
		if hook, _ := ev["hook"].(string); slices.Contains(anyNumber, hook) {
			if pieces[string(b)] {
				continue
			}
			pieces[string(b)] = true
		}
		out = append(out, fmt.Sprint(ev["event"], " ", string(b)))
	}
	for key, text := range deltas {
		out = append(out, "delta "+key+" "+text)
	}
	slices.Sort(out)
	return out
}

// normalizeValue returns a value without ids, times and paths.
func normalizeValue(v any, names *strings.Replacer) any {
	switch v := v.(type) {
	case string:
		return varying.ReplaceAllString(names.Replace(v), "ID")
	case []any:
		for i := range v {
			v[i] = normalizeValue(v[i], names)
		}
	case map[string]any:
		for k := range v {
			if slices.Contains([]string{"id", "time", "session_path", "duration_ms", "duration_us",
				"ms", "backoff_ms", "version"}, k) {
				delete(v, k)
				continue
			}
			v[k] = normalizeValue(v[k], names)
		}
	}
	return v
}

// varying matches ids: of entries and sessions, of calls, of agents.
var varying = regexp.MustCompile(`\b(call_|user_)?[0-9a-f]{8,32}(-\d+)?\b|\bev\d+\b`)

// compareEvents fails with the first lines that are in one list only.
func compareEvents(t *testing.T, what string, lists map[string][]string) {
	t.Helper()
	for _, pair := range [][2]string{{"lua", "js"}, {"js", "lua"}} {
		shown := 0
		rest := slices.Clone(lists[pair[1]])
		for _, l := range lists[pair[0]] {
			if i := slices.Index(rest, l); i >= 0 {
				rest = slices.Delete(rest, i, i+1)
			} else if shown++; shown <= 5 {
				t.Errorf("%s: only in %s: %.1500s", what, pair[0], l)
			}
		}
	}
	if len(lists["lua"]) < 50 {
		t.Errorf("%s: only %d events", what, len(lists["lua"]))
	}
}
