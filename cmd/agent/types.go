// This file implements agent ext types, which writes the types of ext for editors beside the user's
// scripts.

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/spec"
)

// typeFile is a file that editors read.
type typeFile struct {
	name, text string
	own        bool // keep the user's own file if there is one
}

// typeFiles returns the files for the folder of scripts. Those that are rewritten each time are in
// a hidden folder, which is not searched for scripts.
func typeFiles() []typeFile {
	return []typeFile{
		{".types/ext.d.ts", spec.TypeScript(), false},
		{".types/ext.lua", spec.LuaMeta(), false},
		{".types/luacheckrc", spec.Luacheck(), false},
		{".luarc.json", `{
  "runtime.version": "LuaJIT",
  "workspace.library": [".types"],
  "workspace.checkThirdParty": false
}
`, true},
		{".luacheckrc", "return dofile(\".types/luacheckrc\")\n", true},
		{"jsconfig.json", `{
  "compilerOptions": { "checkJs": true, "noEmit": true, "moduleDetection": "force", "strict": true,
	"noImplicitAny": false, "useUnknownInCatchVariables": false,
	"target": "es2022", "lib": ["es2022"], "types": [] },
  "include": ["*.js", "*.mjs", "*.cjs", "*.ts", "*.mts", "*.cts", "lib/**/*", ".types/ext.d.ts"]
}
`, true},
	}
}

func extTypes(_ *flags, words []string, stdout, stderr io.Writer) int {
	if len(words) > 0 {
		return usageError(stderr, fmt.Errorf("ext types: got %s, want no arguments",
			strings.Join(words, " ")))
	}
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	dir := filepath.Join(at.home, "scripts")
	if err := os.MkdirAll(filepath.Join(dir, ".types"), 0o755); err != nil {
		return failure(stderr, err)
	}
	var lines []string
	for _, f := range typeFiles() {
		path := filepath.Join(dir, filepath.FromSlash(f.name))
		was, err := regularfile.Read(path)
		switch {
		case err == nil && string(was) == f.text:
			lines = append(lines, "unchanged "+path)
			continue
		case err == nil && f.own:
			lines = append(lines, "left as it is "+path+": it is yours; what is new lies in .types")
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return failure(stderr, err)
		}
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			return failure(stderr, fmt.Errorf("ext types: %w", err))
		}
		lines = append(lines, "wrote "+path)
	}
	return printText(stdout, stderr, strings.Join(lines, "\n"))
}
