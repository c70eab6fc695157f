package agent

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
)

// TestImagesThatAPromptNames sends what @PATH names along with the text, if it is an image.
func TestImagesThatAPromptNames(t *testing.T) {
	var pixel bytes.Buffer
	if err := png.Encode(&pixel, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"a.png": pixel.Bytes(), "my shot.PNG": pixel.Bytes(), "lie.png": []byte("text"), "big.png": make([]byte, imageBytes+1), "dir.png/x": nil}
	for _, tt := range []struct {
		text, source string
		images       int
		notice       string // part of the notice, "" = none
	}{
		{"look at @a.png", "", 1, ""},
		{"@a.png and @\"my shot.PNG\"", "", 2, ""},
		{"mail me@a.png", "", 0, ""},
		{"@none.png", "", 0, ""},
		{"@lie.png", "", 0, "it holds no image"},
		{"@big.png", "", 0, "5 MB are the most"},
		{"@dir.png", "", 0, "not a regular file"},
		{"@a.png", "script", 0, ""},
	} {
		t.Run(tt.text+tt.source, func(t *testing.T) {
			w := newWorld(t, Options{}, answer{text: "nice"})
			w.agent.o.Dir = t.TempDir()
			for name, data := range files {
				path := filepath.Join(w.agent.o.Dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			w.agent.Prompt(w.ctx, Input{Text: tt.text, Source: tt.source})
			m := w.requests[0].Messages[0]
			if got := len(m.Content) - 1; got != tt.images {
				t.Fatalf("got %d images, want %d", got, tt.images)
			}
			for _, b := range m.Content[1:] {
				if want := (engine.Block{Type: "image", MimeType: "image/png", Data: base64.StdEncoding.EncodeToString(pixel.Bytes())}); b != want {
					t.Errorf("got %+v", b)
				}
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			told := ""
			for _, ev := range w.events {
				if ev.Name() == "notification" {
					told += ev.Text("message")
				}
			}
			if !strings.Contains(told, tt.notice) || tt.notice == "" && strings.Contains(told, "not sent") {
				t.Errorf("got notice %q, want %q", told, tt.notice)
			}
		})
	}
}
