// This file defines the modules that the scripts of a folder share.

package scriptfile

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/suggest"
)

// ModulePrefix begins the name of every module: "lib/x" is the file x of the folder lib beside the
// script.
const ModulePrefix = "lib/"

// maxModuleName is the longest name of a module: file systems take no longer one.
const maxModuleName = 255

// Module is a file that a script, or one of its modules, requires.
type Module struct {
	Name  string // as in require: "lib/x"
	File  string // "lib/x.lua", what errors name; "" if there is none
	Path  string
	Bytes []byte
	Err   error // why it cannot be used
	// Guards says that it may guard calls, for a file whose Bytes only describe it: see Library.
	Guards bool
}

// Library is the folder lib of a script: its modules, and the names of other files. Of an extension
// of another host it has the files that the extension runs, whose Bytes are a text with the hash.
type Library struct {
	Modules []*Module // by name
	Files   []string  // all files of lib, without extensions, for suggestions
}

// Module returns the module that a script requires by name. A module must be named in full in the
// text of the script, or of one of its modules: so the content of a script is known, hashed and
// trusted before any of it runs.
func (l *Library) Module(name string) (*Module, error) {
	var m *Module
	if l != nil {
		if i := slices.IndexFunc(l.Modules,
			func(m *Module) bool { return m.Name == name }); i >= 0 {
			m = l.Modules[i]
		}
	}
	switch {
	case m != nil && m.Err == nil:
		return m, nil
	case m != nil:
		return nil, fmt.Errorf("require: %s: %w", name, m.Err)
	case len(name) > maxModuleName:
		return nil, fmt.Errorf("require: got %.80q..., want a name of at most %d bytes", name,
			maxModuleName)
	case !strings.HasPrefix(name, ModulePrefix):
		return nil, fmt.Errorf(
			"require: got %.80q, want \"lib/NAME\": a module in the folder lib beside the script%s",
			name, l.near(name))
	case !moduleName().MatchString(name) || path.Clean(name) != name:
		return nil, fmt.Errorf(
			"require: got %.80q: a name under lib/ has letters, digits, _, . and -, and "+
				"stays in lib", name)
	case l == nil:
		return nil, fmt.Errorf("require: %s: the script has no folder lib", name)
	}
	return nil, fmt.Errorf(
		"require: %s: the name of a module must stand in the text as it is: require(\"%s\")", name,
		name)
}

// near returns the did-you-mean for the name of a module.
func (l *Library) near(name string) string {
	if l == nil {
		return ""
	}
	name = strings.TrimLeft(strings.ReplaceAll(name, "\\", "/"), "./")
	return suggest.DidYouMean(ModulePrefix+
		strings.TrimPrefix(strings.TrimPrefix(name, ModulePrefix),
			"lib."), l.Files)
}

// NotFound returns the Err of a module without a file.
func (l *Library) NotFound(name string, endings []string) error {
	return fmt.Errorf("there is no such file (%s%s)%s", name, strings.Join(endings, ", "+name),
		suggest.DidYouMean(name, l.Files))
}

var (
	moduleName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^lib(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`)
	})
	moduleText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("[\"'`\\[](lib(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)+)[\"'`\\]]")
	})
)

// ModuleNames lists the names of modules in a source text, in order: every string literal that
// looks like one. It may list more than the script requires, never less.
func ModuleNames(src []byte) []string {
	if !bytes.Contains(src, []byte(ModulePrefix)) { // most scripts have none, and patterns are slow
		return nil
	}
	var names []string
	for _, m := range moduleText().FindAllSubmatch(src, -1) {
		if name := string(m[1]); path.Clean(name) == name {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
