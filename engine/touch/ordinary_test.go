package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/shell"
)

// maxAsked is how many of the ordinary lines may ask, about one of 190: those that do, take names
// from other commands in ways that are not followed, or words from files, or unpack in a folder
// that holds the home folder, which is in /tmp here.
const maxAsked = 25

// maxOthersAsked is the same for lines that were written by somebody who did not know the rules.
// None of them was used to make the rules: how many ask is what users meet.
const maxOthersAsked = 10

// named are the lines that really do what a guard is about.
var named = map[string]bool{"set -a; source .env; set +a; npm start": true,
	"export $(grep -v '^#' .env | xargs)": true}

// fourRules are the rules of two of the four guards.
var fourRules = &shell.Rules{Deny: []shell.Rule{{Cmd: []string{"rm"}, Flags: []string{"r", "f"}},
	{Cmd: []string{"git"}, Sub: []string{"push"}, Flags: []string{"force"}}}}

// askedBy returns why one of four usual guards asks about a line, or denies it; "" = none does.
func askedBy(f Finder, dir, line string) string {
	if v := f.Parse(line, dir).Check(fourRules); v.Decision != "" {
		return v.Decision + ": " + v.Why
	}
	got := f.Command(line, dir, dir)
	for _, guard := range [][2]string{{"reads", "**/.env"}, {"writes", "~/.bashrc"}} {
		if fits, sure := got.Fits(guard[0], guard[1]); fits || !sure {
			return guard[0] + ": " + got.Why(guard[0], guard[1])
		}
	}
	return ""
}

// TestOrdinaryLines counts the command lines of everyday work about which four usual guards ask.
func TestOrdinaryLines(t *testing.T) {
	f, dir := world(t)
	f = f.In([]string{"HOME=" + f.Home, "PATH=/usr/bin:/bin"})
	for _, name := range []string{".env", "link"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for file, want := range map[string]struct{ lines, asked int }{
		"ordinary.txt": {4600, maxAsked}, "others.txt": {200, maxOthersAsked}} {
		text, err := os.ReadFile("../shell/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var asked []string
		n := 0
		for line := range strings.Lines(string(text)) {
			line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
			n++
			if why := askedBy(f, dir, line); (why != "") != named[line] {
				asked = append(asked, line+"\n\t"+why)
			}
		}
		t.Logf("%s: %d of %d lines ask", file, len(asked), n)
		if len(asked) > want.asked || n < want.lines {
			t.Errorf("%s: want %d at most:\n%s", file, want.asked, strings.Join(asked, "\n"))
		}
	}
}

// TestFoundNamesAreSplit checks that files that find passes to xargs are known, unless one of their
// names contains white space: xargs splits there, so that it names other files.
func TestFoundNamesAreSplit(t *testing.T) {
	f, dir := world(t)
	const line = "find sub -name '*.go' | xargs cat"
	if fits, sure := f.Command(line, dir, dir).Fits("reads", "**/.env"); fits || !sure {
		t.Errorf("fits %v, sure %v", fits, sure)
	}
	if err := os.WriteFile(filepath.Join(dir, "sub", "a .env b.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got := f.Command(line, dir, dir)
	if _, sure := got.Fits("reads", "**/.env"); sure {
		t.Error("a name with white space: sure")
	}
	if why := got.Why("reads", "**/.env"); !strings.Contains(why, "find sub -name") {
		t.Errorf("got %q", why)
	}
}

// BenchmarkOrdinaryLine measures a check by the four guards: the mean of all ordinary lines. None
// follows itself, so that each is parsed.
func BenchmarkOrdinaryLine(b *testing.B) {
	f, dir := world(b)
	f = f.In([]string{"HOME=" + f.Home, "PATH=/usr/bin:/bin"})
	text, err := os.ReadFile("../shell/testdata/ordinary.txt")
	if err != nil {
		b.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range lines {
		lines[i] = strings.ReplaceAll(line, "⏎", "\n")
	}
	for i := 0; b.Loop(); i++ {
		askedBy(f, dir, lines[i%len(lines)])
	}
}
