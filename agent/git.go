package agent

import (
	"os"
	"path/filepath"
	"strings"
)

// branch returns the git branch that dir's work tree is on, the commit if it is on none, "" outside of git.
// It reads the files that git itself reads: running git would cost milliseconds at each event.
func branch(dir string) string {
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
	if b, err := os.ReadFile(git); err == nil { // a work tree or a submodule: a file that says where
		to, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir: ")
		if !ok {
			return ""
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(git), to)
		}
		git = to
	}
	b, err := os.ReadFile(filepath.Join(git, "HEAD"))
	if err != nil {
		return ""
	}
	head := strings.TrimSpace(string(b))
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	return head[:min(len(head), 12)]
}
