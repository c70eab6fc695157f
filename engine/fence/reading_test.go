package fence

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// readingOutput runs a script that may only read in a folder, and returns its output.
func readingOutput(t *testing.T, f *Fence, dir, script string, env ...string) string {
	t.Helper()
	cmd := exec.Command("/bin/bash", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if err := f.ConfineReading(cmd); err != nil {
		t.Fatal(err)
	}
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// eachReading is eachMethod for the methods that can confine a program that only reads.
func eachReading(t *testing.T, run func(t *testing.T, m Method)) {
	t.Helper()
	eachMethod(t, func(t *testing.T, m Method) {
		if m == Landlock {
			t.Skip("it cannot block the network")
		}
		run(t, m)
	})
}

// TestReading: a program that may only read can write nothing at all, and has no network, whatever
// the policy permits to others.
func TestReading(t *testing.T) {
	t.Parallel()
	eachReading(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		file := filepath.Join(w.project, "a")
		if err := os.WriteFile(file, []byte("text of a"), 0o644); err != nil {
			t.Fatal(err)
		}
		out := readingOutput(t, newFence(m, w.policy), w.project, "cat a; echo x > b; "+
			"echo x > a; rm a; echo x > \"$OLDPWD/c\"; echo x > /dev/shm/d; "+
			"(echo > /dev/tcp/192.0.2.1/80); echo x > /dev/null && echo end",
			"OLDPWD="+t.TempDir())
		for _, want := range []string{"text of a", "b: Read-only file system", "not supported",
			"end"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
		if text, err := os.ReadFile(file); string(text) != "text of a" {
			t.Errorf("it was written: %q, %v", text, err)
		}
		for _, path := range []string{filepath.Join(w.project, "b"), "/dev/shm/d"} {
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s was written", path)
			}
		}
	})
}

// TestReadingReachesNobody: a program that may only read sends nothing to programs outside, no
// signals and nothing through sockets, and what it leaves running ends with it.
func TestReadingReachesNobody(t *testing.T) {
	t.Parallel()
	eachReading(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		listen(t, filepath.Join(w.project, "socket")) // other programs can reach it there
		f := newFence(m, w.policy)
		out := readingOutput(t, f, w.project, "kill -WINCH $AGENT && echo reached it; "+
			"curl -s --unix-socket socket http://h; echo curl: $?; (sleep 3; echo late) & echo end",
			"AGENT="+w.outsider(t))
		if strings.Contains(out, "reached it") || !strings.Contains(out, "end") {
			t.Errorf("a program outside got a signal:\n%s", out)
		}
		const noConnection = "curl: 7"
		if _, err := exec.LookPath("curl"); err == nil && !strings.Contains(out, noConnection) {
			t.Errorf("a program outside was reached by its socket:\n%s", out)
		}
		if strings.Contains(out, "late") {
			t.Errorf("a process outlived the program:\n%s", out)
		}
	})
}

// TestReadingHasTemporaryFiles: a program that only reads may need temporary files, as tac does,
// and sort and here-documents for long texts.
func TestReadingHasTemporaryFiles(t *testing.T) {
	t.Parallel()
	eachReading(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		out := readingOutput(t, newFence(m, w.policy), w.project,
			"printf 'a\\nb\\n' | tac; echo $TMPDIR; ls -A $TMPDIR")
		if want := "b\na\n/dev/shm\n"; out != want {
			t.Errorf("got %q, want %q", out, want)
		}
	})
}

// TestReadingInSharedMemory: a project in the folder of shared memory can be read, and nothing in
// that folder can be written.
func TestReadingInSharedMemory(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp(sharedMemory, "fence")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("text of a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	eachReading(t, func(t *testing.T, m Method) {
		policies := map[string]Policy{"as the project": {Writable: []string{dir}},
			"as another folder": {Writable: []string{"/tmp"}}}
		for name, p := range policies {
			f := newFence(m, func(string) Policy { return p })
			out := readingOutput(t, f, dir, "cat a; echo x > b; echo x > "+sharedMemory+"/fence-c")
			if !strings.HasPrefix(out, "text of a\n") ||
				strings.Count(out, "Read-only file system") != 2 {
				t.Errorf("%s: %s", name, out)
			}
		}
	})
}

// TestRefusedReading: what a program shows of files, and that a file is missing, is no message
// about something that a program which only reads may not do.
func TestRefusedReading(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"touch: cannot touch 'x': Read-only file system":                                 true,
		"bash: line 1: x: Read-only file system":                                         true,
		"fatal: Unable to create '/p/.git/index.lock': Read-only file system":            true,
		"OSError: [Errno 30] Read-only file system: 'x'":                                 true,
		"Error: EROFS: read-only file system, mkdir '/p/x'":                              true,
		"fatal: unable to access 'https://h/': Could not resolve host: h":                true,
		"go: download go1.99: dial tcp: lookup proxy.golang.org: network is unreachable": true,
		"curl: (7) socket: Address family not supported by protocol":                     true,
		"bash: line 1: kill: (7) - Operation not permitted":                              true,
		"ls: cannot access 'x': No such file or directory":                               false,
		"find: '/root/x': Permission denied":                                             false,
		`3:	return "read-only file system"`:                                              false,
		`src/a.go:3:	return "read-only file system"`:                                     false,
		"// the message is then: Read-only file system":                                  false,
		"": false,
	} {
		if got := RefusedReading("one\n" + line + "\nthree\n"); got != want {
			t.Errorf("%q: got %v, want %v", line, got, want)
		}
	}
}
