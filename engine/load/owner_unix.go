//go:build unix

package load

import (
	"io/fs"
	"syscall"
)

// onlyRootWrites reports whether root owns the file or folder, and no one else may write to it.
func onlyRootWrites(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0 && info.Mode().Perm()&0o022 == 0
}
