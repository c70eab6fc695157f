//go:build unix

package fence

import (
	"os"
	"syscall"
)

// accessible reports whether this process may write path.
func accessible(path string) bool {
	const writeOK = 2
	return syscall.Access(path, writeOK) == nil
}

// soleName reports whether a file has no second hard link. A missing file has none.
func soleName(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return true
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}
