package spec_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/packed"
)

// TestPagesOfProgram checks that the program's copy of the pages in docs is what they are. With
// -update, it writes the copy: after the tests that write pages, which are in files before this
// one.
func TestPagesOfProgram(t *testing.T) {
	const folder = "../../docs"
	pages := map[string]string{}
	for _, pattern := range []string{"*.md", "*/*.md"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".md")
			if name == "architecture" || filepath.Base(filepath.Dir(file)) == "api" {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[name] = string(text)
		}
	}
	want, err := packed.Pack(pages)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "pages.gz")
	if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
		return
	}
	if !*update {
		t.Fatal("docs/pages.gz is not what the pages are: run go generate ./engine/spec")
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}
