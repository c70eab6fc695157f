// This file tests that a script gets all events in the order of the stream, whatever the kind of
// its handlers.

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

// orderKeys are the payload fields that distinguish events of the same name.
var orderKeys = []string{"call_id", "message_id", "kind", "final", "hook", "script", "cause",
	"state", "calls", "count"}

// listensToAll returns a script that listens to every event of the table except those in without,
// as an observer, an interceptor or a guard, and logs each event when it arrives.
func listensToAll(lang string, without ...string) string {
	var b strings.Builder
	for _, row := range spec.Events() {
		name := row.Name
		if slices.Contains(without, name) {
			continue
		}
		if name == "custom:NAME" {
			name = "custom:note"
		}
		fields := map[string]string{"event": "ev.event", "agent": "ev.agent_id", "turn": "ev.turn"}
		for _, key := range orderKeys {
			if slices.ContainsFunc(row.Payload,
				func(f value.Field) bool { return f.Name == key }) {
				fields[key] = "ev." + key
			}
		}
		var pairs []string
		for key, value := range fields {
			pairs = append(pairs, map[string]string{"lua": key + " = " + value,
				"js": key + ": " + value}[lang])
		}
		register := fmt.Sprintf("ext.on(%q, ", name)
		if name == "guard" {
			register = "ext.guard("
		}
		if lang == "lua" {
			fmt.Fprintf(&b, "%sfunction(ev) ext.log.info('heard ' .. ext.json.encode{ %s }) end)\n",
				register, strings.Join(pairs, ", "))
		} else {
			fmt.Fprintf(&b, "%s(ev) => { ext.log.info('heard ' + ext.json.encode({ %s })); });\n",
				register, strings.Join(pairs, ", "))
		}
	}
	return b.String()
}

// orderKey returns an event in the form in which the order test compares it.
func orderKey(get func(key string) any) string {
	parts := []string{fmt.Sprint(get("event")), fmt.Sprint("agent=", get("agent"), " turn=",
		get("turn"))}
	for _, key := range orderKeys {
		if v := get(key); v != nil {
			parts = append(parts, fmt.Sprintf("%s=%v", key, v))
		}
	}
	return strings.Join(parts, " ")
}

// concurrent are the events that have no fixed place among the others: a notification is shown when
// its handlers have answered, and nothing waits for them; hook_finished fires whenever a handler
// has finished; and background work may fail at any time, as may a handler on a busy machine.
var concurrent = []string{"notification", "hook_finished", "error", "script_error"}

// piece reports whether an event is a piece of a streamed text. If a script may rewrite the text,
// the user sees the pieces after they were checked, and scripts get them earlier.
func piece(get func(key string) any) bool {
	switch get("event") {
	case "assistant_message":
		return get("final") == false
	case "subagent_event":
		return get("kind") == "text" || get("kind") == "reasoning"
	}
	return get("event") == "message_delta"
}

func TestScriptsHearEventsInTheOrderOfTheStream(t *testing.T) {
	t.Parallel()
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) { compareOrder(t, lang, piece) })
		t.Run(lang+"/pieces", func(t *testing.T) {
			compareOrder(t, lang, func(func(string) any) bool { return false }, "assistant_message")
		})
	}
}

// compareOrder runs the program with a script that listens to all events except those in without,
// and compares the events that it got with the stream. It ignores the events for which skip returns
// true.
func compareOrder(t *testing.T, lang string, skip func(get func(key string) any) bool,
	without ...string) {
	sub := `call agent {"task":"play\ncall bash {\"command\":\"echo below\"}\nsay done below"}`
	d := newDrive(t, map[string]string{"all." + lang: listensToAll(lang, without...),
		"x." + lang: poke.of(lang), "src/a.txt": "text\n"})
	d.user = &user{}
	d.open()
	d.input(plays("think hm | "+echo+` | call read {"path":"src/a.txt"}`,
		`call write {"path":"b.txt","content":"b\n"} | call poke {"text":"turn `+
			`left","when":"steer"}`,
		sub, "fail 529 overloaded", `say one line\nand another`))
	d.input("!echo by the user", plays(echo, "say ok"), "/compact", "/nope", "hello")
	d.close()
	skips := func(get func(key string) any) bool {
		event := get("event").(string)
		// the stream has no guard events
		return skip(get) || event == "guard" || slices.Contains(concurrent, event)
	}
	var heard, stream []string
	for _, l := range d.logged("all." + lang) {
		var m map[string]any
		text, ok := strings.CutPrefix(l, "heard ")
		if !ok || json.Unmarshal([]byte(text), &m) != nil {
			t.Fatalf("the script wrote %q", l)
		}
		if get := func(key string) any { return m[key] }; !skips(get) {
			heard = append(heard, orderKey(get))
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ev := range d.events {
		get := func(key string) any {
			if key == "agent" {
				key = "agent_id"
			}
			v, ok := ev.Get(key)
			switch n, number := value.Number(v); {
			case !ok:
				return nil
			case number:
				return n
			}
			return v
		}
		if !skips(get) && !slices.Contains(without, ev.Name()) {
			stream = append(stream, orderKey(get))
		}
	}
	sameOrder(t, heard, stream)
}

// sameOrder compares the events that were heard with the stream, which may hold more: the events
// before the script was loaded and after it was removed.
func sameOrder(t *testing.T, heard, stream []string) {
	t.Helper()
	if len(heard) < 100 {
		t.Fatalf("only %d events were heard", len(heard))
	}
	if i := slices.Index(stream, heard[0]); i >= 0 {
		stream = stream[i:]
	}
	for i := range min(len(heard), len(stream)) {
		if heard[i] != stream[i] {
			from := max(0, i-4)
			t.Fatalf("event %d: heard\n\t%s\nthe stream has\n\t%s", i,
				strings.Join(heard[from:min(i+6, len(heard))], "\n\t"),
				strings.Join(stream[from:min(i+6, len(stream))], "\n\t"))
		}
	}
	if len(heard) != len(stream) {
		t.Errorf("%d events were heard, the stream has %d: %q %q", len(heard), len(stream),
			heard[min(len(heard), len(stream)):], stream[min(len(heard), len(stream)):])
	}
}
