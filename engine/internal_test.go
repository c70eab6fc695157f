package engine_test

import (
	"path"
	"strings"
	"testing"
)

// forAuthors are the packages below engine that this repository uses only in engine and in tests, but
// that programs that embed the engine may use.
var forAuthors = map[string]bool{"engine/scripttest": true,
	"engine/shell/oracle": true, "engine/stream": true}

// TestInternal: packages that only the engine uses are below engine/internal.
func TestInternal(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, s := range sources {
		if s.folder() == "engine" || strings.HasPrefix(s.folder(), "engine/") {
			continue
		}
		paths, _ := s.imports()
		for _, p := range paths {
			used[strings.TrimPrefix(p, modulePath+"/")] = true
		}
	}
	seen := map[string]bool{}
	for _, s := range sources {
		folder := path.Dir(s.name)
		if seen[folder] || !strings.HasPrefix(folder, "engine/") || s.test() ||
			strings.HasPrefix(folder, "engine/internal/") {
			continue
		}
		seen[folder] = true
		if !used[folder] && !forAuthors[folder] {
			t.Errorf("%s is only used in engine: move it to engine/internal", folder)
		}
	}
}
