package agent

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/tool"
	"github.com/agentscripts/agent/engine/chat"
)

// TestImagesNamedInPrompt checks that an image at @PATH is sent along with the text.
func TestImagesNamedInPrompt(t *testing.T) {
	t.Parallel()
	var pixel bytes.Buffer
	if err := png.Encode(&pixel, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"a.png": pixel.Bytes(), "my shot.PNG": pixel.Bytes(),
		"lie.png": []byte("text"), "cut.png": pixel.Bytes()[:20],
		"big.png": make([]byte, tool.PictureBytes+1), "dir.png/x": nil}
	for _, tt := range []struct {
		text, source string
		images       int
		notice       string // part of the notice, "" = none
	}{
		{"look at @a.png", "", 1, ""},
		{"@a.png and @\"my shot.PNG\"", "", 2, ""},
		{"mail me@a.png", "", 0, ""},
		{"@none.png", "", 0, ""},
		{"@lie.png", "", 0, ""}, // a text
		{"@cut.png", "", 0, "it is a broken image"},
		{"@big.png", "", 0, "is a binary file"},
		{"@dir.png", "", 0, ""}, // a directory
		{"@a.png", "script", 0, ""},
	} {
		t.Run(tt.text+tt.source, func(t *testing.T) {
			w := newWorld(t, Options{}, answer{text: "nice"})
			for name, data := range files {
				path := filepath.Join(w.agent.attached.dir, name)
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
				if want := (chat.Block{Type: "image", MimeType: "image/png",
					Data: base64.StdEncoding.EncodeToString(pixel.Bytes())}); b != want {
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
			if !strings.Contains(told, tt.notice) || tt.notice == "" &&
				strings.Contains(told, "not sent") {
				t.Errorf("got notice %q, want %q", told, tt.notice)
			}
		})
	}
}

// TestInvalidImagesAreDropped checks that an image that no model server accepts is not added to the
// conversation, where it would make every later request fail.
func TestInvalidImagesAreDropped(t *testing.T) {
	t.Parallel()
	var pixel bytes.Buffer
	if err := png.Encode(&pixel, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	block := func(mime string, data []byte) chat.Block {
		return chat.Block{Type: "image", MimeType: mime,
			Data: base64.StdEncoding.EncodeToString(data)}
	}
	w := newWorld(t, Options{}, answer{text: "nice"})
	w.agent.Prompt(w.ctx,
		Input{Text: "look", Images: []chat.Block{block("image/jpeg", pixel.Bytes()),
			block("image/png", []byte("text")),
			block("image/png", pixel.Bytes()[:20]), {Type: "image", MimeType: "image/png",
				Data: "no base64!"}}})
	if got, want := w.requests[0].Messages[0].Content[1:],
		[]chat.Block{block("image/png", pixel.Bytes())}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want the only valid image, with its real type", got)
	}
	if end := w.agent.Prompt(w.ctx,
		Input{Images: []chat.Block{block("image/png", []byte("text"))}}); end.Status != Failed {
		t.Errorf("only invalid images: got %+v", end)
	}
}
