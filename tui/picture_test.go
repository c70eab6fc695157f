package tui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentscripts/agent/tui/internal/picture"
)

// TestPictures draws some of the scenes for the documents, on a dark and on a light terminal, with
// -update; else it checks that the pictures show the screen as it is.
func TestPictures(t *testing.T) {
	dir := filepath.Join("..", "docs", "pictures")
	for name, play := range map[string]func(*stage){"conversation": scenes["conversation"],
		"approval": scenes["approval"], "markdown": scenes["markdown"], "scripts": playScripts} {
		for ground, palette := range map[string]picture.Palette{"dark": picture.Dark,
			"light": picture.Light} {
			t.Run(name+"-"+ground, func(t *testing.T) {
				s := newStage(t, Backend{}, 96, 30)
				s.looks.apply(ground)
				play(s)
				got := picture.SVG(s.View().Content, s.window.width, s.window.height, palette)
				file := filepath.Join(dir, name+"-"+ground+".svg")
				if *update {
					if err := os.MkdirAll(dir, 0o755); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("%s shows another screen: go test ./tui -run Pictures -update", file)
				}
			})
		}
	}
}
