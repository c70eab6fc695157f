// This file tests the matches of redactors, and that nothing is shown if one fails.

package engine_test

import (
	"regexp"
	"slices"
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
	if err := l.gen.Registry.AddRedactor(r); err != nil {
		l.t.Error(err)
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if w.Mask.On() || w.Mask.Text("sk-123") != "sk-123" {
		t.Fatal("texts are masked without a redactor")
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
		{"overlap, named by the match that starts first", "secret=sk-1-2 x", "[redacted:pair] x"},
		{"overlap of one redactor", "BEGIN sk-1 END", "[redacted:key]"},
		{"overlap, the second match ends later", "sk-1234-5678", "[redacted:key]"},
		{"lines", "x BEGIN\na\nb\nEND y", "x [redacted:key] y"},
		{"invalid UTF-8", "\xff sk-1 \xfe", "\xff [redacted:key] \xfe"},
		{"unicode", "мой токен123 тут", "мой [redacted:key] тут"},
		{"already masked", "[redacted:key] and [redacted:pair]",
			"[redacted:key] and [redacted:pair]"},
		{"a mask is part of a match", "secret=[redacted:key]", "[redacted:pair]"},
		{"not a mask", "[redacted:sk-1]", "[redacted:[redacted:key]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Mask.Text(c.in)
			if got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
			if again := w.Mask.Text(got); again != got {
				t.Fatalf("masked twice: got %q, want %q", again, got)
			}
		})
	}
	w.remove("a.fake")
	if w.Mask.On() || w.Mask.Text("sk-123") != "sk-123" {
		t.Fatal("texts are masked after the script was removed")
	}
}

func TestRedactorPatternThatMatchesTheEmptyText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []string{`a*`, `(x)?`, `\b`, `^`, `(a|)`, `(?:a*){3}`} {
		_, err := w.load("a.fake", func(l *fakeLoad) error {
			return l.gen.Registry.AddRedactor(&engine.Redactor{Name: "x",
				Patterns: []*regexp.Regexp{regexp.MustCompile(p)}})
		})
		if err == nil || !strings.Contains(err.Error(), "empty text") {
			t.Errorf("%s: got %v, want an error about the empty text", p, err)
		}
	}
}

func TestMaskFind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("vault", func(c *fakeCall) (any, error) {
			return []any{"hunter2", "", "absent"},
				nil
		})
	})
	if got := w.Mask.Text(
		"the hunter2 of hunter2"); got != "the [redacted:vault] of [redacted:vault]" {
		t.Fatal(got)
	}
}

// shown joins the values of a field in all events with the given name in the stream.
func (w *world) shown(event, field string) string {
	var parts []string
	for _, ev := range w.seen(event) {
		parts = append(parts, ev.Text(field))
	}
	return strings.Join(parts, "|")
}

func TestMaskedPieces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		pieces []string
		want   string
	}{
		{"text that cannot match is not held back", []string{"hel", "lo"}, "hel|lo"},
		{"a key in pieces", []string{"a s", "k-", "12", "3 b"}, "a |[redacted:key] b"},
		{"a key at the end", []string{"a sk-", "123"}, "a |[redacted:key]"},
		{"a prefix of a pattern without a match", []string{"a sk", "ip b"}, "a |skip b"},
		{"across lines", []string{"x BEGIN\n", "one\ntwo\n", "END y"}, "x |[redacted:key] y"},
		{"across lines, without an end", []string{"x BEGIN\n", "one\n"}, "x |BEGIN\none\n"},
		{"a word boundary", []string{"xtok", "en tok", "en", " x"}, "xtok|en |[redacted:key] x"},
		{"a longer word", []string{"token", "s x"}, "tokens x"},
		{"half a rune", []string{"a ток\xd0", "\xb5н1\xd0", "\xb6 b"}, "a |[redacted:key] b"},
		{"overlapping", []string{"id=sk-", "1", " end"}, "[redacted:pair] end"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.script("a.fake", func(l *fakeLoad) {
				l.redact("key", nil, `sk-\d+`, `(?s)BEGIN.*?END`, `токен\S+`, `\btoken\b`)
				l.redact("pair", nil, `id=\S+`)
			})
			for i, s := range c.pieces {
				w.Emitter.Emit(w.Events.Named("message_delta", nil,
					map[string]any{"message_id": "m", "kind": "text", "delta": s}))
				if i == 0 { // another message at the same time
					w.Emitter.Emit(w.Events.Named("tool_input_delta", nil,
						map[string]any{"call_id": "m", "tool": "x", "kind": "other", "delta": "s"}))
				}
			}
			w.Emitter.Emit(w.Events.Named("message_end", nil, map[string]any{"message_id": "m",
				"text": strings.Join(c.pieces, "")}))
			if got := w.shown("message_delta", "delta"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if got, want := w.shown("message_end", "text"),
				w.Mask.Text(strings.Join(c.pieces, "")); got != want {
				t.Errorf("the whole text is %q, want %q", got, want)
			}
		})
	}
}

