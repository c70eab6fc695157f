package fence

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// disks finds the devices that hold data or memory, which root could read. It reads the folder of
// devices again if that has changed: looking at each of them takes longer than most mounts.
type disks struct {
	mu      sync.Mutex
	changed time.Time // of the folder, when it was read; zero = it was not
	paths   []string
}

// list returns the paths of the devices. d may be nil.
func (d *disks) list() []string {
	const dir = "/dev"
	if d == nil {
		d = &disks{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	st, err := os.Stat(dir)
	if err != nil {
		return nil
	}
	// a second change within the same tick of the clock does not change the time
	if now := st.ModTime(); d.changed.IsZero() || !now.Equal(d.changed) ||
		time.Since(now) < 2*time.Second {
		d.paths, d.changed = nil, now
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			block := e.Type()&fs.ModeDevice != 0 && e.Type()&fs.ModeCharDevice == 0
			if block || slices.Contains([]string{"mem", "kmem", "port", "mapper"}, e.Name()) {
				d.paths = append(d.paths, filepath.Join(dir, e.Name()))
			}
		}
	}
	return d.paths
}
