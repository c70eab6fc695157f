// This file says what models call arguments, having learnt it from other programs' tools.

package tool

import (
	"maps"

	"github.com/agentscripts/agent/engine"
)

// fileNames are other names of the argument path where that is a file, folderNames where it is a
// directory.
var (
	fileNames = map[string]string{"file_path": "path", "filepath": "path", "filePath": "path",
		"file": "path", "filename": "path", "file_name": "path", "absolute_path": "path"}
	folderNames = map[string]string{"dir": "path", "directory": "path", "folder": "path",
		"dir_path": "path", "directory_path": "path"}
)

// also returns aliases with other names of arguments besides those of groups.
func also(names map[string]string, groups ...map[string]string) *engine.Aliases {
	all := map[string]string{}
	maps.Copy(all, names)
	for _, g := range groups {
		maps.Copy(all, g)
	}
	return &engine.Aliases{Names: all}
}

// editAliases are what models call the arguments of edit: other programs' tools make one
// replacement.
func editAliases() *engine.Aliases {
	a := also(nil, fileNames)
	a.List = "edits"
	a.Items = map[string]string{
		"old_string": "old", "oldString": "old", "old_str": "old", "old_text": "old",
		"oldText":    "old",
		"new_string": "new", "newString": "new", "new_str": "new", "new_text": "new",
		"newText":     "new",
		"replace_all": "all", "replaceAll": "all",
	}
	return a
}

// bashAliases are what models call the arguments of bash; other programs let them describe the
// command, too.
func bashAliases() *engine.Aliases {
	a := also(map[string]string{"cmd": "command", "workdir": "cwd", "working_directory": "cwd",
		"run_in_background": "background"})
	a.Idle = []string{"description"}
	return a
}
