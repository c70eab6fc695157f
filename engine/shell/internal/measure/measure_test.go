package measure

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
		{"((" + strings.Repeat("x=", 30000), MaxOperators + 1},
		{"((" + strings.Repeat("1?", 30000), MaxOperators + 1},
		{"[[ " + strings.Repeat("a && ", 9000), MaxOperators + 1},
	} {
		if got := Operators(tt.text); got != tt.want {
			t.Errorf("%.40q: got %d, want %d", tt.text, got, tt.want)
		}
	}
}

// TestCodeHasFewOperators checks that code in other languages, which models write to files with
// here-documents, is far from the limit: only a part of what looks like an expression there is
// counted as one.
func TestCodeHasFewOperators(t *testing.T) {
	for _, glob := range []string{"../../../host/*.go", "../../../../tui/*.go",
		"../../../../js/*.js",
		"../../../../js/*.go", "../../../../.ci/run", "../../../../docs/api/*.md"} {
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
			if text := string(b); all.Len()+len(text) < 64<<10-100 {
				all.WriteString(text)
			}
		}
		if n := Operators("cat > x <<'EOF'\n" + all.String() + "\nEOF\n"); all.Len() == 0 ||
			n > MaxOperators*3/4 {
			t.Errorf("%s: %d bytes with %d operators", glob, all.Len(), n)
		}
	}
}
