// This file prevents that scripts write the agent's own settings, which decide which scripts run
// with which rights.

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
)

// own returns the names in the agent's own directory that scripts cannot write, with everything
// below them, and with temporary files beside them (trust.json.lock). For texts for the model
// (AGENTS.md, agents, ...), the grants decide.
func own() []string {
	return []string{
		"config.toml",      // rules, providers, programs that are started
		"permissions.json", // what "always" has allowed
		"trust.json",       // which files of projects may run
		"scripts",          // files in it are loaded, with any grants
		"extensions",       // programs in it are started
		"state",            // the last good versions of scripts
		"store",            // values of scripts
		"sessions",         // conversations
		"output",           // results of tools
		"audit",            // the log of decisions
		"logs",
	}
}

// Protected reports whether name, in the agent's own directory, is protected. It ignores case, as
// some systems do.
func Protected(name string) bool {
	for _, p := range own() {
		if strings.EqualFold(name, p) || len(name) > len(p) &&
			strings.EqualFold(name[:len(p)], p) &&
			strings.ContainsRune(".:~ ", rune(name[len(p)])) {
			return true
		}
	}
	return runtime.GOOS == "windows" && strings.Contains(name, "~") // may be a short name of one
}

// lies reports whether the path real is protected. The file need not exist.
func (f *Files) lies(real string) bool {
	rel, ok := realpath.Below(locate(f.o.Home), real)
	first, _, _ := strings.Cut(rel, "/")
	return ok && Protected(first)
}

// keeper holds the protected files by identity, not by name.
type keeper struct {
	home  fs.FileInfo
	own   []fs.FileInfo
	above []fs.FileInfo // home, and the folders above it
}

func (f *Files) keeper() *keeper {
	k := &keeper{}
	if f.o.Home == "" {
		return k
	}
	dir := locate(f.o.Home)
	k.home, _ = os.Stat(dir)
	for _, name := range own() {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			k.own = append(k.own, info)
		}
	}
	for {
		if info, err := os.Stat(dir); err == nil {
			k.above = append(k.above, info)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return k
		}
		dir = up
	}
}

// enters reports whether the next step from a folder leads to protected files.
func (k *keeper) enters(e entry) bool {
	return same(e.info, k.own) || k.home != nil && os.SameFile(e.info, k.home) && e.next != "" &&
		Protected(e.next)
}

// is reports whether a file or folder is protected itself.
func (k *keeper) is(info fs.FileInfo) bool { return same(info, k.own) }

// holds reports whether a folder contains protected files.
func (k *keeper) holds(info fs.FileInfo) bool { return same(info, k.above) }

func same(info fs.FileInfo, list []fs.FileInfo) bool {
	for _, x := range list {
		if os.SameFile(info, x) {
			return true
		}
	}
	return false
}
