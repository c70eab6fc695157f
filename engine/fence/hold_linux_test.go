package fence

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestReplacedFiles: what a program protects from others stays protected when another program
// replaces it while the first runs, also from processes that it has left running.
func TestReplacedFiles(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		if m == Landlock {
			t.Skip("it makes no exceptions in folders")
		}
		w := newWorld(t)
		secret := filepath.Join(w.secrets, "key")
		p := w.policy("")
		p.Hidden = append(p.Hidden, secret)
		for _, name := range []string{"again", "moved"} {
			path := filepath.Join(w.project, name, ".env")
			if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("OLD SECRET"), 0o644); err != nil {
				t.Fatal(err)
			}
			p.Hidden = append(p.Hidden, path)
		}
		f := newFence(m, func(string) Policy { return p })
		var mu sync.Mutex
		var replaced []string
		f.OnReplaced(func(r Replaced) {
			mu.Lock()
			defer mu.Unlock()
			if r.Err != nil {
				t.Error(r.Err)
			}
			replaced = append(replaced, r.Paths...)
		})
		// a daemon that tries when it is asked to
		in, out := filepath.Join(w.project, "in"), filepath.Join(w.project, "out")
		if err := syscall.Mkfifo(in, 0o600); err != nil {
			t.Fatal(err)
		}
		script := `exec <>in 2>/dev/null; while read end; do cat */.env .env sub/deep/key; ` +
			`echo evil >.git/config; echo evil >.git/hooks/x; ln -sfn evil linked/hooks; ` +
			`mv x .env; rm -rf sub/deep; echo tried $end; done`
		if err := os.WriteFile(filepath.Join(w.project, "try.sh"), []byte(script),
			0o644); err != nil {
			t.Fatal(err)
		}
		cmd := w.command(t, f, "setsid -f bash try.sh >out")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatal(err, string(text))
		}
		Close(cmd)
		ask, err := os.OpenFile(in, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer ask.Close()
		try := func(name string) {
			t.Helper()
			answer := "tried " + name + "\n" // the name of one file is the end of another's
			_, _ = ask.WriteString(name + "\n")
			waitFor(t, name, func() bool {
				text, _ := os.ReadFile(out)
				if strings.Contains(string(text), "SECRET") {
					t.Fatalf("%s: it reads\n%s", name, text)
				}
				return strings.Contains(string(text), answer)
			})
			for _, path := range []string{".git/config", ".git/hooks/x"} {
				text, _ := os.ReadFile(filepath.Join(w.project, path))
				if string(text) == "evil\n" {
					t.Errorf("%s: it writes %s", name, path)
				}
			}
		}
		t.Cleanup(func() {
			endIn(w.project)
			f.OnReplaced(func(Replaced) {}) // the test's files are removed
		})
		try("before")
		for name, change := range map[string]string{
			".env":        "echo NEW SECRET >new; mv new .env",
			"sub/deep":    "mv sub/deep old; mkdir sub/deep; echo NEW SECRET >sub/deep/key",
			"sub/.env":    "mv sub/.env sub/.env~; echo NEW SECRET >sub/.env",
			".git/config": "echo mine >.git/new; mv .git/new .git/config",
			".git/hooks":  "mv .git/hooks .git/old; mkdir .git/hooks",
			// with the number of the old file, which is free at once on some file systems
			"again/.env": "rm again/.env; echo NEW SECRET >again/.env",
			// with the old file under its old name
			"moved/.env": "ln moved/.env moved/b; rm moved/.env; mv moved/b moved/.env",
		} {
			shell := exec.Command("/bin/sh", "-c", change)
			shell.Dir = w.project
			if text, err := shell.CombinedOutput(); err != nil {
				t.Fatal(err, string(text))
			}
			waitFor(t, name+" is protected again", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return slices.Contains(replaced, filepath.Join(w.project, name))
			})
			try(name + " replaced")
		}
		if f.failing.Load() > 0 {
			t.Error("it does not count as complete")
		}
	})
}

// endIn kills the processes that work in a folder.
func endIn(dir string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, one := range all {
		if to, _ := os.Readlink(one); to == dir {
			_ = exec.Command("kill", "-9", filepath.Base(filepath.Dir(one))).Run()
		}
	}
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("timed out: " + what)
		}
	}
}
