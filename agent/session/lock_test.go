package session

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// deadline is the timeout of every wait of these tests.
const deadline = 3 * time.Minute

// TestWriter is the other process. It opens the session that the environment names, or creates one,
// appends an entry, reports that, and waits to be killed or for the end of its input.
func TestWriter(t *testing.T) {
	path, dir := os.Getenv("SESSION_TEST_OPEN"), os.Getenv("SESSION_TEST_NEW")
	s := New(Options{Dir: dir})
	switch {
	case path == "" && dir == "":
		t.Skip("only as another process")
	case path != "":
		var err error
		if s, err = Open(path); err != nil {
			os.Stdout.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
	}
	if _, err := s.Append(user("from the other process")); err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
	os.Stdout.WriteString("open " + s.Path() + "\n")
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// writer starts the other process and returns its first output.
func writer(t *testing.T, env string) (c *exec.Cmd, said string, end io.Closer) {
	t.Helper()
	c = exec.Command(os.Args[0], "-test.run=^TestWriter$")
	c.Env = append(os.Environ(), env)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(deadline, func() { c.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		c.Process.Kill()
		c.Wait()
	})
	said, _ = bufio.NewReader(out).ReadString('\n')
	return c, strings.TrimSpace(said), in
}

func TestTwoProcessesOnOneSession(t *testing.T) {
	dir := t.TempDir()
	other, said, _ := writer(t, "SESSION_TEST_NEW="+dir)
	path, ok := strings.CutPrefix(said, "open ")
	if !ok {
		t.Fatal(said)
	}
	// The session is in use from its first entry on, and can still be read.
	_, err := Open(path)
	var in *InUseError
	if !errors.As(err, &in) || in.PID != other.Process.Pid || in.ID != idOf(path) {
		t.Fatalf("got %v, want it in use by process %d", err, other.Process.Pid)
	}
	for _, want := range []string{idOf(path), "end that one", "agent -r", "copy"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %q, want %q in it", err, want)
		}
	}
	if l, err := Load(path); err != nil || len(l.Entries()) != 1 {
		t.Errorf("reading it: got %v", err)
	}
	if list, err := List(dir, 0); err != nil || len(list) != 1 ||
		list[0].First != "from the other process" {
		t.Errorf("listing it: got %+v %v", list, err)
	}
	// A killed process leaves nothing that blocks the session.
	other.Process.Kill()
	other.Wait()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add(t, s, user("mine"))
	if _, said, _ := writer(t, "SESSION_TEST_OPEN="+path); !strings.Contains(said,
		"in use by another agent (process ") {
		t.Errorf("opened by the other process: got %q", said)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "this process") {
		t.Errorf("twice in one process: got %v", err)
	}
	s.Close()
	third, said, end := writer(t, "SESSION_TEST_OPEN="+path)
	if !strings.HasPrefix(said, "open ") {
		t.Fatalf("after Close: got %q", said)
	}
	if _, err := Open(path); !errors.As(err, &in) || in.PID != third.Process.Pid {
		t.Errorf("the error names the process: got %v, want process %d", err, third.Process.Pid)
	}
	// Append fails while the other process has the session open, and after it has written.
	if _, err := s.Append(user("late")); !errors.As(err, &in) {
		t.Errorf("append: got %v", err)
	}
	end.Close()
	third.Wait()
	if _, err := s.Append(user("late")); err == nil ||
		!strings.Contains(err.Error(), "has changed") {
		t.Errorf("append after the other has written: got %v", err)
	}
	if l, err := Load(path); err != nil ||
		says(l) != "from the other process mine from the other process" || len(l.Damaged()) > 0 {
		t.Errorf("in the end: got %v", err)
	}
}

func TestSessionHasNoOtherFiles(t *testing.T) {
	s := newSession(t)
	add(t, s, user("one"))
	s = reopened(t, s)
	add(t, s, user("two"))
	files, err := os.ReadDir(filepath.Dir(s.Path()))
	if err != nil || len(files) != 1 {
		t.Errorf("got %v %v, want the session's file alone", files, err)
	}
}

func TestOpenFailures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if _, err := Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	os.WriteFile(path, []byte("garbage\n"), 0o600)
	for range 2 { // twice, because the lock must be released
		if _, err := Open(path); !errors.Is(err, ErrNoSession) {
			t.Errorf("got %v, want ErrNoSession", err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
