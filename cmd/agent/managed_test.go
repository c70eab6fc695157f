package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/tui"
)

// TestManagedScriptsAreShown checks that the list and the panel show the scripts for all users as
// such, and which of them are not used.
func TestManagedScriptsAreShown(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root, because root must own managed scripts")
	}
	at := place{home: t.TempDir(), dir: t.TempDir(), managed: filepath.Join(t.TempDir(), "all")}
	if err := os.Mkdir(at.managed, 0o755); err != nil {
		t.Fatal(err)
	}
	const text = `ext.guard({ tool = "bash" }, function(ev) return { block = true } end)`
	write(t, filepath.Join(at.managed, "all.lua"), text)
	write(t, filepath.Join(at.managed, "open.lua"), text)
	if err := os.Chmod(filepath.Join(at.managed, "open.lua"), 0o666); err != nil {
		t.Fatal(err)
	}
	list := func(args ...string) string {
		t.Helper()
		var out bytes.Buffer
		f, err := parseFlags(append([]string{"ext", "list"}, args...))
		if err != nil {
			t.Fatal(err)
		}
		c := at.installCommand(f, audit.New(audit.Options{Dir: audit.Dir(at.home)}))
		c.Stdout = &out
		if err := c.Run(t.Context(), "list", nil); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	text1 := `(?m)^all.lua   live · no grants · managed, for all users$\n` +
		`^open.lua  unused · .*managed, for all users · only root may own and write `
	if got := list(); !regexp.MustCompile(text1).MatchString(got) {
		t.Errorf("got\n%s\nwant %s", got, text1)
	}
	line := `(?m)^\{"file":"all.lua",.*"state":"live","managed":true,`
	if got := list("--json"); !regexp.MustCompile(line).MatchString(got) {
		t.Errorf("got\n%s\nwant %s", got, line)
	}
	if got := list("--project"); regexp.MustCompile(`all\.lua`).MatchString(got) {
		t.Errorf("of the project: got\n%s", got)
	}
	const refused = "all.lua is for all users of this machine"
	c := at.installCommand(&flags{}, audit.New(audit.Options{Dir: audit.Dir(at.home)}))
	if err := c.Run(t.Context(), "remove", []string{"all"}); err == nil ||
		!strings.Contains(err.Error(), refused) {
		t.Errorf("remove: got %v", err)
	}
	if _, err := at.switchedBy("all", nil, false); err == nil ||
		!strings.Contains(err.Error(), refused) {
		t.Errorf("disable: got %v", err)
	}
	f, err := parseFlags(nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := newApp(f, front{mode: "print", place: at})
	if err != nil {
		t.Fatal(err)
	}
	defer a.closeScripts()
	if err := a.agent.LoadScripts(t.Context()); err != nil {
		t.Fatal(err)
	}
	var shown []tui.Script
	for _, s := range (&screen{app: a}).scripts() {
		if s.Name == "all.lua" {
			shown = append(shown, s)
		}
	}
	if len(shown) != 1 || shown[0].Source != "managed" || !shown[0].Fixed ||
		shown[0].State != tui.ScriptLive {
		t.Errorf("the panel has %+v", shown)
	}
}
