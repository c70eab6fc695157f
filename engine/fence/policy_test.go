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

// TestFewMounts: what lies in a read-only folder, or is hidden, gets no mount of its own; a lift
// that lets a program read what is hidden does not let it write that.
func TestFewMounts(t *testing.T) {
	w := newWorld(t)
	in := func(name string) string { return w.project + name }
	p := Policy{Writable: []string{w.project}, Hidden: []string{in("/.env")},
		ReadOnly: []string{in("/.git"), in("/.git/config"), in("/.git/hooks"), in("/.env")}}.real()
	if got := p.readOnly(); !slices.Equal(got, []string{in("/.git")}) {
		t.Errorf("read-only mounts: %q", got)
	}
	if got := p.pinned(); slices.Contains(got, in("/.git")) {
		t.Errorf("writable mounts: %q", got)
	}
	if err := p.lift(Mounts, Lift{Reads: []string{in("/.env")}}); err != nil {
		t.Fatal(err)
	}
	if got := p.readOnly(); !slices.Equal(got, []string{in("/.env"), in("/.git")}) {
		t.Errorf("read-only mounts after the lift: %q", got)
	}
}
