// This file tests what redactors mask, and that nothing gets past one that fails.
package engine_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
)

// redact registers a redactor.
func (l *fakeLoad) redact(name string, find fakeFn, patterns ...string) {
	l.line++
	r := &engine.Redactor{Name: name, Line: l.line}
	for _, p := range patterns {
		r.Patterns = append(r.Patterns, regexp.MustCompile(p))
	}
	if find != nil {
		r.Find = &fakeFunc{l.vm, find}
	}
	if err := l.gen.AddRedactor(r); err != nil {
		l.t.Error(err)
	}
}

func TestMask(t *testing.T) {
	w := newWorld(t)
	if w.Masks() || w.Mask("sk-123") != "sk-123" {
		t.Fatal("it masks without a redactor")
	}
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("key", nil, `sk-\d+`, `(?s)BEGIN.*?END`, `токен\S+`)
		l.redact("pair", nil, `secret=\S+`, `\d{4}-\d{4}`)
		l.redact("letter", nil, `zz`)
	})
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "hello", "hello"},
		{"empty", "", ""},
		{"one", "a sk-123 b", "a [redacted:key] b"},
		{"ends", "sk-1sk-2", "[redacted:key][redacted:key]"},
		{"overlap, the first one names it", "secret=sk-1-2 x", "[redacted:pair] x"},
		{"overlap of one redactor", "BEGIN sk-1 END", "[redacted:key]"},
		{"reaching over another", "sk-1234-5678", "[redacted:key]"},
		{"lines", "x BEGIN\na\nb\nEND y", "x [redacted:key] y"},
		{"invalid UTF-8", "\xff sk-1 \xfe", "\xff [redacted:key] \xfe"},
		{"unicode", "мой токен123 тут", "мой [redacted:key] тут"},
		{"masked before", "[redacted:key] and [redacted:pair]", "[redacted:key] and [redacted:pair]"},
		{"a mask is part of a match", "secret=[redacted:key]", "[redacted:pair]"},
		{"no mask of ours", "[redacted:sk-1]", "[redacted:[redacted:key]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Mask(c.in)
			if got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			if again := w.Mask(got); again != got {
				t.Fatalf("masked again it is %q, not %q", again, got)
			}
		})
	}
	w.remove("a.fake")
	if w.Masks() || w.Mask("sk-123") != "sk-123" {
		t.Fatal("it masks after the script has gone")
	}
}

func TestRedactorPatternThatMatchesNothing(t *testing.T) {
	w := newWorld(t)
	for _, p := range []string{`a*`, `(x)?`, `\b`, `^`, `(a|)`, `(?:a*){3}`} {
		_, err := w.load("a.fake", func(l *fakeLoad) error {
			return l.gen.AddRedactor(&engine.Redactor{Name: "x", Patterns: []*regexp.Regexp{regexp.MustCompile(p)}})
		})
		if err == nil || !strings.Contains(err.Error(), "empty text") {
			t.Errorf("%s: got %v, want that it matches the empty text", p, err)
		}
	}
}

func TestMaskFind(t *testing.T) {
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("vault", func(c *fakeCall) (any, error) { return []any{"hunter2", "", "absent"}, nil })
	})
	if got := w.Mask("the hunter2 of hunter2"); got != "the [redacted:vault] of [redacted:vault]" {
		t.Fatal(got)
	}
}
