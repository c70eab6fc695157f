package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listingLines use names that another program lists. sure: none of the files is .env.
var listingLines = []struct {
	line string
	sure bool
}{
	{"cat $(find . -name '*.go')", true}, {"cat $(find sub -type f)", false},
	{"cat $(find . -type f -name 's*')", true}, {"cat $(find . -name 's*')", false},
	{"cat $(find . -name '*.e*')", false}, {"cat $(find . -name '*.go' -o -name '.e*')", false},
	{"cat $(find . ! -name '*.go')", false}, {"cat $(find . -name '*.go' | sort | head -1)", true},
	{"cat $(find . -name '*.go' | sed s/a.go/.env/)", false},
	{"cat $(find . -name '*.go' -printf .env)", false},
	{"cat $(find . -name '*.go' -exec echo .env \\;)", false},
	{"cat $(find . -name '*.go' | grep -v x)", true},
	{"cat $(find . -name '*.go' | grep -o g)", false},
	{"cat $(find . -name '*.go' | grep x .e*)", false},
	{"cat $(find -L . -name '*.go')", false}, {"cat $(find . -name \"$x\")", false},
	{"cat $(find . -name '*.go' -print0)", false}, {"cat $(find . -name '*.go'; echo .env)", false},
	{"ln -s .env l.go; cat $(find . -name 'l.go')", false},
	{"./gen; cat $(find . -name '*.go')", false},
	{"tar xf a.tar; cat $(find . -name '*.go')", false},
	{"IFS=a; cat $(find . -name '*.go')", false},
	{"find() { echo .env; }; cat $(find . -name '*.go')", false},
	{"PATH=.; cat $(find . -name '*.go')", false},
	{"sort $(find . -name '*.go')", true}, {"javac $(find . -name '*.go')", true},
	{"for f in $(find . -name '*.go'); do cat \"$f\"; done", true},
	{"for f in $(find . -name '*.e*'); do cat \"$f\"; done", false},
	{"x=$(find . -name '*.go'); cat $x", true}, {"x=$(find . -name '*.e*'); cat $x", false},
	{"x=$(find . -name '*.go'); x=.env; cat $x", false},
	{"x=$(find . -name '*.go'); cd sub; cat $x", false},
	{"cat $(ls *.go)", true}, {"cat $(ls sub/.e*)", false}, {"cat $(ls -a)", false},
	{"cat $(ls -A *)", false}, {"cat $(ls s*)", false}, {"cat $(ls sub)", false},
	{"head $(grep -rl foo sub)", false}, {"head $(grep -l foo *.go)", false},
	{"head $(grep -rl foo --include='*.go' sub)", true},
	{"head $(grep -rl foo --include='.e*' sub)", false}, {"head $(grep -rh foo sub)", false},
	{"head $(grep -ro foo sub)", false}, {"head $(rg -l foo -t go)", false},
	{"head $(rg -l foo --hidden)", false}, {"head $(rg -l foo -uu)", false},
	{"head $(rg foo)", false}, {"head $(rg --files)", false},
	{"rg -l foo | xargs -I{} cat {}", false},
	{"find . -name '*.go' | head -3 | xargs cat", true},
	{"find . -name '*.go' | xargs -I{} cat {}", true},
	{"find . -name '*.e*' | head -3 | xargs cat", false},
	{"find . -name '*.go' | while read f; do cat \"$f\"; done", true},
	{"find . -name '*.e*' | while read f; do cat \"$f\"; done", false},
	{"find . -name '*.go' -print0 | while IFS= read -r -d '' f; do cat \"$f\"; done", true},
	{"find . -name '*.go' | while IFS= read -r -d '' f; do cat \"$f\"; done", false},
	{"find . -name '*.go' | while IFS=g read -r f; do cat \"$f\"; done", false},
	{"find . -name '*.go' | while read f g; do cat \"$f\"; done", false},
	{"find . -name '*.go' | while read f; do read f; cat \"$f\"; done", false},
	{"find . -name '*.go' | while read f; do f=.env; cat \"$f\"; done", false},
	{"find . -name '*.go' | while read f; do cat \"$f\"; done < x", false},
	{"find . -name '*.go' | while read f < x; do cat \"$f\"; done", false},
	{"find . -name '*.go' | until read f; do cat \"$f\"; done", false},
	{"read() { f=.env; }; find . -name '*.go' | while read f; do cat $f; done", false},
	{"find . -name '*.go' | while read f; do cat \"${f%x}.env\"; done", false},
}

func TestListedNames(t *testing.T) {
	f, dir := world(t)
	for _, name := range []string{"link", "away"} { // links
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(filepath.Join(dir, ".env"), filepath.Join(dir, "sub", ".env")); err != nil {
		t.Fatal(err)
	}
	for _, test := range listingLines {
		got := f.Command(test.line, dir, dir)
		if fits, sure := got.Fits("reads", "**/.env"); !fits && sure != test.sure {
			t.Errorf("%s: sure is %v: %s", test.line, sure, got.Why("reads", "**/.env"))
		} else if fits && test.sure {
			t.Errorf("%s: it reads .env", test.line)
		}
	}
}

// TestOddListedNames checks that names are not known that a shell splits, or takes as patterns or
// flags.
func TestOddListedNames(t *testing.T) {
	for _, name := range []string{"a .env b.go", "*.go", "-f.go", "a\n.env\nb.go", "[a].go",
		"'a'.go"} {
		f, dir := world(t)
		for _, line := range []string{"cat $(find . -name '*.go')", "cat $(ls *.go)",
			"cat $(grep -rl x --include='*.go')", "for f in $(rg -l x); do cat $f; done",
			"javac $(find . -name '*.go')", "cat $(ls)",
			"find . -name '*.go' | while read f; do cat $f; done"} {
			path := filepath.Join(dir, name)
			if strings.Contains(line, "find") && name[0] == '-' { // it has ./ before it
				continue
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			got := f.Command(line, dir, dir)
			if fits, sure := got.Fits("reads", "**/.secret"); fits || sure {
				t.Errorf("%s with a file %q: fits %v, sure %v", line, name, fits, sure)
			}
		}
	}
}
