package scripts_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/scripts"
)

// languages are the endings in which each idea of the gallery stands.
var languages = []string{".lua", ".js"}

func TestGalleryStandsInBothLanguages(t *testing.T) {
	names, err := fs.Glob(scripts.Files(), "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		base := strings.TrimSuffix(name, path.Ext(name))
		for _, lang := range languages {
			if base == "offline" {
				continue // the program itself
			}
			if _, err := fs.Stat(scripts.Files(), base+lang); err != nil {
				t.Errorf("%s: no %s", name, base+lang)
			}
		}
	}
}

func TestGuard(t *testing.T) {
	tests := []struct {
		prompt string
		want   string // of the report; "" = it runs
	}{
		{"run echo sudo", "no sudo: say what you need and the user will run it"},
		{"run git push --force", "asks: Force-push? (it can destroy what others have pushed)"},
		{"run git push origin -f", "asks: Force-push?"},
		{"run echo push forward", ""},
		{"write .env x", "secrets are edited by hand"},
		{"write a/.env.local x", "secrets are edited by hand"},
		{"edit .env x => y", "secrets are edited by hand"},
		{"write environment x", ""},
	}
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, "guard"+lang)
			for _, tt := range tests {
				end := w.prompt(tt.prompt)
				if (end.Refused == 1) != (tt.want != "") || !strings.Contains(end.Response, tt.want) {
					t.Errorf("%s: got %d refused, %s; want %q", tt.prompt, end.Refused, end.Response, tt.want)
				}
			}
		})
	}
}

func TestHello(t *testing.T) {
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			w := newWorld(t, "hello"+lang)
			if end := w.prompt("/hello you"); end.Status != agent.Handled {
				t.Errorf("got %+v", end)
			}
			w.prompt("/hello")
			if got := w.all("say", "markdown"); got != "Hello you!|Hello world!" {
				t.Errorf("said %s", got)
			}
			end := w.prompt(`call greet {"name":"Ada"}`)
			if want := "1. call greet: ok\n   Hello Ada!"; end.Response != want {
				t.Errorf("got %s", end.Response)
			}
			w.engine.Drain(w.ctx)
			if got := w.all("script_error", "message"); got != "" {
				t.Errorf("errors: %s", got)
			}
		})
	}
}
