package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWhyKey checks in a real terminal that keys select a call and show who decided about it: for a
// refused call, for one with an open question, for the user's own command in a resumed session, and
// with a masked argument.
func TestWhyKey(t *testing.T) {
	t.Parallel()
	x := newTerminal(t)
	if err := os.MkdirAll(filepath.Dir(x.script("guard.lua")), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, x.script("guard.lua"), `ext.guard({ tool = "bash" }, function(ev)
  if ev.args.command:find("push") then return { block = true, reason = "no push" } end
  if ev.args.command:find("touch") then return { ask = "really touch?" } end
end)
`)
	write(t, x.script("hides.js"), `ext.redact({ name: "key", patterns: ["tok-[0-9]+"] })`)
	x.start("--fullscreen")
	x.submit("run git push tok-123456")
	x.wait(`1\. run git push \[redacted:key\]: refused by guard.lua: no push`)
	x.waitIdle()
	x.sendKeys("", "Tab", "Up") // above the answer
	x.wait("w says who decided")
	x.sendKeys("w")
	x.wait(`did not run: guard.lua:1 decided \(blocked it\)`)
	x.wait(`asked for: bash \{"command":"git push [^t]`)
	x.sendKeys("", "Escape")
	x.submit("run touch made")
	x.waitForFocus("really touch?")
	x.sendKeys("", "S-Up")
	x.wait("esc goes back to the question")
	x.sendKeys("w")
	x.wait("no decision about it yet; permission mode default")
	x.sendKeys("", "Enter", "Enter", "Escape")
	x.waitForFocus("really touch?")
	x.sendKeys("n")
	x.wait(`did not run: the user said no \(guard.lua:1 had asked\)`)
	x.submit("!echo mine")
	x.wait("yours")
	x.quit()
	if _, err := os.Stat(filepath.Join(x.dir, "made")); err == nil {
		t.Error("a key of the selection allowed the call")
	}
	x.start("-c")
	x.wait("yours")
	x.sendKeys("", "Tab")
	x.wait("w says who decided")
	x.sendKeys("w")
	x.wait("user_[0-9a-f]+: ran")
	x.quit()
}
