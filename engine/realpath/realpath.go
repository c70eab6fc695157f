// Package realpath resolves paths: it returns the file that the system would open, or create, by
// that name.
//
//	real, ok := realpath.Of("/p/src/notes.txt")
//	// "/home/u/.ssh/authorized_keys", even if that does not exist yet
//
// Links are followed one name at a time, as the system does, including dangling ones; .. after a
// link is the parent of the link's target. Names that do not exist stay as they are. It looks at
// each name once, and changes nothing. The result may be outdated a moment later: code that opens a
// file must check what it has opened.
package realpath

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// maxLinks is how many links are followed: the limit of Linux and other systems (ELOOP).
	maxLinks = 40
	// MaxBytes is the maximal length of a path in bytes: that of Linux (PATH_MAX); other systems
	// allow less.
	MaxBytes = 4096
)

// Of returns the real path of path, relative to the working directory. ok is false if the system
// would not resolve it: it is longer than MaxBytes, or has too many links; and if it leads through
// what a process has, such as /proc/self/cwd, since other processes get another file by that name.
// Then real is the path without its dots.
func Of(path string) (real string, ok bool) { return followLinks(path, os.Readlink) }

// followLinks is Of with a given readlink.
func followLinks(path string, readlink func(string) (string, error)) (real string, ok bool) {
	if path == "" {
		return "", true
	}
	if !filepath.IsAbs(path) {
		dir, err := os.Getwd()
		if err != nil {
			return path, false
		}
		path = dir + string(filepath.Separator) + path
	}
	at, rest := root(path)
	for links := 0; rest != ""; {
		if len(rest) > MaxBytes {
			return filepath.Clean(path), false
		}
		var name string
		name, rest, _ = strings.Cut(rest, string(filepath.Separator))
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		to, err := readlink(next)
		if err == errStopped {
			return filepath.Clean(path), false
		}
		if err != nil { // not a link, missing, or unreadable
			at = next
			continue
		}
		if links++; links > maxLinks || ofProcess(next) {
			return filepath.Clean(path), false
		}
		if to = filepath.FromSlash(to); filepath.IsAbs(to) {
			at, to = root(to)
		}
		rest = to + string(filepath.Separator) + rest
	}
	if runtime.GOOS == "windows" { // names have other spellings there
		if long, err := filepath.EvalSymlinks(at); err == nil {
			at = long
		}
	}
	return at, true
}

// ofProcess reports whether a link of /proc leads to a file that a process has, and to another one
// for each process: /proc/7/cwd, /proc/7/fd/3.
func ofProcess(link string) bool {
	rest, in := strings.CutPrefix(filepath.ToSlash(link), "/proc/")
	return in && strings.Contains(rest, "/") && runtime.GOOS == "linux"
}

// root splits an absolute path into its root and the rest.
func root(path string) (at, rest string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), path[len(volume):]
}
