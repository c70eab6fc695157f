package fence

import (
	"slices"
	"testing"
)

// TestRealPolicy: a path in a read-only folder is not writable by any of its names.
func TestRealPolicy(t *testing.T) {
	w := newWorld(t)
	for _, readOnly := range []string{"/", w.dir, w.project} {
		p := Policy{Writable: []string{w.project, w.project + "/sub", "/dev"},
			ReadOnly: []string{readOnly}}.real()
		if slices.Contains(p.Writable, w.project) || slices.Contains(p.Writable, w.project+"/sub") {
			t.Errorf("%s: %q", readOnly, p.Writable)
		}
	}
	p := Policy{Writable: []string{w.project, w.project + "/sub"}, ReadOnly: []string{w.project +
		"/.git"}}.real()
	if !slices.Equal(p.Writable, []string{w.project}) ||
		!slices.Equal(p.ReadOnly, []string{w.project + "/.git"}) {
		t.Errorf("%+v", p)
	}
}
