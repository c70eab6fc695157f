// This file keeps the agent's own settings from scripts: what decides which scripts run, and what
// they may.

package files

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentscripts/agent/engine/realpath"
)

// own are the names in the agent's own directory that are not written for a script, with all below
// them, and with what is beside them for a while (trust.json.lock). Where texts for the model lie
// (AGENTS.md, agents, ...) is up to the grants.
func own() []string {
	return []string{
		"config.toml",      // rules, providers, programs that are started
		"permissions.json", // what "always" has allowed
		"trust.json",       // which files of projects may run
		"scripts",          // what is put there runs, with any grants
		"state",            // the last good versions of scripts
		"store",            // what scripts keep, each its own
		"sessions",         // what was said and done
		"output",           // what tools gave
		"logs",
	}
}

// Protected reports whether name, in the agent's own directory, is protected. Letters count as
// equal that some systems take for equal.
func Protected(name string) bool {
	for _, p := range own() {
		if strings.EqualFold(name, p) || len(name) > len(p) &&
			strings.EqualFold(name[:len(p)], p) &&
			strings.ContainsRune(".:~ ", rune(name[len(p)])) {
			return true
		}
	}
	return runtime.GOOS == "windows" && strings.Contains(name, "~") // a short name: of any of them
}

// lies reports whether real is protected by where it lies: also where nothing is yet.
func (f *Files) lies(real string) bool {
	rel, ok := realpath.Below(locate(f.o.Home), real)
	first, _, _ := strings.Cut(rel, "/")
	return ok && Protected(first)
}

// keeper holds what is protected as it is now: by what it is, not by how it is called.
type keeper struct {
	home  fs.FileInfo
	own   []fs.FileInfo
	above []fs.FileInfo // home, and what it is in
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

// enters reports whether going on from a folder would be to change what is protected.
func (k *keeper) enters(e entry) bool {
	return same(e.info, k.own) || k.home != nil && os.SameFile(e.info, k.home) && e.next != "" &&
		Protected(e.next)
}

// is reports whether a file or folder is protected itself.
func (k *keeper) is(info fs.FileInfo) bool { return same(info, k.own) }

// holds reports whether what is protected is in a folder.
func (k *keeper) holds(info fs.FileInfo) bool { return same(info, k.above) }

func same(info fs.FileInfo, list []fs.FileInfo) bool {
	for _, x := range list {
		if os.SameFile(info, x) {
			return true
		}
	}
	return false
}
