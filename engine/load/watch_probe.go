package load

import (
	"os"
	"path/filepath"
	"time"
)

// probeWait is the maximal delay of the event of the probe: far longer than on any working machine,
// since a mistake would cause unnecessary polling.
const probeWait = 10 * time.Second

// probe is a file that the loader writes at its start, to see whether changes of files cause
// events: in some containers, and on some emulated systems, watching succeeds and reports nothing.
type probe struct {
	dir string // a folder for it alone; "" = there is none, or it has been seen
	end time.Time
}

// beginProbe watches a new folder in the agent's own and writes a file in it. If that fails, there
// is no probe: whatever the reason, it says nothing about the scripts' folders.
func (w *watcher) beginProbe(state string, wait time.Duration) (p probe) {
	if w.fs == nil || state == "" || os.MkdirAll(state, 0o700) != nil {
		return p
	}
	dir, err := os.MkdirTemp(state, "watched-")
	if err != nil {
		return p
	}
	p = probe{dir: dir, end: time.Now().Add(wait)}
	if w.fs.Add(dir) != nil || os.WriteFile(filepath.Join(dir, "probe"), nil, 0o600) != nil {
		p.remove()
	}
	return p
}

// saw reports whether an event is that of the probe, and ends the probe.
func (p *probe) saw(path string) bool {
	if p.dir == "" || filepath.Dir(path) != p.dir {
		return false
	}
	p.remove()
	return true
}

// remove removes the folder, and with it the kernel's watch: ending the watch first would take the
// kernel 10 ms.
func (p *probe) remove() {
	if p.dir != "" {
		_ = os.RemoveAll(p.dir)
		*p = probe{}
	}
}

// missed starts polling if the event of the probe has not arrived in time.
func (w *watcher) missed(p *probe, now time.Time) {
	if !isDue(p.end, now) {
		return
	}
	p.remove()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.poll(pollingText("the system reported no event when a file was written to test that"))
}
