package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/cmd/agent/internal/cli"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
)

// TestTableOfCommands compares the table that help and completion are made of with the commands and
// flags that the program takes.
func TestTableOfCommands(t *testing.T) {
	t.Parallel()
	listed, taken := []string{}, installcmd.Names()
	for _, c := range cli.Under("ext") {
		listed = append(listed, strings.TrimPrefix(c.Name, "ext "))
	}
	for _, c := range extCommands() {
		taken = append(taken, c.name)
	}
	slices.Sort(listed)
	slices.Sort(taken)
	if !slices.Equal(listed, taken) {
		t.Errorf("ext: listed %v\ntaken %v", listed, taken)
	}
	for _, c := range cli.Commands() {
		for _, flag := range c.Flags {
			values := []string{"true", "guard", "low", "turns=1", "a.b=c"}
			if !slices.ContainsFunc(values, func(v string) bool {
				return (&flags{}).set(flag.Name, v) == nil
			}) {
				t.Errorf("agent %s: the flag %s is listed and not taken", c.Name, flag.Name)
			}
		}
	}
}

// TestExtOnTheScreen installs, disables, removes and restores a script by /ext, and reads a page by
// /help, on a terminal.
func TestExtOnTheScreen(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	from := filepath.Join(x.dir, "friday.lua")
	write(t, from, `ext.guard({ tool = "bash" }, function(ev)
  if ev.args.command:find("deploy") then return { block = true, reason = "not on a Friday" } end
end)`)
	x.start("--yolo")
	x.submit("/ext install ./friday.lua")
	x.waitForFocus("install friday.lua")
	x.wait("it asks for no grant")
	x.sendKeys("", "Enter") // no is the default
	x.wait("nothing was changed")
	if _, err := os.Stat(x.script("friday.lua")); err == nil {
		t.Fatal("enter installed it")
	}
	x.submit("/ext install ./friday.lua")
	x.waitForFocus("install friday.lua")
	x.sendKeys("y")
	x.wait("friday.lua loaded")
	x.submit("run echo deploy")
	x.wait("not on a Friday")
	x.submit("/ext disable friday.lua")
	x.wait("NOT GUARDED: friday.lua")
	x.submit("/ext enable friday.lua")
	x.wait("enabled: friday.lua\\s*\n") // the screen reloads by itself: it does not ask for that
	x.submit("/ext list")
	x.wait(`friday.lua  live · 1 call · no grants · from .*friday.lua`)
	x.submit("/ext doctor")
	x.wait("ok +home: ")
	x.submit("/ext bench friday")
	x.wait(`friday.lua: loads in .*calls:`)
	x.wait(`: guard tool=bash +p50 .* of \d+ runs`)
	x.submit("/ext bench none.lua")
	x.wait("ext bench: none.lua: no such file")
	x.submit("/ext bench")
	x.wait("ext bench: want NAME, of a script")
	x.submit("/ext remove friday.lua")
	x.wait("removed .*friday.lua")
	x.submit("/ext restore friday")
	x.wait("restored .*friday.lua")
	x.submit("/ext instal x")
	x.wait("the screen has bench, disable, doctor, enable, help, import, install")
	x.wait(`did you\s+mean "install"\?`)
	if n := x.count("the screen has bench"); n != 1 {
		t.Errorf("the error is on the screen %d times, want 1:\n%s", n, x.screen())
	}
	if err := os.Mkdir(filepath.Join(x.dir, "my drafts"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(x.dir, "my drafts", "a.lua"), "-- nothing\n")
	x.submit(`/ext install 'my drafts/a.lua' --as  quoted.lua`)
	x.waitForFocus("install quoted.lua")
	x.sendKeys("", "Left", "Enter")
	x.wait("quoted.lua loaded")
	x.submit(`/ext remove "quoted.lua`)
	x.wait("a quote is not closed at .*put a word")
	x.submit("/help trsut")
	x.wait(`there is no page "trsut"; did you mean "trust"`)
	x.sendKeys("/ext verif", "Tab")
	x.wait("› /ext verify")
	x.sendKeys("", "C-u")
	x.sendKeys("/ext remove fri", "Tab")
	x.wait("› /ext remove friday.lua")
	x.sendKeys("", "C-u")
	x.quit()
}

// TestUnknownPageIsFast: an error about a page that does not exist looks into all pages several
// times, and does not make those of the API each time.
func TestUnknownPageIsFast(t *testing.T) {
	const most = 300_000 // allocations
	if n := testing.AllocsPerRun(1, func() { _, _ = page("no-such-page-1") }); n > most {
		t.Errorf("%.0f allocations, want at most %d", n, most)
	}
}

// TestLongWordsAreCut checks that an error does not show all of a long argument.
func TestLongWordsAreCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 100_000)
	for _, args := range [][]string{{"--thinking", long}, {"ext", long}, {"help", long},
		{"--" + long}, {"-e", long}} {
		var told strings.Builder
		if code := run(args, strings.NewReader(""), &told, &told); code != exitUsage {
			t.Errorf("%.20s: got code %d", args, code)
		}
		if n := told.Len(); n > 1500 {
			t.Errorf("%.20s: an error of %d bytes", args, n)
		}
	}
}
