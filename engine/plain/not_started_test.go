package plain_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agentscripts/agent/engine/plain"
)

func TestNotStarted(t *testing.T) {
	t.Parallel()
	self := os.Args[0]
	for text, want := range map[string]string{
		"#!/no/such -x\n":      "/no/such",
		"#! /no/such":          "/no/such",
		"#!" + self + "\n":     "",
		"#!" + self + " -x\n":  "",
		"#!\n":                 "",
		"echo /no/such\n":      "",
		"#!/no/such\r\necho\n": "/no/such␍",
	} {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := plain.MissingInterpreter(file); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := plain.NotStarted("x: " + syscall.ENOEXEC.Error()); got == "" {
		t.Error("a program of another system: nothing is said")
	}
	if got := plain.NotStarted(syscall.ENOENT.Error()); got != "" {
		t.Errorf("got %q", got)
	}
}
