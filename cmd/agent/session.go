// This file is agent session: list and export.
package main

import (
	"io"
)

func sessionCommand(f *flags, at place, stdout, stderr io.Writer) int {
	return exitError
}
