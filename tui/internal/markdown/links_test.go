package markdown_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/markdown"
)

// sequence matches the sequences that begin and end a link.
var sequence = regexp.MustCompile("\x1b\\]8;(?:id=([0-9a-f]+):n=[0-9a-f]+)?;" +
	"([^\a\x1b]*)(?:\a|\x1b\\\\)")

// linksOf returns the texts that lead somewhere, with their targets.
func linksOf(line string) (out []string) {
	at := sequence.FindAllStringSubmatchIndex(line, -1)
	for i := 0; i+1 < len(at); i++ {
		if target := line[at[i][4]:at[i][5]]; target != "" {
			out = append(out, ansi.Strip(line[at[i][1]:at[i+1][0]])+" > "+target)
		}
	}
	return out
}

func TestLinks(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"see https://x.org/a.", "https://x.org/a > https://x.org/a"},
		{"www.x.org", "www.x.org > http://www.x.org"},
		{"<https://x.org>", "https://x.org > https://x.org"},
		{"[the *site*](https://x.org/a)", "the  > https://x.org/a|site > https://x.org/a|" +
			"https://x.org/a > https://x.org/a"},
		{"[https://good.org](https://evil.org)", "https://evil.org > https://evil.org"},
		{"[good.org](https://evil.org)", "https://evil.org > https://evil.org"},
		{"[![good](https://img.org)](https://evil.org)", "[image: good] > https://img.org|" +
			"https://img.org > https://img.org|" +
			"https://evil.org > https://evil.org"},
		{"[a](javascript:x) [b](file:///etc/passwd) [c](/d) a@b.org", ""},
		{"[a](https://x.org/&#27;]8;;evil)", "a > https://x.org/&#27%3B]8%3B%3Bevil|" +
			"https://x.org/&#27;]8;;evil > https://x.org/&#27%3B]8%3B%3Bevil"},
		{"[a](https://good.org@evil.org)", ""},
		{"`https://x.org`", ""},
		{"https://x.org/" + strings.Repeat("a", 3000), ""},
		{"| a |\n|---|\n| https://x.org |", "https://x.org > https://x.org"},
	} {
		d := markdown.NewDrawer(ink())
		plain, _ := d.Draw(test.text, 400)
		if got := strings.Join(linksOf(strings.Join(plain, "\n")), "|"); got != "" {
			t.Errorf("%q: got %q without links", test.text, got)
		}
		d.Links = true
		lines, _ := d.Draw(test.text, 400)
		if got := strings.Join(linksOf(strings.Join(lines, "\n")), "|"); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
		if got, want := ansi.Strip(fmt.Sprint(lines)), ansi.Strip(fmt.Sprint(plain)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestWrappedLink checks that a link on several lines is one for the terminal, that each line ends
// it, and that a message that streams has it too.
func TestWrappedLink(t *testing.T) {
	d := markdown.NewDrawer(ink())
	d.Links = true
	text := "- see https://x.org/" + strings.Repeat("word-", 8) + "\n\nend\n\nof it"
	lines, _ := d.Draw(text, 20)
	var s markdown.Stream
	for _, r := range text {
		s.Write(string(r))
		s.Lines(d, 20)
	}
	if got := s.Finish(d, text, 20); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", lines) {
		t.Errorf("streamed %q, want %q", got, lines)
	}
	ids := map[string]int{}
	for _, l := range lines {
		if n := ansi.StringWidth(l); n > 20 {
			t.Errorf("%q is %d cells wide", l, n)
		}
		found := sequence.FindAllStringSubmatch(l, -1)
		for _, m := range found {
			if m[2] != "" {
				ids[m[1]]++
			}
		}
		if len(found) > 0 && found[len(found)-1][2] != "" {
			t.Errorf("%q does not end its link", l)
		}
	}
	if len(ids) != 1 {
		t.Errorf("ids %v, want one", ids)
	}
	for id, n := range ids {
		if id == "" || n < 3 {
			t.Errorf("id %q on %d lines", id, n)
		}
	}
}
