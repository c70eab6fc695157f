package engine_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// forEmbedders are packages that only code below their parent imports here, but that other programs
// need.
var forEmbedders = []string{
	"agent/hook",              // handlers in Go
	"agent/output",            // the option Output of an agent
	"engine/foreign/hooks",    // an engine with one format
	"engine/foreign/picoclaw", // the same
	"engine/foreign/zot",      // the same
	"engine/stream",           // the type of Engine.Stream
}

// TestInternal: a package is internal if only its parent, and what is below that, imports it. Other
// programs cannot depend on it then.
func TestInternal(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	for _, folder := range onlyForParent(sources) {
		if !slices.Contains(forEmbedders, folder) {
			wrong = append(wrong, folder)
		}
	}
	for _, folder := range wrong {
		t.Errorf("%s: only %s imports it: move it to %s/internal", folder, path.Dir(folder),
			path.Dir(folder))
	}
	for _, folder := range forEmbedders {
		if !slices.Contains(onlyForParent(sources), folder) {
			t.Errorf("%s is imported from elsewhere: remove it from forEmbedders", folder)
		}
	}
}

// onlyForParent returns the packages that are not internal, and that are imported only from their
// parent and from below it.
func onlyForParent(sources []*source) (folders []string) {
	within := map[string]bool{} // all imports so far are from the parent, or below
	for _, s := range sources {
		paths, _ := s.imports()
		for _, name := range paths {
			to, ok := strings.CutPrefix(name, modulePath+"/")
			parent := path.Dir(to)
			if !ok || parent == "." || slices.Contains(strings.Split(to, "/"), "internal") ||
				s.folder() == to {
				continue
			}
			below := s.folder() == parent || strings.HasPrefix(s.folder(), parent+"/")
			if was, seen := within[to]; !seen || was {
				within[to] = below
			}
		}
	}
	for folder, only := range within {
		if only {
			folders = append(folders, folder)
		}
	}
	slices.Sort(folders)
	return folders
}

func TestOnlyForParent(t *testing.T) {
	t.Parallel()
	file := func(name, imported string) *source {
		return mustParse(t, name, "package x\nimport \""+modulePath+"/"+imported+"\"")
	}
	got := onlyForParent([]*source{file("a/x.go", "a/one"), file("a/two/x.go", "a/one"),
		file("a/x.go", "a/two"), file("b/x.go", "a/two"), file("a/x.go", "a/internal/three"),
		file("a/four/x_test.go", "a/four"), file("a/x.go", "b")})
	if want := []string{"a/one"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
