package plain

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// NotStarted returns the error of the start of the program in a file with what to do about it.
//
//go:noinline
func NotStarted(file string, err error) error {
	hint := "; a script needs a first line such as #!/bin/sh, another program must be built for " +
		"this system"
	if !errors.Is(err, syscall.ENOEXEC) {
		name := MissingInterpreter(file)
		if name == "" || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		hint = "; correct its first line: there is no " + name
	}
	return errors.New(err.Error() + hint)
}

// MissingInterpreter returns the interpreter that the first line of a program names, if there is
// none at its path; "" otherwise. A carriage return belongs to the name, and is shown.
//
//go:noinline
func MissingInterpreter(file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256) // what the kernel reads
	n, _ := f.Read(head)
	text, is := strings.CutPrefix(string(head[:n]), "#!")
	line, _, _ := strings.Cut(text, "\n")
	name, _, _ := strings.Cut(strings.Trim(line, " \t"), " ")
	if name == "" || !is {
		return ""
	}
	if _, err := os.Stat(name); err == nil {
		return ""
	}
	return Line(Reveal(name), 80)
}
