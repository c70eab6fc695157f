package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOperators(t *testing.T) {
	for _, tt := range []struct {
		text string
		want int
	}{
		{"a=b c=d; e --f=g", 0}, {"((a=b=1))", 2}, {"echo $((1+2)) + 3", 1},
		{"[[ a == b && ! -e c ]]; d=e", 6}, {"a[x=1]=2", 1}, {"[ a = b ]", 0}, {"${a:1+2}=", 2},
		{"let x=y=1; z=2", 2}, {"let x=1\ny=2", 1}, {"outlet x=1", 0}, {"((a+(b-c)*2)) = ", 3},
		{"((a) + (b)) = ", 0}, {"f((a, b) => a + b)", 0}, {"((a); b=c)", 0}, {"((1+((2))+3))+4", 2},
		{"$[1+1] + 1", 1}, {"((1+", 1}, {"a[", 0},
		{"((" + strings.Repeat("x=", 30000), maxOperators + 1},
		{"((" + strings.Repeat("1?", 30000), maxOperators + 1},
		{"[[ " + strings.Repeat("a && ", 9000), maxOperators + 1},
	} {
		if got := operators(tt.text); got != tt.want {
			t.Errorf("%.40q: got %d, want %d", tt.text, got, tt.want)
		}
	}
}

// TestCodeHasFewOperators checks that code in other languages, which models write to files with
// here-documents, is far from the limit: only a part of what looks like an expression there is
// counted as one.
func TestCodeHasFewOperators(t *testing.T) {
	for _, glob := range []string{"../host/*.go", "../../tui/*.go", "../../js/*.js",
		"../../js/*.go", "../../.ci/run", "../../docs/api/*.md"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if text := string(b); all.Len()+len(text) < maxText-100 {
				all.WriteString(text)
			}
		}
		if n := operators("cat > x <<'EOF'\n" + all.String() + "\nEOF\n"); all.Len() == 0 ||
			n > maxOperators*3/4 {
			t.Errorf("%s: %d bytes with %d operators", glob, all.Len(), n)
		}
	}
}

// TestDeep checks that deep nesting that only the parser detects is an error, and that the words of
// other texts do not nest.
func TestDeep(t *testing.T) {
	for _, unit := range []string{"if ", "while ", "time ", "coproc ", "a|if ", "case x in a) ",
		"for x do ", "f() ", "f() if ", "$(')'", "(')';", "{ '}';", "if a <<A\nA\nthen "} {
		if s := Parse(strings.Repeat(unit, 30_000/len(unit))); s.Err != errDeep {
			t.Errorf("%q: %v", unit, s.Err)
		}
	}
	for name, text := range map[string]string{
		"prose": "cat > x <<'EOF'\n" +
			strings.Repeat("if it is time, do it; for each case `x` select one, and while\nif "+
				"not then\n", 800) + "EOF\n",
		"after": strings.Repeat("for f in a b; do x $f; done\n", 200),
	} {
		if s := Parse(text); s.Err != nil {
			t.Errorf("%s: %v", name, s.Err)
		}
	}
}
