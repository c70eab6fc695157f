//go:build !unix

package fence

// accessible reports whether this process may write path. It is unknown on this system.
func accessible(string) bool { return true }

// soleName reports whether a file is known to have no other name.
func soleName(string) bool { return false }
