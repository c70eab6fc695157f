package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/program"
)

// projectGuards are a project's script in both languages. It refuses commands with the word sudo.
var projectGuards = map[string]string{
	"lua": `-- ==Agent==
-- @grant exec:git
-- ==/Agent==
ext.guard({ tool = "bash" }, function(ev)
  if ev.args.command:find("sudo") then return { block = true, reason = "no sudo here" } end
end)`,
	"js": `// ==Agent==
// @grant exec:git
// ==/Agent==
ext.guard({ tool: "bash" }, (ev) => {
  if (ev.args.command.includes("sudo")) return { block: true, reason: "no sudo here" };
});`,
}

// TestReviewOnTheScreen checks that the files of a project can be read, trusted and revoked on the
// screen, in a large and in a small terminal, and that text typed meanwhile goes to the editor.
func TestReviewOnTheScreen(t *testing.T) {
	t.Parallel()
	for size, wide := range map[string]bool{"100x40": true, "40x12": false} {
		t.Run(size, func(t *testing.T) {
			t.Parallel()
			x := newTerminal(t)
			scripts := filepath.Join(x.dir, ".agent", "scripts")
			x.run("mkdir -p " + scripts)
			write(t, filepath.Join(scripts, "guard.lua"), projectGuards["lua"])
			x.start("")
			columns, lines, _ := strings.Cut(size, "x")
			x.tmux("resize-window", "-x", columns, "-y", lines)
			x.waitForFocus("Read guard.lua")
			if wide {
				x.wait(`runs the program git, in the sandbox if there is one \(line 2: exec:git\)`)
			}
			x.sendKeys("trust")
			x.wait(`› trust`)
			if _, err := os.Stat(filepath.Join(x.home, "trust.json")); err == nil {
				t.Fatal("typing decided")
			}
			x.waitForFocus("Read guard.lua") // the dialog gets the next key
			read := func() {
				for !strings.Contains(x.screen(), "enter picks") {
					x.sendKeys("", "NPage")
				}
			}
			pick := func(label string) {
				t.Helper()
				read()
				at := func() string { // the first such line below the title
					text := x.screen()
					text = text[max(0, strings.LastIndex(text, "\n── ")):]
					return regexp.MustCompile("(?m)^› .*").FindString(text)
				}
				for now := at(); !strings.HasPrefix(now, "› "+label); now = at() {
					x.sendKeys("", "Down")
					eventually(t, "the next choice", func() bool { return at() != now })
				}
				x.sendKeys("", "Enter")
			}
			pick("Read guard.lua")
			x.waitForFocus("Trust these bytes")
			pick("Trust these bytes")
			x.waitGone("Trust these bytes")
			x.sendKeys("", "C-u")
			x.waitGone("› trust")
			x.submit("run echo sudo")
			x.wait("no sudo here")
			x.submit("/trust")
			x.waitForFocus("Read guard.lua")
			pick("Read guard.lua")
			x.waitForFocus("Revoke")
			pick("Revoke")
			x.waitForFocus("Read guard.lua")
			x.sendKeys("", "Escape")
			x.waitGone("Read guard.lua")
			x.wait(`1 script waits`)
			x.quit()
		})
	}
}

// TestReviewOverRPC checks that a client that shows dialogs is asked, and that a guard that it
// trusts is in force at once.
func TestReviewOverRPC(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		c := newClient(t, map[string]string{".agent/scripts/guard." + lang: projectGuards[lang]})
		c.openSession(true, "--yolo", "--model", "offline")
		list := c.waitDialog("select")
		if detail := list.text("detail"); !strings.Contains(detail,
			"runs the program git, in the sandbox if there is one (line 2: exec:git)") {
			t.Errorf("got %q", detail)
		}
		c.respond(list, map[string]any{"value": "item:0"})
		text := c.waitDialog("select")
		if detail := text.text("detail"); !strings.Contains(detail, "no sudo here") {
			t.Errorf("got %q", detail)
		}
		c.respond(text, map[string]any{"value": "trust"})
		c.wait("the guard loads", func(m message) bool {
			return m.event() == "script_load" && m.params().text("script") == "guard."+lang
		})
		id := c.prompt("run echo sudo")
		if end := c.waitEnd(id); end["refused"] != 1.0 {
			t.Errorf("got %v", end)
		}
		c.endSession()
	})
}

// TestImportOfFolder checks that a file outside of the project can be allowed that the instructions
// of a folder import, which are only read with the files in it.
func TestImportOfFolder(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "notes.md")
	write(t, notes, "NOTES")
	c := newClient(t, map[string]string{"sub/CLAUDE.md": "@" + notes, "sub/a.txt": "a",
		"sub/b.txt": "b"})
	c.openSession(true, "--yolo", "--model", "offline")
	c.prompt("read sub/a.txt")
	c.wait("the notice", func(m message) bool {
		return strings.Contains(m.params().text("message"), "before you allow that: /trust")
	})
	c.prompt("/trust")
	list := c.waitDialog("select")
	if detail := list.text("detail"); !strings.Contains(detail, "notes.md: not trusted") {
		t.Errorf("got %q", detail)
	}
	c.endSession()
}

// TestReviewInAnEditor does the same in an editor.
func TestReviewInAnEditor(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, lang string) {
		e := newEditor(t, map[string]string{".agent/scripts/guard." + lang: projectGuards[lang]})
		e.queueAnswers("choice-1", "choice-1") // to read it, and to trust it
		e.open("--yolo", "--model", "offline")
		eventually(t, "the guard is in force", func() bool {
			e.promptText("run echo sudo")
			return strings.Contains(e.shown(), "no sudo here")
		})
	})
}

// TestNamesAreOnOneLine checks that a project's file whose name has line ends cannot add lines to
// the list.
func TestNamesAreOnOneLine(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	path := filepath.Join(root, ".agent", "scripts", "a.lua: trusted\nb.lua")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Skip("this system has no such names: ", err)
	}
	text := program.OpenProject(root, t.TempDir(), program.Places{}, nil,
		runtimes()).Look().Describe()
	if !strings.Contains(text, "a.lua: trusted␊b.lua: cannot be trusted") ||
		strings.Contains(text, "\nb.lua") {
		t.Errorf("got %s", text)
	}
}
