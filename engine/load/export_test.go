package load

import "github.com/fsnotify/fsnotify"

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
func (l *Loader) RecordFile(path string) string { return l.good.file(path) }
