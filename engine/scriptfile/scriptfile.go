// Package scriptfile defines a script as a file: where it comes from, its header, its bytes, and
// the modules that it requires. It neither finds nor runs any: see engine/load and engine.
package scriptfile

import (
	"path"
	"strings"
)

// Source is the origin of a script; the values are in the order of handlers of equal priority.
type Source int

const (
	SourceManaged Source = iota // /etc/agent/scripts
	SourceBuiltin               // part of the program (the offline model)
	SourceGo                    // an embedder's
	SourceUser                  // ~/.agent/scripts
	SourceProject               // ./.agent/scripts
	SourceCLI                   // -e PATH
	SourceForeign               // extensions of other hosts
)

// BuiltinPath stands before the name of a script of SourceBuiltin, in place of a path.
const BuiltinPath = "builtin:"

func (s Source) String() string {
	return [...]string{"managed", "builtin", "go", "user", "project", "cli", "foreign"}[s]
}

// Header is the comment block at the top of a script, read as text before anything runs.
type Header struct {
	Name     string
	Version  string
	API      int
	Summary  string
	Guards   []string // tool filters that stay protected while no version of the file loads
	Grants   Grants
	Priority *float64
	// Off says that the script is not to be loaded, as the manifest of an extension of another host
	// may say.
	Off bool
}

// Grants are the capabilities that a script requests: "ui", "provider", "exec:git",
// "net:api.github.com", ...
type Grants []string

// Has reports whether the grant was requested, by its full text or its kind.
func (g Grants) Has(grant string) bool {
	for _, x := range g {
		if x == grant || strings.HasPrefix(x, grant+":") {
			return true
		}
	}
	return false
}

// Named returns the arguments of grants of a kind: a and b for net:a,b.
func (g Grants) Named(kind string) (names []string) {
	for _, x := range g {
		if name, ok := strings.CutPrefix(x, kind+":"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Allows reports whether the grant kind covers name: tools:read, tools:mcp__* and tools:* do for
// tools and read.
func (g Grants) Allows(kind, name string) bool {
	for _, x := range g {
		if pattern, ok := strings.CutPrefix(x, kind+":"); ok {
			if fits, _ := path.Match(pattern, name); fits || pattern == name {
				return true
			}
		}
	}
	return false
}

// Script is one file. Its identity is its file name with extension.
type Script struct {
	Name   string // "guard.lua"
	Path   string // as found, not resolved
	Source Source
	Header Header
	Bytes  []byte
	Hash   string // sha256 of Bytes, and of the modules if there are any, hex
	// Library holds its modules; nil: none.
	Library *Library
}

// LogName returns the name of the file with the log of a script, by the script's name.
func LogName(script string) string { return strings.ReplaceAll(script, "/", "-") + ".log" }

// File returns the text of one of the script's files by its name in errors; ok is false if there is
// none.
func (s *Script) File(name string) (src []byte, ok bool) {
	if name == s.Name {
		return s.Bytes, true
	}
	if s.Library != nil {
		for _, m := range s.Library.Modules {
			if m.File == name && name != "" {
				return m.Bytes, true
			}
		}
	}
	return nil, false
}
