package load

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// MutationWindow is the time after a tool's end in which a change is still attributed to it.
const MutationWindow = mutationWindow

// BreakWatching makes all attempts to watch a folder fail.
func (l *Loader) BreakWatching() {
	l.newFS = func() (*fsnotify.Watcher, error) {
		w, err := fsnotify.NewWatcher()
		if err == nil {
			err = w.Close()
		}
		return w, err
	}
}

// SilenceWatching makes watching succeed without reporting events.
func (l *Loader) SilenceWatching() {
	l.probeWait = time.Millisecond
	l.newFS = func() (*fsnotify.Watcher, error) {
		w, err := fsnotify.NewWatcher()
		if err == nil {
			lost := w.Events
			w.Events = make(chan fsnotify.Event)
			go func() {
				for range lost {
				}
			}()
		}
		return w, err
	}
}

// Watched returns the folders that are watched.
func (l *Loader) Watched() []string { return l.watcher.fs.WatchList() }

// Deafen stops watching a folder without telling the loader.
func (l *Loader) Deafen(dir string) error { return l.watcher.fs.Remove(dir) }

// ScanWhile makes one scan while a path is being written.
func (l *Loader) ScanWhile(path string) {
	_, loading := l.scan(context.Background(), batch{cause: "save",
		hot: func(spot string) bool { return spot == path }})
	for _, done := range loading {
		<-done
	}
}

// Overflow sends the kernel's notice of lost events.
func (l *Loader) Overflow() { l.watcher.fs.Errors <- fsnotify.ErrEventOverflow }

// FailWatching makes the creation of a watcher fail.
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

// RecordFile returns the file with the last good version of the script at path.
func (l *Loader) RecordFile(path string) string { return l.memory.good.file(path) }
