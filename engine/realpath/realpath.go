// Package realpath tells where a path leads: what a system would open, or make, by that name.
//
//	real, ok := realpath.Of("/p/src/notes.txt") // "/home/u/.ssh/authorized_keys", though that is not there yet
//
// Links are followed one name at a time, as the system does: also those that lead to nothing, and
// .. behind a link is the folder above what the link leads to. What is not there stays as it is
// written. It looks at each name once, and changes nothing. What it says may be another thing a
// moment later: who opens a file must know what he has opened.
package realpath

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	// maxLinks is how many links are followed: where Linux and other systems give up (ELOOP).
	maxLinks = 40
	// MaxBytes is how long a path may be, in bytes: Linux opens none that is longer (PATH_MAX), and
	// other systems allow less.
	MaxBytes = 4096
)

// Of is where a path leads. It is taken from the working directory if it is relative. ok is false
// if the system would not follow it to the end: it is longer than MaxBytes, or has too many links.
// Then real is the path without its dots, and nothing can be opened by that name.
func Of(path string) (real string, ok bool) { return followLinks(path, os.Readlink) }

// followLinks is Of with a readlink of its own.
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
		if err != nil { // no link, not there, or not to be looked at
			at = next
			continue
		}
		if links++; links > maxLinks {
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

// root cuts an absolute path into where it begins and the rest.
func root(path string) (at, rest string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), path[len(volume):]
}
