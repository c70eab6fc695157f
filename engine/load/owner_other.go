//go:build !unix

package load

import "io/fs"

// onlyRootWrites is false where there is no root: managed scripts do not run there.
func onlyRootWrites(fs.FileInfo) bool { return false }
