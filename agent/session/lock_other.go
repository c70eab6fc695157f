//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package session

import "os"

// lock does nothing: this system has no locks that end with their process. Two writers are noticed when a
// session is opened again.
func lock(*os.File) error { return nil }
