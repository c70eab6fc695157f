package markdown_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/markdown"
	"github.com/agentscripts/agent/tui/internal/palette"
)

const aDiff = `@@ -8,4 +8,5 @@
 func a() {
-	old(1)
+	new(1)
+	more()
 }
-
+// ü
@@ -120,2 +121,1 @@
 x
-y
… the rest is not shown here`

// TestDiff checks what the lines of a change look like without their colours.
func TestDiff(t *testing.T) {
	inks := palette.Named("dark")
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{aDiff, 60, `  8   func a() {
  9 -     old(1)
  9 +     new(1)
 10 +     more()
 11   }
 11 -
 12 + // ü
  ⋮
121   x
121 - y
  … the rest is not shown here`},
		{"@@ -1 +1 @@\n-a\n+b", 60, "1 - a\n1 + b"},
		{"@@ -1 +1 @@\n-a\n+b", 39, "-a\n+b"}, // no room for numbers
		{"@@ -1 +1,2 @@\n a b c d e\n+f", 6, " a b c\n d e\n+f"},
		{"@@ -1 +1 @@\n-a\n+b", 1, "a\nb"},
		{"@@ -12345678 +1 @@\n-a\n+b", 60, "-a\n+b"}, // a number without end
		{"@@ -1 +1 @@\n+b\n\\ No newline at end of file", 12,
			"+b\n\\ No newline\nat end of\nfile"},
		// no diff of one file
		{"-a\n+b", 60, "-a\n+b"},
		{"", 60, ""},
		{"@@ -1 @@\n-a", 60, "@@ -1 @@\n-a"},
		{"@@ -x +1 @@\n-a", 60, "@@ -x +1 @@\n-a"},
	} {
		text := strings.ReplaceAll(c.text, "\t", "    ")
		lines := markdown.Diff(text, "go", c.width, inks)
		got := ansi.Strip(strings.Join(lines, "\n"))
		if strings.ReplaceAll(got, " \n", "\n") != strings.ReplaceAll(c.want, " \n", "\n") {
			t.Errorf("%q at %d: got\n%s\nwant\n%s", c.text, c.width, got, c.want)
		}
		for width := 1; width < 90; width++ {
			for _, l := range markdown.Diff(text, "go", width, inks) {
				if ansi.StringWidth(l) > width {
					t.Errorf("%q is wider than %d", l, width)
				}
			}
		}
	}
}

// TestDiffColors checks that code has its colours on a background if the terminal has one for it,
// and that what differs in a line that is replaced stands out.
func TestDiffColors(t *testing.T) {
	const text = "@@ -1 +1 @@\n-return \"a\" + x\n+return \"b\" + x"
	dark := palette.Named("dark")
	full := strings.Join(markdown.Diff(text, "go", 60, dark), "\n")
	for _, want := range []string{
		"\x1b[38;2;182;157;242;48;2;58;28;32mreturn", // a keyword on what is removed
		"48;2;22;48;30m", // behind what is added
		"\x1b[1;38;2;108;197;205;48;2;22;48;30mb\x1b[m", // what differs
	} {
		if !strings.Contains(full, want) {
			t.Errorf("want %q in\n%q", want, full)
		}
	}
	for _, profile := range []colorprofile.Profile{colorprofile.ANSI256, colorprofile.ANSI,
		colorprofile.ASCII} {
		got := strings.Join(markdown.Diff(text, "go", 60, dark.On(profile)), "\n")
		if strings.Contains(got, ";48;") || strings.Contains(got, "return\x1b[m") {
			t.Errorf("%v: the line has several colours:\n%q", profile, got)
		}
		if !strings.Contains(got, "1 - ") && !strings.Contains(ansi.Strip(got), "1 - return") {
			t.Errorf("%v: got %q", profile, got)
		}
	}
	other := strings.Join(markdown.Diff("@@ -1 +1 @@\n-abcdef\n+zyxwvu", "go", 60, dark), "\n")
	if strings.Contains(other, "[1;") {
		t.Errorf("a line that is another one stands out:\n%q", other)
	}
}

// BenchmarkDiff draws a change of 256 KB, the most that the screen keeps of a result.
func BenchmarkDiff(b *testing.B) {
	text := "@@ -1,4000 +1,4000 @@\n" + strings.Repeat(
		"-	return a + b // the sum of the two\n+	return a - b // the sum of the two\n", 3500)
	text = strings.ReplaceAll(text, "\t", "    ")
	inks := palette.Named("dark")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		markdown.Diff(text, "go", 100, inks)
	}
}

// BenchmarkCodeOfDiff draws the same text as code.
func BenchmarkCodeOfDiff(b *testing.B) {
	text := strings.Repeat(
		"-    return a + b // the sum of the two\n+    return a - b // the sum of the two\n", 3500)
	inks := palette.Named("dark")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		markdown.Code(text, "diff", 100, inks)
	}
}
