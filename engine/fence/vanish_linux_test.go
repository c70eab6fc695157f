package fence

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestHiddenPathsVanish checks that programs start while paths that are hidden or protected come
// and go, such as the sockets of other programs.
func TestHiddenPathsVanish(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		if m == Bubblewrap {
			t.Skip("it does not try again")
		}
		w := newWorld(t)
		p := w.policy("")
		var paths []string
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			paths = append(paths, filepath.Join(w.project, "vanishing-"+name))
		}
		p.Hidden, p.ReadOnly = append(p.Hidden, paths[:4]...), append(p.ReadOnly, paths[4:]...)
		at := slices.IndexFunc(methods, func(one method) bool { return one.name == m })
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
				}
				for _, path := range paths {
					_ = os.WriteFile(path, nil, 0o600)
				}
				time.Sleep(100 * time.Microsecond)
				for _, path := range paths {
					_ = os.Remove(path)
				}
			}
		}()
		for range 60 {
			// without what keeps replaced paths protected: that starts programs, too, and
			// TestReplacedFiles is about it
			cmd := exec.Command("/bin/true")
			cmd.Dir = w.project
			if err := methods[at].confine(cmd, p.real()); err != nil {
				t.Fatal(err)
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
				break
			}
		}
		close(stop)
		<-stopped
	})
}
