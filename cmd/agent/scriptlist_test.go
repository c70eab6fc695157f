package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/tui"
)

// TestScriptStates checks that each state of a script is told apart.
func TestScriptStates(t *testing.T) {
	t.Parallel()
	g := &engine.Generation{Script: &scriptfile.Script{Name: "a.lua"}}
	for state, want := range map[load.State]tui.ScriptState{load.StateOK: tui.ScriptLive,
		load.StateLastGood: tui.ScriptKept, load.StateGone: tui.ScriptKept,
		load.StateChanged: tui.ScriptKept, load.StateFailed: tui.ScriptFailed,
		load.StateUntrusted: tui.ScriptUntrusted, load.StateReplaced: tui.ScriptReplaced,
		load.StateDisabled: tui.ScriptDisabled} {
		if got := stateOf(load.Info{State: state}, g); got != want {
			t.Errorf("%s: got %q, want %q", state, got, want)
		}
	}
	for _, state := range []load.State{load.StateLastGood, load.StateFailed} {
		held := load.Info{State: state, Error: &fault.ScriptError{Waits: true}}
		if got := stateOf(held, g); got != tui.ScriptWaiting {
			t.Errorf("%s with a version that waits: got %q", state, got)
		}
	}
	for _, state := range []load.State{load.StateUntrusted, load.StateChanged} {
		if got := stateOf(load.Info{State: state, Waits: true}, g); got != tui.ScriptWaiting {
			t.Errorf("%s that waits: got %q", state, got)
		}
	}
}

// TestEditorCommand checks that editors which take a line get it, and that without an editor the
// user is told what to set.
func TestEditorCommand(t *testing.T) {
	for editor, want := range map[string]string{"vim -u x": "vim -u x +7 /a b.lua",
		"/usr/bin/code": "/usr/bin/code --wait --goto /a b.lua:7", "ed": "ed /a b.lua"} {
		t.Setenv("VISUAL", "")
		t.Setenv("EDITOR", editor)
		cmd, err := editorCommand("/a b.lua", 7)
		if err != nil || strings.Join(cmd.Args, " ") != want {
			t.Errorf("%s: got %v, %v; want %s", editor, cmd, err, want)
		}
	}
	t.Setenv("EDITOR", " ")
	if _, err := editorCommand("/a", 1); err == nil || !strings.Contains(err.Error(), "$EDITOR") {
		t.Errorf("got %v, want what to set", err)
	}
}

