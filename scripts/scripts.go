// Package scripts holds scripts that come with the program: the offline model, which is part of it,
// and the gallery, one idea per file, in Lua and in JS, one in TypeScript too, to copy from.
package scripts

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/packed"
)

//go:generate go test . -run TestGalleryOfProgram -update

// packedGallery has the gallery and the templates by file name.
//
//go:embed gallery.gz
var packedGallery string

var gallery = sync.OnceValue(func() map[string]string { return packed.Texts(packedGallery) })

//go:embed offline.lua
var offline string

// templateFolder begins the names of the templates.
const templateFolder = "templates/"

// Kinds are the kinds of scripts that there are templates of.
func Kinds() []string { return []string{"guard", "tool", "command", "status", "provider"} }

// Template returns the beginning of a script of a kind, in a language (lua or js), for the script's
// name, which it contains.
func Template(kind, language, name string) (string, error) {
	text, ok := gallery()[templateFolder+kind+"."+language]
	if !ok {
		return "", fmt.Errorf("there is no template of a %s in %s", kind, language)
	}
	return strings.ReplaceAll(text, "NAME", name), nil
}

// Files returns the file names of the gallery's scripts, in order.
func Files() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(gallery())),
		func(name string) bool { return strings.HasPrefix(name, templateFolder) })
}

// Text returns a script of the gallery by its file name; ok is false if there is none.
func Text(file string) (text string, ok bool) {
	text, ok = gallery()[file]
	return text, ok
}

// Offline returns offline.lua: the model that needs no key and no network.
func Offline() []byte { return []byte(offline) }
