package tool

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestBesideLongNames: the temporary name of a file with a long name is text, without a part of a
// character, which some file systems refuse.
func TestBesideLongNames(t *testing.T) {
	t.Parallel()
	dir, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	f, name, err := beside(dir, "x"+strings.Repeat("é", 110))
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if !utf8.ValidString(name) {
		t.Errorf("got %q", name)
	}
}