// FuzzMaskedPieces cuts a text anywhere: the masked pieces joined are the masked text.
func FuzzMaskedPieces(f *testing.F) {
	f.Add("a sk-123 b BEGIN\nxx\nEND токен12 password", uint(3), uint(9))
	f.Add("sk-1sk-2", uint(1), uint(2))
	f.Add("\xd1sk-\xff1", uint(1), uint(4))
	w := newWorld(f)
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("key", nil, `sk-\d+`, `(?s)BEGIN.*?END`, `токен\S+`, `\bpassword\b`,
			`(?i)key\s*[:=]\s*\w{3,5}`, `(?m)^x+$`)
		l.redact("pair", nil, `id=\S+`, `(a|ab)(c|bcd)(d*)`)
	})
	f.Fuzz(func(t *testing.T, text string, a, b uint) {
		const maxWord = 200 // a stream does not keep all of a longer word
		if len(text) > 4096 || slices.ContainsFunc(strings.Fields(text),
			func(word string) bool { return len(word) > maxWord }) {
			return // in long texts a stream withholds more than Text does
		}
		x, y := int(a%uint(len(text)+1)), int(b%uint(len(text)+1))
		x, y = min(x, y), max(x, y)
		w.mu.Lock()
		w.events = nil
		w.mu.Unlock()
		for _, s := range []string{text[:x], text[x:y], text[y:]} {
			w.Emitter.Emit(w.Events.Named("message_delta", nil,
				map[string]any{"message_id": "m", "kind": "text", "delta": s}))
		}
		w.Emitter.Emit(w.Events.Named("message_end", nil, map[string]any{"message_id": "m",
			"text": text}))
		got := strings.ReplaceAll(w.shown("message_delta", "delta"), "|", "")
		if want := strings.ReplaceAll(w.Mask.Text(text), "|", ""); got != want {
			t.Fatalf("%q cut at %d and %d: got %q, want %q", text, x, y, got, want)
		}
	})
}

// FuzzMaskNeeds compares masked texts with the matches of the patterns.
func FuzzMaskNeeds(f *testing.F) {
	for _, s := range []string{"sk-1234 x", "TOKEN: x", "to\u212aen=x", "api_key=1", "APIKEY",
		"\u017fecret", "\xff SECRET", "\u0130BEGIN"} {
		f.Add(s)
	}
	patterns := []string{`sk-\d+`, `(?i)(api[_-]?key|token|secret)`, `BEGIN|END+`, `(?i:ma)sk{2,}`,
		`x(abc)*y`, `ключ`}
	w := newWorld(f)
	w.script("a.fake", func(l *fakeLoad) { l.redact("x", nil, patterns...) })
	f.Fuzz(func(t *testing.T, text string) {
		matches := false
		for _, p := range patterns {
			matches = matches || regexp.MustCompile(p).MatchString(text)
		}
		if masked := w.Mask.Text(text) != text; masked != matches &&
			!strings.Contains(text, "[redacted:x]") {
			t.Fatalf("%q is masked: %v, matches: %v", text, masked, matches)
		}
	})
}

// TestMaskLarge: large texts, and patterns that match everywhere, are masked completely, in bounded
// time.
func TestMaskLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.script("a.fake",
		func(l *fakeLoad) { l.redact("key", nil, `sk-\d+`); l.redact("all", nil, `[xy]`) })
	// several times as much as a function gets in one call
	text := strings.Repeat("a line of words\n", 1<<19/16)
	within(t, "mask", func() {
		if got := w.Mask.Text(text + "sk-1" + text + "x"); got != text+"[redacted:key]"+text+
			"[redacted:all]" {
			t.Error("the text was changed")
		}
		if got := w.Mask.Text(strings.Repeat("xy", 1<<20)); len(got) > 2<<20 ||
			strings.ContainsAny(strings.ReplaceAll(got, "[redacted:all]", ""), "xy") {
			t.Errorf("%d bytes, %.100s", len(got), got)
		}
	})
}

// TestFindLarge: a function gets large texts in pieces, and matches across two pieces are found.
func TestFindLarge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	calls := 0
	w.script("a.fake", func(l *fakeLoad) {
		l.redact("pin", func(c *fakeCall) (any, error) {
			calls++
			if s := c.args[0].(string); strings.Contains(s, "pin-1") {
				return "pin-1", nil
			}
			return nil, nil
		})
	})
	for _, at := range []int{256<<10 - 3, 256<<10 - 4<<10 - 2, 500_000, 1<<20 - 5} {
		text := strings.Repeat("я", at/2) + "pin-1" + strings.Repeat("я", (1<<20-at)/2)
		if got := w.Mask.Text(text); strings.Contains(got, "pin-1") ||
			len(got) != len(text)-len("pin-1")+len("[redacted:pin]") {
			t.Errorf("at %d: %d bytes", at, len(got))
		}
	}
	if calls > 40 {
		t.Errorf("%d calls", calls)
	}
}
