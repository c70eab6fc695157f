// Package gcstart spares the start of the program its garbage collections: nearly all that is
// allocated then is kept, and finding that out is a third of the time until the first request goes
// out. The program takes no more memory for it.
//
// Most of it is allocated before main runs, while packages are initialised, so it cannot be a
// function that main calls. Packages are initialised in the order of their import paths as soon as
// what they import is: this one, which imports the standard library only, comes before the
// libraries.
package gcstart

import (
	"os"
	"runtime/debug"
	"time"
)

const (
	// percent is GOGC during the start: a collection begins at 16 MB instead of 4.
	percent = 400
	// length is the time from the start in which that holds.
	length = time.Second
)

// usual is how often collections are made otherwise; 0 = GOGC in the environment says so.
var usual = lessOften()

func lessOften() int {
	if os.Getenv("GOGC") != "" {
		return 0
	}
	return debug.SetGCPercent(percent)
}

// End makes collections as frequent as usual when the start is over. main calls it first of all.
func End() {
	if usual != 0 {
		time.AfterFunc(length, func() { debug.SetGCPercent(usual) })
	}
}
