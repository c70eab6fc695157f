// This file lists other names for arguments, which models know from the tools of other programs.

package tool

import (
	"maps"

	"github.com/agentscripts/agent/engine"
)

// fileNames are other names of the argument path for a file, folderNames for a directory.
var (
	fileNames = map[string]string{"file_path": "path", "filepath": "path", "filePath": "path",
		"file": "path", "filename": "path", "file_name": "path", "absolute_path": "path"}
	folderNames = map[string]string{"dir": "path", "directory": "path", "folder": "path",
		"dir_path": "path", "directory_path": "path"}
)

// also returns aliases that extend those of groups.
func also(names map[string]string, groups ...map[string]string) *engine.Aliases {
	all := map[string]string{}
	maps.Copy(all, names)
	for _, g := range groups {
		maps.Copy(all, g)
	}
	return &engine.Aliases{Names: all}
}

// editAliases returns the aliases for edit. The tools of other programs make one replacement per
// call.
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

// bashAliases returns the aliases for bash. In other programs, models also describe the command.
func bashAliases() *engine.Aliases {
	a := also(map[string]string{"cmd": "command", "workdir": "cwd", "working_directory": "cwd",
		"run_in_background": "background"})
	a.Idle = []string{"description"}
	return a
}
