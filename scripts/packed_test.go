package scripts_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/engine/packed"
)

// TestGalleryOfProgram checks that the program's copy of the gallery and the templates is what they
// are. With -update, it writes the copy.
func TestGalleryOfProgram(t *testing.T) {
	files := map[string]string{}
	for _, pattern := range []string{"*.lua", "*.js", "*.ts", "templates/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if name == "offline.lua" { // read at each start
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(name)] = string(text)
		}
	}
	want, err := packed.Pack(files)
	if err != nil {
		t.Fatal(err)
	}
	const path = "gallery.gz"
	if got, err := os.ReadFile(path); err == nil && bytes.Equal(got, want) {
		return
	}
	if !*update {
		t.Fatal("scripts/gallery.gz is not what the scripts are: run go generate ./scripts")
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}
