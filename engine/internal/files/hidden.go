// This file keeps wildcards of grants from matching names that begin with a dot, as in a shell: a
// grant must name them. Many such files are executed or configure what is executed (hooks of .git,
// shell start-up files, .envrc, .vscode, scripts in .agent), or hold secrets (.env, .ssh, the
// password in a URL of .git/config).

package files

import (
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/agentscripts/agent/engine/glob"
)

// namesHidden reports whether pattern, which matches rel, has a part with a dot for each hidden
// name in rel: .git/** has one for .git/config, and not for .git/.x.
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
			return hidden(sign) && glob.Match(sign, name)
		}) {
			return false
		}
	}
	return true
}

// hidden reports whether a name begins with a dot, or may be another name of such a file: some
// systems ignore format characters, and Windows has short names.
func hidden(name string) bool {
	name = strings.TrimLeftFunc(strings.TrimPrefix(name, "\\"),
		func(r rune) bool { return unicode.Is(unicode.Cf, r) })
	return strings.HasPrefix(name, ".") || runtime.GOOS == "windows" && strings.Contains(name, "~")
}
