package plain

import (
	"os"
	"strings"
	"syscall"
)

// NotStarted returns what to do if an error says that the system has not started a program: the end
// of the error message; "" if it says something else.
func NotStarted(text string) string {
	if !strings.Contains(text, syscall.ENOEXEC.Error()) {
		return ""
	}
	return "; a script needs a first line such as #!/bin/sh, another program must be built for " +
		"this system"
}

// MissingInterpreter returns the interpreter that the first line of a program names, if there is
// none at its path; "" otherwise. A carriage return belongs to the name, and is shown.
func MissingInterpreter(file string) string {
	if st, err := os.Stat(file); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256) // what the kernel reads
	n, _ := f.Read(head)
	text, is := strings.CutPrefix(string(head[:n]), "#!")
	line, _, _ := strings.Cut(text, "\n")
	name := strings.Trim(line, " \t")
	if end := strings.IndexAny(name, " \t"); end > 0 {
		name = name[:end]
	}
	if !is || !strings.HasPrefix(name, "/") { // another path depends on where the program starts
		return ""
	}
	if _, err := os.Stat(name); err == nil {
		return ""
	}
	return Line(Reveal(name), 80)
}
