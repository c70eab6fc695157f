package changes

import (
	"strings"
	"sync"
)

// filesKept is how many written files are remembered. If there are more, each file counts as
// written.
const filesKept = 20_000

// Files are the files about whose contents calls have decided. Its methods are safe for concurrent
// use. The zero Files is empty.
type Files struct {
	mu    sync.RWMutex
	added int             // how often Add has added some
	names map[string]bool // in lower case: some systems ignore it
}

// Add adds files, by their absolute paths with links followed.
func (f *Files) Add(paths []string) {
	if len(paths) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.added++; f.names == nil {
		f.names = map[string]bool{}
	}
	for _, path := range paths {
		if len(f.names) <= filesKept {
			f.names[strings.ToLower(path)] = true
		}
	}
}

// Has reports whether a file may be one of them.
func (f *Files) Has(path string) bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.names[strings.ToLower(path)] || len(f.names) > filesKept
}

// Added returns how often files have been added.
func (f *Files) Added() int {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.added
}
