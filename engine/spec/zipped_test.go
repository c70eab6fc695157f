package spec_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPagesOfProgram checks that the program's copy of the pages in docs is what they are. With
// -update, it writes the copy: after the tests that write pages, which are in files before this
// one.
func TestPagesOfProgram(t *testing.T) {
	const folder = "../../docs"
	var want bytes.Buffer
	for _, pattern := range []string{"*.md", "tutorial/*.md"} {
		files, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".md")
			if name == "architecture" {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want.WriteString("\x00page " + name + "\n")
			want.Write(text)
		}
	}
	path := filepath.Join(folder, "pages.gz")
	if bytes.Equal(unzip(path), want.Bytes()) {
		return
	}
	if !*update {
		t.Fatal("docs/pages.gz is not what the pages are: run go generate ./engine/spec")
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(want.Bytes())
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(path, out.Bytes(), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// unzip returns the content of a compressed file; nil if there is none, or it is broken.
func unzip(path string) []byte {
	packed, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return text
}
