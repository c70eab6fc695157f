package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDisks: block devices are covered for root, also one that appears while the agent runs.
func TestDisks(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can open block devices")
	}
	var d disks
	all := d.list()
	if len(all) == 0 {
		t.Skip("no disks")
	}
	for _, m := range []Method{Mounts, Namespaces} {
		w := newWorld(t)
		f := New(Options{Method: m, Policy: w.policy})
		if got, err := f.Method(); got != m {
			skipOrFail(t, err)
		}
		out, err := w.command(t, f, "for f in /dev/*; do [ -b $f ] && echo $f; done; echo all").CombinedOutput()
		if err != nil || string(out) != "all\n" {
			t.Errorf("%s: %v: %s", m, err, out)
		}
	}
	dir, err := os.Stat("/dev")
	if err != nil {
		t.Fatal(err)
	}
	// the list is read again if /dev has changed, now or shortly before
	d.paths, d.changed = []string{"/dev/gone"}, dir.ModTime().Add(-time.Second)
	if now := d.list(); !slices.Equal(now, all) {
		t.Errorf("got %q, want %q", now, all)
	}
	for _, path := range all {
		if !strings.HasPrefix(path, "/dev/") || filepath.Dir(path) != "/dev" {
			t.Errorf("%s is not in /dev itself", path)
		}
	}
}
