package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestCheckCorpus checks that agent ext check finds no errors in scripts that do what public
// extensions of other agents do. Users would switch off a check that reports correct code.
func TestCheckCorpus(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/corpus.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) < 50 {
		t.Fatalf("%d scripts, want at least 50", len(archive.Files))
	}
	dir := t.TempDir()
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if code := run([]string{"ext", "check", dir}, nil, &out, &out); code != exitOK ||
		!strings.Contains(out.String(), " 0 errors, ") {
		t.Errorf("ext check ends with %d:\n%s", code, out.String())
	}
}
