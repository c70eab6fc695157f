//go:build !unix

package load

import "io/fs"

// onlyRootWrites is false on systems without root: managed scripts do not run there.
func onlyRootWrites(fs.FileInfo) bool { return false }
