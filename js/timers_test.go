package js

import (
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/vm"
)

// TestTimersEndWithTheirScript checks that an unloaded script has no timers and cannot set new
// ones.
func TestTimersEndWithTheirScript(t *testing.T) {
	h := newTestHost(t)
	h.load(`let n = 0; setInterval(() => { n++; }, 10); setTimeout(() => {}, 1e9);
ext.command({ name: "f", run: async () => { while (n < 2) await ext.sleep(0.005); return 1; } });`)
	if got, err := h.run(vm.KindTool, "f"); got != 1.0 || err != nil {
		t.Fatalf("got %v, %v", got, err)
	}
	timers := &h.fns["f"].fn.(*function).vm.timers
	if timers.getTimer(2) == nil {
		t.Fatal("no second timer")
	}
	h.engine.Scripts.Swap(nil, nil)
	for deadline := time.Now().Add(testTimeout); timers.getTimer(2) != nil ||
		timers.getTimer(1) != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("timers are left")
		}
	}
	if id := timers.addTimer(&timer{}); id != 0 {
		t.Error("a timer was set after the script was unloaded")
	}
}
