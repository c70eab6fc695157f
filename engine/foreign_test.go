package engine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// TestForeignNames compares the table of other hosts' names with our tables: our names must exist,
// and a name that is valid here is not foreign.
func TestForeignNames(t *testing.T) {
	t.Parallel()
	ours := map[suggest.ForeignKind][]string{suggest.ForeignArg: {"path", "content", "command",
		"edits", "old", "new", "all",
		"background", "pattern", "task", "agent", "cwd", "glob", "ignore_case", "name", "url"},
		suggest.ForeignTool: {"bash", "read", "write", "edit", "grep", "glob", "ls", "fetch",
			"agent", "job", "skill"}}
	add := func(kind suggest.ForeignKind, names ...string) {
		ours[kind] = append(ours[kind],
			names...)
	}
	add(suggest.ForeignField, event.EnvelopeKeys()...)
	for _, row := range spec.Events() {
		add(suggest.ForeignEvent, row.Name)
		add(suggest.ForeignReturn, engine.OutcomeKeys(&row)...)
		for _, f := range row.Payload {
			add(suggest.ForeignField, f.Name)
		}
	}
	for _, f := range spec.Call() {
		add(suggest.ForeignCall, f.Name)
	}
	for _, row := range spec.API() {
		add(suggest.ForeignFunction, row.Name, row.Name[strings.LastIndexByte(row.Name, '.')+1:])
		for _, p := range row.Params {
			for _, f := range p.Fields {
				add(suggest.ForeignKey, f.Name)
			}
		}
	}
	for _, f := range suggest.ForeignNames() {
		if f.From == "" || f.Name == "" || (len(f.Ours) == 0) == (f.Note == "") {
			t.Errorf("%+v: want a name, who has it, and either our names or a note", f)
		}
		for _, name := range f.Ours {
			if !slices.Contains(ours[f.Kind], name) {
				t.Errorf("%s %s: there is no %q", f.Kind, f.Name, name)
			}
		}
		hint := suggest.ForeignHint(f.Kind, f.Name, ours[f.Kind])
		if hint == "" {
			t.Errorf("%s %s: no hint", f.Kind, f.Name)
		}
	}
}

func TestInsteadOf(t *testing.T) {
	t.Parallel()
	var names []string
	for _, row := range spec.API() {
		names = append(names, row.Name)
	}
	for _, x := range []struct{ group, got, want string }{
		{"", "registerTool", `; did you mean "tool"?`},
		{"", "setStatus", `; did you mean "ext.ui.status"?`},
		{"ui", "setStatus", `; did you mean "status"?`},
		{"ui", "notify", `; did you mean "ext.notify"?`},
		{"", "tol", `; did you mean "tool"?`},
		{"", "unregisterProvider", "; a reload replaces all that a script registered"},
		{"", "zzzzzz", ""},
	} {
		if got := suggest.InsteadOf(names, x.group, x.got); got != x.want {
			t.Errorf("%s.%s: got %q, want %q", x.group, x.got, got, x.want)
		}
	}
}
