package gitdir

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTrackedFiles compares with git, for each format of the index.
func TestTrackedFiles(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, c := range []struct{ name, commands string }{
		{"version 2", "git init -q"},
		{"version 3", "git init -q; git add -N c/new"},
		{"version 4", "git init -q; git add a; git update-index --index-version 4"},
		{"sha256", "git init -q --object-format=sha256"},
		{"split", "git init -q; git add a; git update-index --split-index"},
		{"none", "git init -q; rm -r a c n*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			long := strings.Repeat("n", 200)
			for _, name := range []string{"a", "c/new", "c/one", "c/é b",
				long + "/" + long} {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			run := func(line string) string {
				cmd := exec.Command("sh", "-c", line)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_NOSYSTEM=1")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", line, err, out)
				}
				return string(out)
			}
			run(c.commands + "; git add .")
			r, ok := Find(dir)
			got, err := r.TrackedFiles()
			if c.name == "split" {
				if err == nil {
					t.Errorf("got %q of a split index", got)
				}
				return
			}
			want := strings.FieldsFunc(run("git ls-files -z"), func(r rune) bool { return r == 0 })
			if !ok || err != nil || !slices.Equal(got, want) {
				t.Errorf("got %q, %v\nwant %q", got, err, want)
			}
		})
	}
}

func FuzzParseIndex(f *testing.F) {
	entry := append(make([]byte, 61),
		"\x01a\x00\x00\x00\x00\x00\x00\x00\x00\x00"...)
	for _, begin := range []string{"DIRC\x00\x00\x00\x02", "DIRC\x00\x00\x00\x04"} {
		f.Add(slices.Concat([]byte(begin+"\x00\x00\x00\x01"), entry, make([]byte, 20)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		names, err := parseIndex(b, 20)
		for _, name := range names {
			if err != nil || len(name) > len(b) || bytes.IndexByte([]byte(name), 0) >= 0 {
				t.Errorf("%q, %v", name, err)
			}
		}
	})
}
