package realpath

import (
	"errors"
	"io/fs"
	"os"
)

// Road returns the names that decide where path leads: the links on the way, in their order, each
// with the links in its folder followed, and behind them the real path, or the first name that does
// not exist or cannot be examined. A change of one of them may lead path elsewhere. real is "" if
// path leads nowhere.
func Road(path string) (names []string, real string) {
	missing := false
	real, ok := followLinks(path, func(name string) (string, error) {
		if missing {
			return "", fs.ErrNotExist
		}
		info, err := os.Lstat(name)
		if err == nil && info.Mode()&os.ModeSymlink == 0 {
			return "", errNoLink
		}
		names = append(names, name)
		if missing = err != nil; missing {
			return "", err
		}
		return os.Readlink(name)
	})
	if missing || !ok {
		return names, ""
	}
	return append(names, real), real
}

var errNoLink = errors.New("not a link")
