//go:build unix

package load_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

// leased makes a world with a project in a git repository, and a script with an edit lease.
func leased(t *testing.T) *world {
	w := newProject(t, map[string]string{"guard.fake": "guard bash\ntool v1"})
	w.put("../../.git/HEAD", "ref: refs/heads/main\n")
	w.put("../../.git/refs/heads/main", "aaaa\n")
	w.start()
	name, err := w.project().BeginLease("guard.fake")
	must(t, err)
	if name != "guard.fake" || !w.has("v1") {
		t.Fatalf("got %q %+v", name, w.loader.Scripts())
	}
	return w
}

// TestLeaseLoadsEachSave: saves load without a review, also after a restart, until HEAD moves.
func TestLeaseLoadsEachSave(t *testing.T) {
	t.Parallel()
	w := leased(t)
	w.put("guard.fake", "guard bash\ntool v2")
	w.untilMark("v2")
	w.restart()
	if !w.has("v2") {
		t.Fatalf("got %+v", w.loader.Scripts())
	}
	w.put("../../.git/refs/heads/main", "bbbb\n")
	w.untilSeen("guard.fake (project): the edit lease has ended, because HEAD has moved")
	w.put("guard.fake", "guard bash\ntool v3")
	w.loader.Rescan(context.Background())
	w.wantState("guard.fake", load.StateChanged)
	if !w.has("v2") || w.has("v3") {
		t.Error("after HEAD moved, a guard was removed or a save was loaded")
	}
	w.restart()
	w.wantState("guard.fake", load.StateUntrusted)
}

// TestLeaseOfATrustedScript: after the lease, the trusted bytes are in force again.
func TestLeaseOfATrustedScript(t *testing.T) {
	t.Parallel()
	w := leased(t)
	w.trust()
	w.put("guard.fake", "guard bash\ntool v2")
	w.untilMark("v2")
	w.put("../../.git/HEAD", "ref: refs/heads/other\n")
	w.untilMark("v1")
	w.wantState("guard.fake", load.StateChanged)
	_, err := w.project().BeginLease(filepath.Join(w.options.Project, ".agent", "scripts",
		"guard.fake"))
	must(t, err)
	w.untilMark("v2")
	_, err = w.project().EndLease("guard.fake")
	must(t, err)
	w.untilMark("v1")
	if _, err := w.project().EndLease("guard.fake"); err == nil {
		t.Error("the end of the lease was reported twice")
	}
}

// TestLeaseDoesNotCoverTools: a tool's change waits for a review, also after a restart.
func TestLeaseDoesNotCoverTools(t *testing.T) {
	t.Parallel()
	w := leased(t)
	w.run(func() { w.put("guard.fake", "tool evil") })
	w.loader.Rescan(context.Background())
	if w.has("evil") {
		t.Error("the tool's change runs")
	}
	w.restart()
	if w.has("evil") {
		t.Error("the tool's change runs after a restart")
	}
	w.put("guard.fake", "guard bash\ntool mine")
	w.untilMark("mine")
}

// TestFilesThatCannotBeLeased: only scripts of the project can be leased.
func TestFilesThatCannotBeLeased(t *testing.T) {
	t.Parallel()
	w := newProject(t, map[string]string{"a.fake": "tool v1", "lib/x.fake": "x"}).start()
	for _, file := range []string{"notes.txt", w.inProject("lib/x.fake"),
		filepath.Join(w.root, "a.fake"), w.inProject("../a.fake"), w.path("a.fake")} {
		if _, err := w.project().BeginLease(file); err == nil {
			t.Errorf("%s: got a lease", file)
		}
	}
}
