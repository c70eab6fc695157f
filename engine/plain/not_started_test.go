package plain_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agentscripts/agent/engine/plain"
)

func TestNotStarted(t *testing.T) {
	t.Parallel()
	missing := "file does not exist"
	for _, test := range []struct {
		text string
		err  error
		want string
	}{
		{"#!/no/such -x\n", fs.ErrNotExist, missing +
			"; correct its first line: there is no /no/such"},
		{"#! /no/such", fs.ErrNotExist, missing + "; correct its first line: there is no /no/such"},
		{"#!" + os.Args[0] + "\r\n", fs.ErrNotExist, missing +
			"; correct its first line: there is no " + plain.Line(plain.Reveal(os.Args[0]+"\r"), 80)},
		{"#!" + os.Args[0] + "\n", fs.ErrNotExist, missing},
		{"ELF", fs.ErrNotExist, missing},
		{"", fs.ErrPermission, fs.ErrPermission.Error()},
		{"echo x\n", syscall.ENOEXEC, syscall.ENOEXEC.Error() + "; a script needs a first line " +
			"such as #!/bin/sh, another program must be built for this system"},
	} {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, []byte(test.text), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := plain.NotStarted(file, test.err).Error(); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}
