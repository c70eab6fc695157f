package js

import "testing"

// TestSweepAfterABug: values are swept in a goroutine of its own, where a panic would end the
// program, also if a bug of the interpreter has left the top of its stack above the end.
func TestSweepAfterABug(t *testing.T) {
	t.Parallel()
	h := newTestHost(t)
	h.load("ext.command({ name: 'f', run: () => {} })")
	v := h.fns["f"].fn.(*function).vm
	v.machine.top.SetInt(int64(v.machine.values.Len()) + 2)
	defer v.machine.top.SetInt(0)
	v.Sweep()
}
