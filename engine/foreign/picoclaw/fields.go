// This file builds what a process gets from the fields of events, and finds what it has changed.

package picoclaw

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/value"
)

// fields describes an object for a process: KEY=SOURCE, separated by spaces. A source is
//
//	'TEXT    the text, a constant
//	NAME     the field of the event; "" if it is absent
//	+NAME    the number; 0 if it is absent
//	?NAME    whether the text is not empty
//	#NAME    the length of the text or the list
//	~NAME    the field, which is in milliseconds, in nanoseconds
//
// It is data because there are many: functions for all would take 30 KB.
type fields string

// meta are the fields of meta besides Source.
const meta fields = "AgentID=agent_id TurnID=prompt_id ParentTurnID=parent_agent_id " +
	"SessionKey=session_id Iteration=+turn TracePath='runTurn"

// The fields that say where something happens. Values that picoclaw has, and this program has not,
// are constants.
const (
	common  fields = "channel='cli chat_id=session_id"
	inbound fields = common + " chat_type='direct sender_id='user message_id=prompt_id"
	route   fields = "agent_id=agent_id channel='cli"
	scope   fields = common + " chat_type='direct sender_id='user agent_id=agent_id " +
		"session_key=session_id turn_id=prompt_id"
	source fields = "component='agent name=agent"
)

// each calls do for each field.
func (f fields) each(do func(key, source string)) {
	for _, field := range strings.Fields(string(f)) {
		key, source, _ := strings.Cut(field, "=")
		do(key, source)
	}
}

// of returns the object for an event, as plain data.
func (f fields) of(ev *event.Event) (map[string]any, error) {
	out := map[string]any{}
	var failed error
	f.each(func(key, source string) {
		v, err := readSource(ev, source)
		if err != nil {
			failed = err
		}
		out[key] = v
	})
	return out, failed
}

// readSource returns what a source says.
func readSource(ev *event.Event, source string) (any, error) {
	name := source[1:]
	switch source[0] {
	case '\'':
		return name, nil
	case '?':
		return ev.Text(name) != "", nil
	case '+', '~':
		n, _ := value.Number(ev.Field(name))
		if source[0] == '~' {
			return int64(n * float64(time.Millisecond)), nil
		}
		return n, nil
	case '#':
		switch v := ev.Field(name).(type) {
		case string:
			return len(v), nil
		case interface{ Len() int }:
			return v.Len(), nil
		case []any:
			return len(v), nil
		}
		return 0, nil
	}
	v := ev.Field(source)
	if v == nil {
		v = ""
	}
	return value.Plain(v)
}

// describe adds to the parameters of a request what all stages have.
func describe(ev *event.Event, stage string, params map[string]any) {
	of := func(f fields) map[string]any {
		m, _ := f.of(ev) // texts and numbers
		return m
	}
	about := of(meta)
	about["Source"] = sources[stage]
	params["meta"], params["channel"], params["chat_id"] = about, "cli", ev.Text("session_id")
	params["context"] = map[string]any{"inbound": of(inbound), "route": of(route),
		"scope": of(route)}
}

// sources are meta.Source at each stage.
var sources = map[string]string{"before_llm": "turn.llm.request", "after_llm": "turn.llm.response",
	"before_tool": "turn.tool.before", "after_tool": "turn.tool.after",
	"approve_tool": "turn.tool.approve"}

// changed adds to out, by our names, the fields that differ in what came back from a process: what
// it leaves out stays. renamed has KEY=OURS.
func changed(out, sent, back map[string]any, renamed fields) {
	renamed.each(func(key, ours string) {
		if v := back[key]; v != nil && !equal(v, sent[key]) {
			out[ours] = v
		}
	})
}

// encode returns the line of a message.
func encode(m any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(m) // ends the line
	return out.Bytes(), err
}

// equal reports whether plain data have the same content.
func equal(a, b any) bool {
	x, errX := encode(a)
	y, errY := encode(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// table returns a value that is an object, otherwise nil.
func table(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// outcome returns what a handler returns for its changes: nil if there are none.
func outcome(changes map[string]any) (any, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	return changes, nil
}
