package realpath

import (
	"path/filepath"
	"strings"
)

// Below returns the path from dir to path, with slashes, if path is dir or below it; "." is dir
// itself. It compares names: both paths should be real ones.
func Below(dir, path string) (rel string, ok bool) {
	if dir == "" {
		return "", false
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Escapes reports whether path, with links followed, leads out of root.
func Escapes(root, path string) bool {
	realRoot, ok := Of(root)
	if !ok {
		return true
	}
	real, ok := Of(path)
	if !ok {
		return true
	}
	_, below := Below(realRoot, real)
	return !below
}
