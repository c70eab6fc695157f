package vm

import (
	"sync"
	"weak"
)

// Handed are the functions of a script that the program holds: values that they refer to stay
// alive.
type Handed struct {
	mu    sync.Mutex
	list  []func() any // returns nil if it was collected
	prune int          // the length at which collected ones are removed
}

// HandOut records in h that the program gets f, which stands for a function of the script.
func HandOut[F any](h *Handed, f *F) *F {
	w := weak.Make(f)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.list) >= max(h.prune, 64) {
		live := h.list[:0:0]
		for _, get := range h.list {
			if get() != nil {
				live = append(live, get)
			}
		}
		h.list, h.prune = live, 2*len(live)
	}
	h.list = append(h.list, func() any {
		if p := w.Value(); p != nil {
			return p
		}
		return nil
	})
	return f
}

// All returns those that the program still holds.
func (h *Handed) All() (funcs []any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, get := range h.list {
		if f := get(); f != nil {
			funcs = append(funcs, f)
		}
	}
	return funcs
}
