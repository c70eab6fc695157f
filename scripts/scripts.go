// Package scripts holds scripts that come with the program: the offline model, which is part of it, and the
// gallery, one idea per file, in Lua and in JS, to copy from.
package scripts

import (
	"embed"
	"io/fs"
)

//go:embed *.lua *.js
var files embed.FS

// Files returns all scripts by their file names.
func Files() fs.FS { return files }

// Offline returns offline.lua: the model that needs no key and no network.
func Offline() []byte {
	b, err := files.ReadFile("offline.lua")
	if err != nil {
		panic("scripts: offline.lua is not embedded: " + err.Error()) // a mistake in this package
	}
	return b
}
