package shell

import (
	_ "embed"
	"strings"
	"testing"
)

// usual are rules as people have them.
var usual = &Rules{
	Deny: []Rule{{Cmd: []string{"rm"}, Flags: []string{"r"}},
		{Cmd: []string{"git"}, Sub: []string{"push"}, Flags: []string{"force"}},
		{Cmd: []string{"sudo", "doas"}}, {Cmd: []string{"mkfs*", "shutdown", "reboot"}}},
	Ask: []Rule{{Cmd: []string{"git"}, Sub: []string{"reset"}, Flags: []string{"hard"}},
		{Cmd: []string{"chmod"}, Args: []string{"777"}}},
}

// ordinary are command lines as agents run them: none of them is to be asked about. A ⏎ is the end
// of a line.
//
//go:embed testdata/ordinary.txt
var ordinary string

// asked are ordinary command lines that are asked about all the same: a branch may be called +main,
// and what stands in a variable may be a flag, or more of a script.
const asked = `
eval "$(ssh-agent -s)"
git push -u origin "$(git rev-parse --abbrev-ref HEAD)"
git push origin $(git branch --show-current)
sed "s/x/$y/" file
sed -i "s/version = .*/version = \"$V\"/" Cargo.toml
trap 'rm -f "$T"' EXIT; T=$(mktemp); echo > "$T"
`

func TestOrdinaryLinesPass(t *testing.T) {
	n := 0
	for line := range strings.Lines(ordinary) {
		text := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		if v := Parse(text).Check(usual); v.Decision != "" &&
			!strings.Contains(asked, "\n"+text+"\n") {
			t.Errorf("%s\n got %s, for %s: %s", text, v.Decision, v.Command, v.Reason)
		}
		n++
	}
	if n < 250 {
		t.Errorf("only %d lines were tried", n)
	}
}
