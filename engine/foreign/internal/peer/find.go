// This file finds the programs of extensions.

package peer

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/fault"
)

// Local reports whether a program is named by a path relative to the folder in which it runs.
func Local(name string) bool {
	return strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) && !path.IsAbs(name)
}

// Grant returns the grant for a program.
func Grant(name string) string {
	if Local(name) {
		name = path.Clean(filepath.ToSlash(name))
	}
	return "exec:" + name
}

// Find returns the path of a program that runs in a folder. key says for the error where the
// manifest names the program: "exec in extension.json".
func Find(name, folder, key string) (string, error) {
	file := name
	if Local(name) {
		file = filepath.Join(folder, filepath.FromSlash(name))
	}
	found, err := exec.LookPath(file)
	if err == nil {
		return found, nil
	}
	hint := "install it, or correct " + key
	switch {
	case errors.Is(err, os.ErrPermission):
		hint = "make it executable: chmod +x " + file
	case Local(name):
		hint = "build it, or correct " + key
	}
	return "", &fault.ScriptError{Message: fmt.Sprintf("%s cannot be started: %v", name, err),
		Hint: hint, Err: err}
}

// Files returns the files of a program: itself, and arguments that name files. What an interpreter
// runs is the extension, as in "python3 -u main.py"; other arguments only look like files. The
// paths are relative to the folder in which the program runs, as is the one that exists gets.
func Files(name string, args []string, exists func(name string) bool) (files []string) {
	if Local(name) {
		files = append(files, path.Clean(filepath.ToSlash(name)))
	}
	for i, arg := range args {
		file := path.Clean(filepath.ToSlash(arg))
		if filepath.IsAbs(arg) || strings.HasPrefix(arg, "-") {
			continue
		}
		// without it, the interpreter has nothing to run: it is awaited
		first := i == 0 && !Local(name) && !Local(arg) && len(path.Ext(arg)) > 1
		if first || exists(file) {
			files = append(files, file)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}
