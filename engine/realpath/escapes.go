package realpath

import (
	"path/filepath"
	"runtime"
	"strings"
)

// Below returns the path from dir to path, with slashes, if path is dir or below it; "." is dir
// itself. It compares names: both paths should be real ones.
func Below(dir, path string) (rel string, ok bool) {
	if dir == "" {
		return "", false
	}
	if runtime.GOOS != "windows" && filepath.IsAbs(dir) && filepath.IsAbs(path) {
		return belowClean(filepath.Clean(dir), filepath.Clean(path))
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// belowClean is Below of clean absolute paths with slashes, without filepath.Rel, which takes five
// times as long: one command of a sandbox asks this a thousand times.
func belowClean(dir, path string) (rel string, ok bool) {
	rest, ok := strings.CutPrefix(path, dir)
	switch {
	case !ok:
		return "", false
	case rest == "":
		return ".", true
	case dir == "/":
		return rest, true
	case rest[0] != '/':
		return "", false
	}
	return rest[1:], true
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
