package realpath

import (
	"path/filepath"
	"strings"
)

// Typed returns the absolute form of a path as a user types it: ~ is home, unless that is "", and a
// relative path is in dir. It follows no links.
func Typed(path, dir, home string) string {
	path = filepath.FromSlash(path)
	switch {
	case home != "" && (path == "~" || strings.HasPrefix(path, "~"+string(filepath.Separator))):
		return filepath.Join(home, path[1:])
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
