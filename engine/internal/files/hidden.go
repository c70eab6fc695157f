// This file keeps the wildcards of grants away from names that begin with a dot. Much of what has
// such a name is run by somebody sooner or later, or says what is run: hooks of .git, shell
// start-up files, .envrc, .vscode, scripts in .agent; or it holds secrets: .env, .ssh, the password
// in a URL of .git/config. So a script that may read or write all of a project may not reach those
// by the way, as * in a shell does not stand for them either: the grant must name them.

package files

import (
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/agentscripts/agent/engine/glob"
)

// namesHidden reports whether pattern, which matches rel, names each hidden name in it: .git/**
// does so for .git/config, and not for .git/.x.
func namesHidden(pattern, rel string) bool {
	var signs []string
	for name := range strings.SplitSeq(rel, "/") {
		if !hidden(name) {
			continue
		}
		if signs == nil {
			signs = strings.FieldsFunc(pattern,
				func(r rune) bool { return strings.ContainsRune("/{},", r) })
		}
		if !slices.ContainsFunc(signs, func(sign string) bool {
			return hidden(sign) &&
				glob.Match(sign, name)
		}) {
			return false
		}
	}
	return true
}

// hidden reports whether a name begins with a dot, or may be another name of one that does: some
// systems leave out letters without a shape, and on Windows it has a short name too.
func hidden(name string) bool {
	name = strings.TrimLeftFunc(strings.TrimPrefix(name, "\\"),
		func(r rune) bool { return unicode.Is(unicode.Cf, r) })
	return strings.HasPrefix(name, ".") || runtime.GOOS == "windows" && strings.Contains(name, "~")
}
