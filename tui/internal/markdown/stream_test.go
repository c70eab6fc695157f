package markdown_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/markdown"
)

// document has what answers of models have, and what is difficult to draw in pieces.
const document = "# A title\n\nSome *text* with **strong\nwords** and `code`.\nSetext\n---\n" +
	"para\n***\n- one\n- two\n  - nested `x`\n  - more\n- three\n\n  with a paragraph\n\n- four\n" +
	"- five\n\n```go\nfunc f() {\n\t/* a\n\tb */ return `x`\n}\n\n```\n\n| a | b |\n|---|--:|\n" +
	"| wide cell | 1 |\n| x | 22 |\n\n1. a\n2. b\n3. c\n\n   ```diff\n   -x\n   +y\n" +
	"   ```\n\n4. d\n7. e\n\n> quote\n> - list\n>\n> end\n\n" +
	"term\n\n: what it means\n\n: more\n\n~~~text a b\n" +
	"A sentence\n~~~\n```\n```\n\n    indented code\n\n    more of it\n\n<div>\nhtml\n</div>\n\n" +
	"* a\n* b\n* c\n+ d\n+ e\nlast\n-\n- x\n10) y\n11) z\n12) 漢字\n````sh\n```\n````  \nend\n" +
	"```py\nopen = 1"

// stream writes a text in pieces, checks after each that the settled lines stay, and returns the
// finished lines.
func stream(t *testing.T, d *markdown.Drawer, text string, width int, size func() int) []string {
	t.Helper()
	var s markdown.Stream
	var settled []string
	for rest := text; rest != ""; {
		n := min(size(), len(rest))
		s.Write(rest[:n])
		rest = rest[n:]
		lines := s.Lines(d, width)
		if len(lines) < len(settled) || !slices.Equal(lines[:len(settled)], settled) {
			t.Fatalf("settled lines changed at %q: got\n%s\nwant\n%s", text[:len(text)-len(rest)],
				strings.Join(lines, "\n"), strings.Join(settled, "\n"))
		}
		settled = slices.Clone(lines[:s.Settled()])
	}
	lines := s.Finish(d, text, width)
	if len(lines) < len(settled) || !slices.Equal(lines[:len(settled)], settled) {
		t.Fatalf("settled lines changed at the end of %q: got\n%s\nwant\n%s", text,
			strings.Join(lines, "\n"), strings.Join(settled, "\n"))
	}
	return lines
}

// TestStreamDoesNotSnap checks that a document in pieces of any size is the same at the end as the
// whole one, and that no line changes that was complete.
func TestStreamDoesNotSnap(t *testing.T) {
	d, text := markdown.NewDrawer(ink()), strings.ReplaceAll(document, "\t", "    ")
	for _, width := range []int{10, 40, 120} {
		want, ok := d.Draw(text, width)
		if !ok {
			t.Fatal("it was not drawn")
		}
		for size := 1; size <= len(text); size++ {
			if size > 40 && size < len(text)-5 && size%37 != 0 {
				continue
			}
			got := stream(t, d, text, width, func() int { return size })
			if !slices.Equal(got, want) {
				t.Fatalf("pieces of %d: got\n%s\nwant\n%s", size, strings.Join(got, "\n"),
					strings.Join(want, "\n"))
			}
		}
	}
}

// TestStreamSettles checks that what is complete is settled, so that it costs nothing more.
func TestStreamSettles(t *testing.T) {
	d := markdown.NewDrawer(ink())
	for name, block := range map[string]string{"paragraphs": "some text\n\n", "items": "- item\n",
		"numbers": "1. item\n", "loose items": "- item\n\n", "code": "    x := 1\n\ntext\n\n",
		"quotes": "> a\n\n\n- b\n\n", "headings": "## a\n"} {
		var s markdown.Stream
		for range 300 {
			s.Write(block)
			s.Lines(d, 80)
		}
		if all := len(s.Lines(d, 80)); all-s.Settled() > 8 || all < 300 {
			t.Errorf("%s: %d of %d lines are not settled", name, all-s.Settled(), all)
		}
	}
	var s markdown.Stream
	s.Write("```go\n" + strings.Repeat("x\n", 100) + "y")
	if all := len(s.Lines(d, 80)); all != 101 || s.Settled() != 100 {
		t.Errorf("%d of %d lines of code are settled", s.Settled(), all)
	}
}

