package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/shell"
)

// denied are rules about the commands that the command lines run.
var denied = shell.Rules{Deny: []shell.Rule{
	{Cmd: []string{"rm"}, Flags: []string{"r"}},
	{Cmd: []string{"git"}, Sub: []string{"push"}, Flags: []string{"force"}},
}}

// breaks reports whether the rules deny a command that has run, given its words as the program got
// them.
func breaks(words []string) bool {
	switch words[0] {
	case "rm":
		for _, w := range words[1:] {
			if w == "--" {
				return false
			}
			if abbreviates(w, "--recursive") || strings.HasPrefix(w, "-") &&
				strings.Trim(w[1:], "rRfivdI") == "" && strings.ContainsAny(w, "rR") {
				return true
			}
		}
	case "git":
		at := subcommand(words)
		if at == 0 || words[at] != "push" {
			return false
		}
		return slices.ContainsFunc(words[at:], func(w string) bool {
			return abbreviates(w, "--force") || strings.HasPrefix(w, "+") || w == "-f" || w == "-uf"
		})
	}
	return false
}

// subcommand returns where the subcommand of git is in its words, 0 if there is none. It may be
// empty, which git refuses.
func subcommand(words []string) int {
	for i := 1; i < len(words); i++ {
		switch {
		case slices.Contains([]string{"-c", "-C", "--git-dir", "--work-tree", "--namespace"},
			words[i]):
			i++
		case !strings.HasPrefix(words[i], "-"):
			return i
		}
	}
	return 0
}

// abbreviates reports whether a program takes a word for a flag.
func abbreviates(w, flag string) bool { return len(w) > 2 && strings.HasPrefix(flag, w) }

// fill creates files that patterns match.
func fill(dir string) {
	for _, name := range []string{"rm", "-r", "zz", "x1y"} {
		_ = os.WriteFile(filepath.Join(dir, name), nil, 0o600)
	}
}

// try runs a command line, and reports whether a denied command ran.
func try(t testing.TB, w *world, line string) (found bool) {
	t.Helper()
	return judge(t, w, "denied", line)
}

// judgeDenied implements judgement: it runs a line, and expects that one that runs a denied command
// does not pass as harmless.
func judgeDenied(t testing.TB, w *world, line string) (acted bool, wrong string) {
	t.Helper()
	ran, _ := w.run(t, line, fill)
	for _, words := range ran {
		if breaks(words) {
			if w.parse(line).Check(&denied).Decision == "" {
				return true, fmt.Sprintf("runs %q, and nothing is said of it", words)
			}
			return true, ""
		}
	}
	return false, ""
}

// TestDeniedCommandsDoNotPass checks that no command line that runs a denied command passes as
// harmless.
func TestDeniedCommandsDoNotPass(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lines, from := size(t, 250)
	found := 0
	for i := range lines {
		m := newMaker(from + uint64(i))
		if try(t, w, m.line(m.IntN(4))) {
			found++
		}
	}
	t.Logf("%d of %d lines did it", found, lines)
	if found < lines/3 {
		t.Errorf("only %d of %d lines did what is denied: the test tests little", found, lines)
	}
}

// FuzzDeniedCommandsDoNotPass is the same test without a time limit. Only the seeds vary: the
// grammar generates the command lines.
func FuzzDeniedCommandsDoNotPass(f *testing.F) {
	f.Add(uint64(1), uint8(2))
	f.Fuzz(func(t *testing.T, seed uint64, depth uint8) {
		try(t, newWorld(t), newMaker(seed).line(int(depth%4)))
	})
}
