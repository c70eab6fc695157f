// Package scripts holds scripts that come with the program: the offline model, which is part of it,
// and the gallery, one idea per file, in Lua and in JS, one in TypeScript too, to copy from.
package scripts

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.lua *.js *.ts
var files embed.FS

//go:embed templates
var templates embed.FS

// Kinds are the kinds of scripts that there are templates of.
func Kinds() []string { return []string{"guard", "tool", "command", "status", "provider"} }

// Template returns the beginning of a script of a kind, in a language (lua or js), for the script's
// name, which it contains.
func Template(kind, language, name string) (string, error) {
	b, err := templates.ReadFile("templates/" + kind + "." + language)
	return strings.ReplaceAll(string(b), "NAME", name), err
}

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
