package realpath

import "os"

// Same reports whether two paths are equal, or lead to the same file or folder.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