// TestTail checks that a long log begins with a whole line.
func TestTail(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.log")
	if _, err := tail(file, 9); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := os.WriteFile(file, []byte("first\nsecond\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for size, want := range map[int64]string{9: "second\n", 100: "first\nsecond\n", 3: ""} {
		if got, err := tail(file, size); got != want || err != nil {
			t.Errorf("%d: got %q, %v; want %q", size, got, err, want)
		}
	}
}

// TestScriptIsDescribed checks what the panel gets to know of a loaded script.
func TestScriptIsDescribed(t *testing.T) {
	t.Parallel()
	g := &engine.Generation{Script: &scriptfile.Script{Name: "a.lua",
		Bytes: []byte("-- ==Agent==\n-- @grant exec:git\n")}}
	g.Registry.Handlers = []*engine.Handler{{Event: "guard", Line: 4}}
	g.Registry.Redactors = []*engine.Redactor{{Name: "pin", Line: 6}}
	g.Registry.Commands = []*engine.Command{{Name: "go"}}
	s := scriptOf(load.Info{Name: "a.lua", Source: scriptfile.SourceManaged, Generation: 1,
		State: load.StateOK, Notes: []string{"key"},
		Header: scriptfile.Header{Grants: []string{"exec:git"}}}, g,
		func(text string) string { return strings.ReplaceAll(text, "key", "***") })
	if !s.Fixed || s.Notes[0] != "***" || len(s.Handlers) != 2 || s.Handlers[0].Text != "guard" ||
		s.Handlers[1] != (tui.ScriptPart{Line: 6, Text: "redact pin"}) ||
		!slices.Equal(s.Commands, []string{"go"}) || !strings.Contains(s.Grants[0], "line 2") {
		t.Errorf("got %+v", s)
	}
}

// TestRegistered checks what the screen gets to know of a loaded script: its guards by what they
// guard, and its commands and tools.
func TestRegistered(t *testing.T) {
	t.Parallel()
	row := &event.Row{Name: "guard", Filters: []string{"tool", "writes", "reads"}}
	g := &engine.Generation{Script: &scriptfile.Script{Name: "a.lua"}}
	g.Registry.Commands = []*engine.Command{{Name: "go"}}
	g.Registry.Redactors = []*engine.Redactor{{}}
	for _, opts := range []map[string]any{{"tool": "bash|edit"}, {"writes": "**/.env*"},
		{"writes": "a", "reads": "key"}, {"reads": "b"}, nil} {
		filter, err := event.NewFilter(row, opts)
		if err != nil {
			t.Fatal(err)
		}
		g.Registry.Handlers = append(g.Registry.Handlers,
			&engine.Handler{Event: "guard", Filter: filter})
	}
	g.Registry.Handlers = append(g.Registry.Handlers, &engine.Handler{Event: "agent_end"})
	got := registeredBy(g,
		func(text string) string { return strings.ReplaceAll(text, "key", "***") })
	want := []string{"bash, edit", "writing **/.env*", "writing a, reading ***", "reading b",
		"any tool"}
	if !slices.Equal(got.Guards, want) || got.Commands != 1 || got.Tools != 0 ||
		got.Masks != 1 {
		t.Errorf("got %+v, want the guards %q", got, want)
	}
}

// TestScriptsPanel disables a guard on the screen, and enables it again.
func TestScriptsPanel(t *testing.T) {
	t.Parallel()
	for lang, text := range map[string]string{
		"lua": `ext.guard({ tool = "bash" }, function(ev) return { block = true } end)`,
		"js":  `ext.guard({ tool: "bash" }, () => ({ block: true }));`,
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			x := startTerminal(t, "")
			if err := os.WriteFile(x.script("g."+lang), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			x.wait("g." + lang + " loaded")
			x.sendKeys("/scripts", "Enter")
			x.wait("live +user")
			x.sendKeys("", "Enter")
			x.wait("g." + lang + ":1 +guard bash")
			x.sendKeys("d", "d")
			x.wait("disabled +user")
			x.wait("DISABLED: what it guards is NOT GUARDED")
			x.sendKeys("", "Escape") // a remark may stand where the panel had the status
			x.waitGone("── scripts")
			x.wait("✗ NOT GUARDED, disabled: g." + lang)
			x.sendKeys("/scripts", "Enter")
			x.wait("disabled +user")
			x.waitForFocus("d enables")
			x.sendKeys("d")
			x.wait("live +user")
			x.sendKeys("", "Escape")
			x.waitGone("── scripts")
			x.waitGone("✗ NOT GUARDED")
			x.quit()
		})
	}
}

// TestExtWords checks that what is typed after /ext is split as a shell splits it.
func TestExtWords(t *testing.T) {
	t.Parallel()
	home := filepath.Join("/home", "me")
	below := filepath.Join(home, "x.lua")
	for line, want := range map[string]string{
		`install  'my drafts/x.lua' --as y.lua`: "install|my drafts/x.lua|--as|y.lua",
		`install my\ drafts/"x 'y'".lua`:        "install|my drafts/x 'y'.lua",
		`install ~/x.lua a~/b`:                  "install|" + below + "|a~/b",
		`remove ''`:                             "remove|",
	} {
		got, err := extWords(line, home)
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%s: got %q, %v; want %s", line, got, err, want)
		}
	}
	for _, line := range []string{`install 'x`, `install x\`, `a; remove y`, "\\\n"} {
		if got, err := extWords(line, home); err == nil {
			t.Errorf("%s: got %q, want an error", line, got)
		}
	}
}
