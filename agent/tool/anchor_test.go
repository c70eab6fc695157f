package tool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPathChangedAfterDecision replaces a folder of the path with a link after the decision about
// the call.
func TestPathChangedAfterDecision(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, name := range []string{"d", "secret"} {
		if err := os.Mkdir(at(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at(name+"/f"), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("secret", at("l")); err != nil {
		t.Skip("links are not supported: ", err)
	}
	if err := os.Symlink("../secret/f", at("d/link")); err != nil {
		t.Fatal(err)
	}
	moved := func(what string, err error) {
		if err == nil || !strings.Contains(err.Error(), "leads elsewhere") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if to, err := decidedPath(at("l/f"), []string{at("secret/f")}); err != nil || to != at(
		"secret/f") {
		t.Errorf("as decided: got %s, %v", to, err)
	}
	_, err = decidedPath(at("l/f"), []string{at("d/f")})
	moved("decided about another file", err)
	_, err = openDecided(at("l/f"), []string{at("d/f")})
	moved("read", err)
	_, err = openFolder(at("l"), false)
	moved("a folder that is a link now", err)
	_, err = openFolder(at("l/new"), true)
	moved("a folder below a link", err)
	if _, err := os.Lstat(at("secret/new")); err == nil {
		t.Error("the folder was created")
	}
	f, err := openDecided(at("d/link"), []string{at("secret/f")})
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for what, open := range map[string]func(string) (*os.File, error){"at once": openStraight,
		"folder by folder": openStep} {
		f, err := open(at("secret/f"))
		if errors.Is(err, errors.ErrUnsupported) {
			continue // another system
		}
		if err != nil {
			t.Fatal(what, err)
		}
		f.Close()
		for _, path := range []string{"l/f", "d/link", "d"} {
			_, err := open(at(path))
			moved(what+": "+path, err)
		}
		if _, err := open(at("d/none")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	root, err := openFolder(at("d/new/er"), true)
	if err != nil {
		t.Fatal(err)
	}
	root.Close()
	if st, err := os.Stat(at("d/new/er")); err != nil || !st.IsDir() {
		t.Error(err)
	}
}