// TestStreamOfAnything checks documents of all kinds of blocks, in pieces of random sizes.
func TestStreamOfAnything(t *testing.T) {
	d := markdown.NewDrawer(ink())
	for seed := range uint64(400) {
		w := &scribe{Rand: rand.New(rand.NewPCG(seed, 2))}
		text := ""
		for range 1 + w.IntN(9) {
			text += w.block() + strings.Repeat("\n", 1+w.IntN(2))
		}
		want, _ := d.Draw(text, 60)
		got := stream(t, d, text, 60, func() int { return 1 + w.IntN(30) })
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q: got\n%s\nwant\n%s", seed, text, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
}

// TestStreamOfBadText checks that all of a text is drawn that is too long or too intricate for
// Markdown, and that no line is too wide.
func TestStreamOfBadText(t *testing.T) {
	for name, text := range map[string]string{
		"line":      strings.Repeat("x", 1<<20),
		"words":     strings.Repeat("word ", 1<<18),
		"wide":      strings.Repeat("漢", 1<<17),
		"fence":     "```go\n" + strings.Repeat("return 1\n", 1<<16),
		"code line": "```js\n" + strings.Repeat("\"a", 1<<18),
		"emphasis":  strings.Repeat("a**b_", 20_000),
		"brackets":  strings.Repeat("[a](", 20_000),
		"quotes":    strings.Repeat(">", 10_000),
		"lists":     strings.Repeat(strings.Repeat("- ", 20)+"a\n", 500),
		"headings":  strings.Repeat("# a\n", 20_000),
		"table":     "|a|b|\n|-|-|\n" + strings.Repeat("|x|y|\n", 10_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := markdown.NewDrawer(ink())
			n := 0
			for _, l := range stream(t, d, text, 60, func() int { return 30_000 }) {
				if w := ansi.StringWidth(l); w > 60 {
					t.Fatalf("%q is %d cells wide", l, w)
				}
				n += strings.Count(ansi.Strip(l), "x") + strings.Count(l, "a") +
					strings.Count(l, "漢") + strings.Count(l, "w") + strings.Count(l, "u")
			}
			most := strings.Count(text, "x") + strings.Count(text, "a") +
				strings.Count(text, "漢") + strings.Count(text, "w") + strings.Count(text, "u")
			if n < most {
				t.Errorf("%d of %d characters are drawn", n, most)
			}
		})
	}
	d := markdown.NewDrawer(ink())
	var s markdown.Stream
	s.Write("**a**")
	for width := range 5 {
		for _, l := range s.Lines(d, width) {
			if ansi.StringWidth(l) > max(width, 1) {
				t.Errorf("width %d: %q", width, l)
			}
		}
	}
}

// BenchmarkStream writes Markdown with code at 200 tokens a second, in 30 frames, after some of the
// same. The metric is the share of a core.
func BenchmarkStream(b *testing.B) {
	const perFrame, frames, token = 7, 30, 4
	for name, block := range map[string]string{
		"document": document + "\n```\n\n",
		"code":     "	return fmt.Errorf(\"cannot read %s: %w\", name, err) // a remark\n",
		"item":     "- an item with some *words* and `code`\n",
		"table":    "| a cell | another cell with text | 12 |\n",
		"line":     "some **words** that go on and on ",
	} {
		for _, kb := range []int{0, 20, 60} {
			b.Run(fmt.Sprintf("%s/%dKB", name, kb), func(b *testing.B) {
				d := markdown.NewDrawer(ink())
				start := map[string]string{"code": "```go\n", "table": "|a|b|c|\n|-|-|-|\n"}[name]
				more := strings.Repeat(block, 1+1000/len(block))
				for b.Loop() {
					b.StopTimer()
					var s markdown.Stream
					s.Write(start + strings.Repeat(block, kb<<10/len(block)))
					s.Lines(d, 100)
					b.StartTimer()
					for f := range frames {
						at := f * perFrame * token % (len(more) - perFrame*token)
						s.Write(more[at : at+perFrame*token])
						s.Lines(d, 100)
					}
				}
				b.ReportMetric(100*b.Elapsed().Seconds()/float64(b.N), "%core")
			})
		}
	}
}
