//go:build unix

package files_test

import (
	"syscall"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/internal/files"
)

// TestPipes: only regular files are opened, and no call waits for a pipe.
func TestPipes(t *testing.T) {
	p := newPlace(t)
	if err := syscall.Mkfifo(p.path("work/pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	r := p.f.Reach([]string{"./**", "/dev/**"}, []string{"./**", "/dev/**"}, "")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for name, do := range map[string]func(string) error{
			"read": func(s string) error { _, err := r.Read(s, files.Part{}); return err },
			"lines": func(s string) error {
				_, err := r.Lines(t.Context(), s,
					files.Part{})
				return err
			},
			"write":  func(s string) error { return r.Write(t.Context(), s, nil) },
			"append": func(s string) error { return r.Append(s, nil) },
		} {
			for _, path := range []string{"pipe", "/dev/null"} {
				if err := do(path); said(err) != files.Invalid {
					t.Errorf("%s %s: got %v", name, path, err)
				}
			}
			if err := do("pipe/x"); said(err) != files.NotDirectory {
				t.Errorf("%s pipe/x: got %v", name, err)
			}
		}
		if _, err := r.List("pipe"); said(err) != files.NotDirectory {
			t.Errorf("list: got %v", err)
		}
		if info, err := r.Stat("pipe"); err != nil || info.Kind != "other" {
			t.Errorf("stat: got %v, %v", info, err)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("it waits")
	}
}
