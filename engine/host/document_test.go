package host

import (
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/internal/yamltext"
)

func TestTOMLDepth(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"a = [[1], [2, [3]]]", 3},
		{"a.b.c = {d.e = 1}", 2},
		{"[a.b.c]\nx = 1.5", 3},
		{`a = "[[[[" # [[[[`, 0},
		{"a = '[[\\'\nb = [1]", 1},
		{`a = "\"[["`, 0},
		{"a = \"\"\"\n[[\"[[\n\"\"\"\nb = [1]", 1},
		{"a = \"[[\nb = [[1]]", 2}, // the string has no end
	}
	for _, tt := range tests {
		if got := tomlDepth(tt.text); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.text, got, tt.want)
		}
	}
}

// TestHostileDocuments: documents that are made to be slow to parse are refused.
func TestHostileDocuments(t *testing.T) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, s := range []string{strings.Repeat("[", 1<<20), strings.Repeat("{a: ", 200_000),
			strings.Repeat("- ", 500_000), strings.Repeat("a:\n ", 1000),
			strings.Repeat("x", 2<<20), "a: &a [*a]", "&a {<<: *a}", "a: &a\n  b: *a"} {
			if v, err := yamltext.Decode(s, nil); err == nil {
				t.Errorf("yaml %.10s: got %v", s, v)
			}
		}
		for _, s := range []string{"a=" + strings.Repeat("[", 1<<19),
			"a=" + strings.Repeat("{a=", 200_000), strings.Repeat("a.", 500_000) + "a=1",
			"[" + strings.Repeat("a.", 500_000) + "a]"} {
			if v, err := readTOML(s); err == nil {
				t.Errorf("toml %.10s: got %v", s, v)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("parsing takes too long")
	}
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"a: 1", "a: &b [1]\nc: *b", "<<: {a: 1}", "? a\n: b", "- - x",
		"!!binary aGk=", "\"\\u0000\"", "a: !!timestamp 2001-01-01"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) { yamltext.Decode(s, nil) })
}

func FuzzTOML(f *testing.F) {
	for _, s := range []string{"a = 1", "[a.b]\nc = 2020-01-01", "a = {b = [1, {c = ''}]}",
		"[[a]]\n[[a]]"} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) { readTOML(s) })
}
