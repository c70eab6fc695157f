package config

import (
	"os"
	"path/filepath"

	"github.com/agentscripts/agent/engine/realpath"
)

// Project returns the project root of dir: the nearest of dir and its ancestors with .agent or
// .git, else dir itself. The .agent in the user's home directory holds the user's own settings and
// does not make the home directory a project, unless dir is the home directory.
func Project(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return project(dir, home)
}

func project(dir, home string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	for d := dir; ; d = filepath.Dir(d) {
		if realpath.IsDir(filepath.Join(d, ".agent")) && (d == dir || !realpath.Same(d, home)) ||
			// a file in a work tree or a submodule
			realpath.Exists(filepath.Join(d, ".git")) {
			return d
		}
		if d == filepath.Dir(d) {
			return dir
		}
	}
}
