package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/internal/bashtest"
)

// forbiddenCommands are commands that testRules is about.
var forbiddenCommands = []string{
	"‹word rm›‹gap›‹word -r›‹gap›‹word x›", "‹word rm›‹gap›‹word -fr›‹gap›‹word x›",
	"‹word rm›‹gap›‹word --recurs›‹gap›‹word x›", "‹word git›‹gap›‹word push›‹gap›‹word --force›"}

// TestBash runs lines that Check is silent about with a real bash: it must not run a command that
// testRules is about.
func TestBash(t *testing.T) {
	b := newBash(t)
	bashtest.Each(t, forbiddenCommands, func(line string) bool { return compare(t, b, line) })
}

// FuzzBash does the same with lines that the fuzzing engine finds.
func FuzzBash(f *testing.F) {
	b := newBash(f)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, choices []byte) {
		compare(t, b, bashtest.Line(choices, forbiddenCommands))
	})
}

func newBash(t testing.TB) *bashtest.Bash {
	return bashtest.New(t, t.TempDir(), []string{"rm", "git"}, nil)
}

// compare reports whether the line ran.
func compare(t *testing.T, b *bashtest.Bash, line string) bool {
	t.Helper()
	if v := Parse(line).Check(testRules); v.Decision != "" {
		return false
	}
	b.Reset(t)
	for _, words := range b.Run(t, line) {
		if forbidden(words) {
			t.Errorf("bash ran %q, and Check was silent:\n%s\n%q", words, line, line)
		}
	}
	return true
}

// forbidden reports whether testRules is about a command.
func forbidden(words []string) bool {
	switch words[0] {
	case "rm":
		return slices.ContainsFunc(words[1:], func(w string) bool {
			return len(w) > 3 && strings.HasPrefix("--recursive", w) || len(w) > 1 && w[0] == '-' &&
				w[1] != '-' && strings.ContainsAny(w, "rR")
		})
	case "git":
		return len(words) > 2 && words[1] == "push" && slices.Contains(words, "--force")
	}
	return false
}
