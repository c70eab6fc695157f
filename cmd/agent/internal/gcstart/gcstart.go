// Package gcstart avoids garbage collections while the program starts. Nearly everything allocated
// during the start is kept, and collections would take a third of the time until the first request
// is sent. It does not increase the program's memory.
//
// Most of the allocations happen before main, during package initialization, so main cannot call a
// function for it. Go initializes packages in the order of their import paths as soon as their
// imports are initialized. Package gcstart imports only the standard library, so it precedes the
// other packages.
package gcstart

import (
	"os"
	"runtime/debug"
	"time"
)

const (
	// percent is GOGC during the start: the first collection is at 32 MB instead of 4.
	percent = 800
	// length is the duration of the start.
	length = time.Second
)

// usual is GOGC after the start; 0 means that the environment sets it.
var usual = lessOften()

func lessOften() int {
	if os.Getenv("GOGC") != "" {
		return 0
	}
	return debug.SetGCPercent(percent)
}

// End restores the usual frequency of collections after the start. main calls it first.
func End() {
	if usual != 0 {
		time.AfterFunc(length, func() { debug.SetGCPercent(usual) })
	}
}
