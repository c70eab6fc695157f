// Package git reads git's files about a directory without running git.
package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Branch returns the git branch of dir's work tree, the commit if the head is detached, "" outside
// of git. It reads git's files: running git would cost milliseconds at each event.
func Branch(dir string) string {
	if dir == "" {
		return ""
	}
	for {
		if head := gitHead(filepath.Join(dir, ".git")); head != "" {
			return head
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		return ""
	}
}

func gitHead(git string) string {
	if b, err := small(git); err == nil { // a work tree or a submodule: a file with the path
		to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(git), to)
		}
		git = to
	}
	b, err := small(filepath.Join(git, "HEAD"))
	if err != nil {
		return ""
	}
	head := strings.TrimSpace(string(b))
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	return head[:min(len(head), 12)]
}

// small reads a regular file of a few bytes: a pipe could block for ever, a device may have no end.
func small(path string) ([]byte, error) {
	const most = 64 << 10
	switch st, err := os.Stat(path); {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular() || st.Size() > most:
		return nil, errors.New("not a small file")
	}
	return os.ReadFile(path)
}
