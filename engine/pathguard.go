// This file finds the guards about files that need no script to decide.

package engine

// PathGuards returns the globs of the guards that block, or ask about, each call that writes, or
// reads, a file that fits: those that a script gives an outcome instead of a function, and no other
// filter. The globs are as written, see event.Filter.
func (s *Snapshot) PathGuards() (writes, reads []string) {
	for _, h := range s.handlers["guard"] {
		if h.Always["block"] != true && !asks(h.Always["ask"]) {
			continue
		}
		w, r, only := h.Filter.OnlyPaths()
		if !only {
			continue
		}
		if w != "" && r == "" {
			writes = append(writes, w)
		}
		if r != "" && w == "" {
			reads = append(reads, r)
		}
	}
	return writes, reads
}

// asks reports whether the value of the outcome ask asks.
func asks(v any) bool { return v != nil && v != false }
