package load

import (
	"context"

	"github.com/fsnotify/fsnotify"
)

// BreakWatching lets the watcher be made, but nothing can be watched with it.
func (l *Loader) BreakWatching() {
	l.newFS = func() (*fsnotify.Watcher, error) {
		w, err := fsnotify.NewWatcher()
		if err == nil {
			err = w.Close()
		}
		return w, err
	}
}

// Deafen stops watching a folder behind the loader's back.
func (l *Loader) Deafen(dir string) error { return l.watcher.fs.Remove(dir) }

// ScanWhile makes one scan while the given path is being written.
func (l *Loader) ScanWhile(path string) {
	_, loading := l.scan(context.Background(), batch{cause: "save",
		hot: func(spot string) bool { return spot == path }})
	for _, done := range loading {
		<-done
	}
}

// Overflow is what the kernel says when it has lost events.
func (l *Loader) Overflow() { l.watcher.fs.Errors <- fsnotify.ErrEventOverflow }

// FailWatching makes the watcher impossible to make.
func (l *Loader) FailWatching(err error) {
	l.newFS = func() (*fsnotify.Watcher, error) { return nil, err }
}

// Records returns the names of the last good versions on disk.
func (l *Loader) Records() []string {
	var out []string
	for _, r := range newGoodStore(l.o.Home).all() {
		out = append(out, r.Name)
	}
	return out
}

// RecordFile is where the last good version of the script at path lies.
func (l *Loader) RecordFile(path string) string { return l.memory.good.file(path) }
