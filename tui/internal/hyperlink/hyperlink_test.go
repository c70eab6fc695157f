package hyperlink

import (
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestWeb(t *testing.T) {
	for address, want := range map[string]string{
		"https://go.dev/doc?a=b#c":                   "https://go.dev/doc?a=b#c",
		"http://localhost:8080":                      "http://localhost:8080",
		"http://[::1]:80/":                           "http://[::1]:80/",
		"https://x.org/a;b":                          "https://x.org/a%3Bb",
		"https://x.org/漢":                            "https://x.org/%E6%BC%A2",
		"HTTPS://x.org/":                             "https://x.org/",
		"https://good.org@evil.org/":                 "",
		"https://gооd.org/":                          "", // not the Latin o
		"https://good.org\\@evil.org":                "",
		"javascript:alert(1)":                        "",
		"file:///etc/passwd":                         "",
		"mailto:a@b.org":                             "",
		"data:text/html,x":                           "",
		"https://":                                   "",
		"/doc":                                       "",
		"https://x.org/\x1b]8;;evil":                 "",
		"https://x.org/\x07":                         "",
		"https://x.org/a b":                          "",
		"https://x.org/\u009c":                       "https://x.org/%C2%9C",
		"https://x.org/%":                            "",
		"https://x.org/" + strings.Repeat("a", 3000): "",
		"https://x.org/" + strings.Repeat("漢", 500):  "", // too long once it is escaped
	} {
		if got := Web(address); got != want {
			t.Errorf("%q: got %q, want %q", address, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	for _, test := range []struct{ dir, path, want string }{
		{"/p", "a b/ü.go", "file://host/p/a%20b/%C3%BC.go"},
		{"/p", "../q/x;y", "file://host/q/x%3By"},
		{"/p", "/etc/x\x1b", "file://host/etc/x%1B"},
		{"/p", "~/x", ""}, {"/p", "", ""}, {"p", "x", ""}, {"", "x", ""}, {"/p", "a\x00", ""},
	} {
		if got := File("host", test.dir, test.path); got != test.want {
			t.Errorf("%q in %q: got %q, want %q", test.path, test.dir, got, test.want)
		}
	}
}

func TestPoses(t *testing.T) {
	for text, want := range map[string]bool{"the site": false, "https://a.org": true,
		"www.a": true, "google.com": true, "Google.com/x": true, "a.org:80": true, "main.go": true,
		"e.g. this": false, "see google.com": false, "v1.2": false, "": false} {
		if got := Poses(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestKnown(t *testing.T) {
	for env, want := range map[string]bool{
		"": false, "TERM=dumb TERM_PROGRAM=vscode": false, "TERM=xterm-256color": false,
		"TERM=xterm-kitty": true, "TERM=xterm-256color TERM_PROGRAM=iTerm.app": true,
		"TERM=xterm-256color VTE_VERSION=7200": true, "TERM=xterm VTE_VERSION=3409": false,
		"TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.4":  true,
		"TERM=tmux-256color TMUX=/tmp/x TERM_PROGRAM=tmux TERM_PROGRAM_VERSION=3.3a": false,
		"TERM=screen TMUX=/tmp/x KITTY_WINDOW_ID=1":                                  false,
		"TERM=screen STY=1 TERM_PROGRAM=vscode":                                      false,
		"TERM=xterm-256color WT_SESSION=1":                                           true,
		"TERM=xterm-256color TERM_PROGRAM=Apple_Terminal":                            false,
	} {
		got := Known(func(name string) string {
			for _, set := range strings.Fields(env) {
				if key, value, _ := strings.Cut(set, "="); key == name {
					return value
				}
			}
			return ""
		})
		if got != want {
			t.Errorf("%s: got %v", env, got)
		}
	}
}

func TestWrap(t *testing.T) {
	a, b := Wrap("https://x.org/1", "one"), Wrap("https://x.org/1", "two")
	id := func(s string) string { return regexp.MustCompile("id=[0-9a-f]+:").FindString(s) }
	if ansi.Strip(a) != "one" || ansi.StringWidth(a) != 3 || id(a) == "" || id(a) != id(b) {
		t.Errorf("got %q and %q", a, b)
	}
	if id(Wrap("https://x.org/2", "one")) == id(a) {
		t.Error("two targets have one id")
	}
}
