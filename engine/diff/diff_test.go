package diff

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	tests := []struct{ name, a, b, want string }{
		{"same", "a\n", "a\n", ""},
		{"new", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b"},
		{"gone", "a\n", "", "@@ -1,1 +0,0 @@\n-a"},
		{"in the middle", ten, strings.Replace(ten, "5\n", "five\n", 1),
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8"},
		{"two hunks", ten + ten, strings.Replace(ten, "1\n", "", 1) + strings.Replace(ten, "9\n",
			"nine\n", 1),
			"@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -16,5 +15,5 @@\n 6\n 7\n 8\n-9\n+nine\n 10"},
		{"all line ends", "a\r\nb\r\n", "a\nb\n", "@@ -1,2 +1,2 @@\n-a\r\n-b\r\n+a\n+b"},
		{"with carriage returns", "a\r\nb\r\n", "a\r\nc\r\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c"},
		{"no newline at the end", "a\nb", "a\nc",
			"@@ -1,2 +1,2 @@\n a\n-b\n\\ no newline at the end\n+c\n\\ no newline at the end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Unified(tt.a, tt.b); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	large := strings.Repeat("x\n", 5000)
	if got, ok := Full(large, strings.Repeat("y\n", 5000)); !ok ||
		strings.Count(got, "\n") != 10_000 {
		t.Errorf("full: got %d lines, %v", strings.Count(got, "\n"), ok)
	}
	if _, ok := Full("", strings.Repeat("x", maxBytes+1)); ok {
		t.Error("full: what is too large was compared")
	}
	if got := Unified(large, strings.Repeat("y\n", 5000)); strings.Count(got, "\n") > maxLines+3 {
		t.Errorf("large: got %d lines", strings.Count(got, "\n"))
	}
	// one hunk is cut, too; what a person accepts is whole
	long := strings.Repeat("#\n", 2500) + "last\n"
	if got := Unified("", long); !strings.HasSuffix(got, "[more changes are not shown]") {
		t.Errorf("cut: ends with %q", got[len(got)-40:])
	}
	if got := Whole("", long); !strings.HasSuffix(got, "+last") {
		t.Errorf("whole: ends with %q", got[len(got)-40:])
	}
	if got := Whole("", strings.Repeat("x", maxBytes+1)); got != TooLarge {
		t.Errorf("too large: got %d bytes", len(got))
	}
}

// TestDiffIsSmall: of many small changes each is shown, without the lines between them. Libraries
// that limit their work by giving up, or that look for unique lines, show more.
func TestDiffIsSmall(t *testing.T) {
	var code, codeAfter, records, recordsAfter strings.Builder
	for i := range 1500 {
		line := fmt.Sprintf("line %d\n", i)
		if i%4 == 0 {
			line = "}\n"
		}
		code.WriteString(line)
		if i%10 == 0 {
			line = "x" + line
		}
		codeAfter.WriteString(line)
	}
	for i := range 300 {
		record := "  {\n    \"id\": 0,\n    \"on\": true\n  },\n"
		records.WriteString(record)
		if i%50 == 20 {
			record = strings.Replace(record, "true", "false", 1)
		}
		recordsAfter.WriteString(record)
	}
	for _, x := range []struct {
		a, b string
		want int
	}{{code.String(), codeAfter.String(), 300}, {records.String(), recordsAfter.String(), 12}} {
		text, _ := Full(x.a, x.b)
		got := 0
		for l := range strings.Lines(text) {
			if l[0] == '-' || l[0] == '+' {
				got++
			}
		}
		if got != x.want {
			t.Errorf("got %d lines, want %d", got, x.want)
		}
	}
}

// FuzzDiff applies the hunks to a, and compares the result with b.
func FuzzDiff(f *testing.F) {
	f.Add("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nx\nd\ne\nf\ng\nh\ni\n")
	f.Add("a", "a\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		if strings.Contains(a+b, "\r") || len(a) > 2000 || len(b) > 2000 ||
			strings.Count(a+b, "\n") > maxLines/2 {
			t.Skip() // carriage returns at ends of lines are not shown, nor is more than maxLines
		}
		got, err := patch(splitLines(a), Unified(a, b))
		if err != nil || got != b {
			t.Errorf("%q -> %q by\n%s\ngot %q, %v", a, b, Unified(a, b), got, err)
		}
	})
}

func patch(a []string, d string) (string, error) {
	var out strings.Builder
	at := 0
	lines := strings.Split(d, "\n")
	for i, l := range lines {
		end := "\n"
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\\") {
			end = ""
		}
		switch {
		case l == "" || l[0] == '\\':
		case strings.HasPrefix(l, "@@"):
			from, _, _ := strings.Cut(strings.TrimPrefix(l, "@@ -"), ",")
			n, err := strconv.Atoi(from)
			if err != nil {
				return "", err
			}
			if strings.HasPrefix(l, fmt.Sprintf("@@ -%d,0 ", n)) {
				n++
			}
			for ; at < n-1; at++ {
				out.WriteString(a[at])
			}
		case l[0] == '+':
			out.WriteString(l[1:] + end)
		default:
			if at >= len(a) || strings.TrimSuffix(a[at], "\n") != l[1:] {
				return "", fmt.Errorf("line %d does not match %q", at+1, l)
			}
			if l[0] == ' ' {
				out.WriteString(a[at])
			}
			at++
		}
	}
	return out.String() + strings.Join(a[at:], ""), nil
}
