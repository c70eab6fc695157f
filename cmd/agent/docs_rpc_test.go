// This file checks docs/rpc.md against the code, and runs its examples.

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/rpc"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/value"
)

const rpcDocs = "../../docs/rpc.md"

func TestRPCDocs(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	section := func(name, doc string, parts map[string][]value.Field) {
		fmt.Fprintf(&b, "### %s\n%s\n\n", name, spec.Wrapped(doc))
		for _, title := range []string{"parameter", "result"} {
			if fields := parts[title]; len(fields) > 0 {
				fmt.Fprintf(&b, "| %s | type | what |\n|---|---|---|\n%s\n", title,
					fieldRows(fields, ""))
			}
		}
	}
	for _, m := range rpc.Methods() {
		section(m.Name, m.Doc, map[string][]value.Field{"parameter": m.Params, "result": m.Result})
	}
	checkSection(t, rpcDocs, "methods", b.String())
	b.Reset()
	for _, n := range rpc.Notifications() {
		section(n.Name, n.Doc, map[string][]value.Field{"parameter": n.Params})
	}
	checkSection(t, rpcDocs, "notifications", b.String())
}

// TestRPCExample runs the conversation of the documentation.
func TestRPCExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(rpcDocs)
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "<!-- example -->")
	example, _, _ = strings.Cut(example, "<!-- end -->")
	c := newClient(t, nil)
	c.open()
	names, lines := map[string]string{}, 0
	for line := range strings.Lines(example) {
		line = strings.TrimSpace(line)
		switch dir, text, _ := strings.Cut(line, " "); dir {
		case "-->":
			for name, id := range names {
				text = strings.ReplaceAll(text, name, id)
			}
			c.line(text)
			lines++
		case "<--":
			var want map[string]any
			if err := json.Unmarshal([]byte(strings.ReplaceAll(text, ", ...}", "}")),
				&want); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			c.wait(line, func(m message) bool {
				found := maps.Clone(names)
				ok := covers(want, map[string]any(m), found)
				if ok {
					maps.Copy(names, found)
				}
				return ok
			})
			lines++
		}
	}
	if lines < 10 {
		t.Errorf("the example has %d messages", lines)
	}
	c.waitExit(exitOK)
}

// covers reports whether got contains everything in want. A text that begins with $ stands for any
// value, the same wherever it occurs.
func covers(want, got any, names map[string]string) bool {
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		for k, v := range want {
			ok = ok && covers(v, m[k], names)
		}
		return ok
	case string:
		text, ok := got.(string)
		if ok && strings.HasPrefix(want, "$") {
			if names[want] == "" {
				names[want] = text
			}
			return names[want] == text
		}
	}
	return reflect.DeepEqual(want, got)
}

// TestRPCShellExample compares the example for a shell with the one that testscript runs.
func TestRPCShellExample(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(rpcDocs)
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/script/rpc.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, example, ok := strings.Cut(string(text), "agent rpc --yolo <<'END'\n")
	example, _, closed := strings.Cut(example, "END\n")
	if _, tested, _ := strings.Cut(string(script), "-- example --\n"); !ok || !closed ||
		!strings.HasPrefix(tested, example) {
		t.Errorf("%s shows\n%s\nwhich no test runs", rpcDocs, example)
	}
}
