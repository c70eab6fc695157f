package realpath

import (
	"os"
	"path/filepath"
	"strings"
)

// CutHome returns what follows ~/ in a path as users type it; "" for ~ alone. ok is false for other
// paths, ~name too.
func CutHome(path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, "~")
	switch {
	case !ok || rest == "":
		return "", ok
	case !os.IsPathSeparator(rest[0]):
		return "", false
	}
	return rest[1:], true
}

// Typed returns the absolute form of a path as a user types it: ~ is home, unless that is "", and a
// relative path is in dir. It follows no links.
func Typed(path, dir, home string) string {
	if rest, ok := CutHome(path); ok && home != "" {
		return filepath.Join(home, rest)
	}
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
