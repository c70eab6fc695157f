package extfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/scriptfile"
)

// folder makes a folder with files, given as pairs of name and text.
func folder(t *testing.T, files ...string) Folder {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(dir, files[i])
		if err := os.WriteFile(path, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return Folder{Root: root, Path: dir}
}

func readOne(t *testing.T, h *Hasher, in Folder, name string) *scriptfile.Module {
	t.Helper()
	list, _ := h.Modules(in, []string{name})
	if len(list) != 1 {
		t.Fatalf("got %d modules", len(list))
	}
	return list[0]
}

// TestModules: a file is described by its hash, its size, and whether it can be executed.
func TestModules(t *testing.T) {
	t.Parallel()
	in := folder(t, "main", "abc")
	var h Hasher
	m := readOne(t, &h, in, "main")
	const abc = "sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n3 bytes\n"
	if string(m.Bytes) != abc || m.Err != nil || !m.Guards ||
		m.Path != filepath.Join(in.Path, "main") {
		t.Errorf("got %q %v %v %s", m.Bytes, m.Err, m.Guards, m.Path)
	}
	if err := os.Chmod(m.Path, 0o755); err != nil {
		t.Fatal(err)
	}
	if m := readOne(t, &h, in, "main"); string(m.Bytes) != abc+"executable\n" {
		t.Errorf("got %q", m.Bytes)
	}
}

// TestUnusable: files that cannot be read, or are not in the folder, may guard.
func TestUnusable(t *testing.T) {
	t.Parallel()
	in := folder(t, "big", "")
	if err := os.Truncate(filepath.Join(in.Path, "big"), maxFile+1); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(in.Path, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"none": "cannot be read: no such file",
		"../x": "is not in the folder", "/etc/passwd": "is not in the folder",
		"big": "has 268435457 bytes", "sub": "is a folder, not a regular file",
	} {
		m := readOne(t, &Hasher{}, in, name)
		if m.Err == nil || !strings.Contains(m.Err.Error(), want) || !m.Guards ||
			m.File != name {
			t.Errorf("%s: got %v %v, want %q", name, m.Err, m.Guards, want)
		}
	}
}

// TestRemembered: a file that is known to be unchanged is not read again.
func TestRemembered(t *testing.T) {
	t.Parallel()
	in := folder(t, "main", "abc")
	var h Hasher
	path := filepath.Join(in.Path, "main")
	before := readOne(t, &h, in, "main")
	if len(h.known) != 0 {
		t.Error("a file that has just been changed is remembered")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	h.remember(path, sum{info: info, hash: "known"}, time.Now().Add(2*racy))
	if m := readOne(t, &h, in, "main"); !strings.HasPrefix(string(m.Bytes), "sha256 known\n") {
		t.Skipf("times of changes are not known here: %s", m.Bytes)
	}
	if err := os.WriteFile(path, []byte("abd"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	m := readOne(t, &h, in, "main")
	if strings.Contains(string(m.Bytes), "known") || string(m.Bytes) == string(before.Bytes) {
		t.Errorf("got %s of a file whose times were set back", m.Bytes)
	}
}

// TestPerhaps: a file that may be missing, or lead out of the folder, is known as such, and does
// not pass as unchanged once that is not so any more.
func TestPerhaps(t *testing.T) {
	t.Parallel()
	in := folder(t)
	in.Perhaps = map[string]bool{"later": true, "out": true}
	elsewhere := t.TempDir()
	out := filepath.Join(in.Path, "out")
	if err := os.Symlink(elsewhere, out); err != nil {
		t.Skip(err)
	}
	list, _ := (&Hasher{}).Modules(in, []string{"later", "out"})
	if len(list) != 2 || string(list[0].Bytes) != "missing\n" ||
		!strings.HasPrefix(string(list[1].Bytes), "leads to ") {
		t.Fatalf("got %q, %q", list[0].Bytes, list[1].Bytes)
	}
	if err := Check(list); err != nil {
		t.Errorf("unchanged files: %v", err)
	}
	if err := os.WriteFile(filepath.Join(in.Path, "later"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Check(list[:1]); err == nil {
		t.Error("a file that has appeared passes")
	}
	if err := os.Remove(out); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), out); err != nil {
		t.Fatal(err)
	}
	if err := Check(list[1:]); err == nil {
		t.Error("a link that leads elsewhere passes")
	}
}
