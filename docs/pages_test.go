package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPages checks that the program has each page of the folder but one, as it is in its file.
func TestPages(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"*.md", "tutorial/*.md", "howto/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	var want []string
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		if name == "architecture" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if Page(name) != string(text) {
			t.Errorf("%s: the page differs from its file, or is missing", name)
		}
		want = append(want, name)
	}
	slices.Sort(want)
	if got := Names(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if Page("nothing") != "" || Page("../go") != "" {
		t.Error("there is a page of a name that no file has")
	}
}
