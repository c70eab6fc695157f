package tui

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/graphics"
	"github.com/agentscripts/agent/tui/internal/picture"
)

// TestPictures draws some of the scenes for the documents, on a dark and on a light terminal, with
// -update; else it checks that the pictures show the screen as it is.
func TestPictures(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "docs", "pictures")
	for name, play := range map[string]func(*stage){"conversation": playStory,
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

// aPNG returns a PNG image in base64.
func aPNG(t testing.TB, width, height int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// runAll runs a command and all that it causes. It returns what is written to the terminal.
func (s *stage) runAll(cmd tea.Cmd) (raw string) {
	for _, msg := range run(cmd) {
		if text, ok := msg.(tea.RawMsg); ok {
			raw += fmt.Sprint(text.Msg)
			continue
		}
		_, next := s.Update(msg)
		raw += s.runAll(next)
	}
	return raw
}

// TestImages checks that an image in a result is shown by its name and size, and drawn only by a
// terminal that can.
func TestImages(t *testing.T) {
	t.Parallel()
	for _, draws := range []bool{false, true} {
		s := newStage(t, Backend{}, 60, 40)
		if draws {
			s.transcript.canvas.configure(Settings{Images: "on"}, "/")
		}
		s.Update(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
		s.transcript.clearEntries()
		cmd := s.send("tool_result", fields{"call_id": "c", "tool": "read",
			"args": fields{"path": "a/b.png"}, "content": []any{
				fields{"type": "text", "text": "an image"},
				fields{"type": "image", "mime_type": "image/png", "data": aPNG(t, 320, 160)}}})
		s.has("an image", "[image b.png, ")
		raw := s.runAll(cmd)
		s.has("an image", "[image b.png 320x160, ")
		if sent := strings.HasPrefix(raw, "\x1b_G"); sent != draws {
			t.Errorf("sent %q", raw)
		}
		if n := strings.Count(s.View().Content, string(graphics.Mark)); n > 0 != draws {
			t.Errorf("%d marks", n)
		}
		_, cmd = s.Update(nil)
		if again := s.runAll(cmd); again != "" {
			t.Errorf("sent again: %q", again)
		}
		if !draws {
			continue
		}
		for i, row := range s.screen[2:] {
			if w := ansi.StringWidth(row); w > 60 {
				t.Errorf("row %d has %d cells", i, w)
			}
		}
		_, cmd = s.Update(tea.WindowSizeMsg{Width: 30, Height: 40})
		if raw := s.runAll(cmd); !strings.Contains(raw, "c=26") {
			t.Errorf("the narrower image is %.60q", raw)
		}
		s.advance(time.Second)
		s.Update(tea.MouseClickMsg{X: 4, Y: 1, Button: tea.MouseLeft})
		s.Update(tea.MouseMotionMsg{X: 9, Y: 1, Button: tea.MouseLeft})
		s.Update(tea.MouseMotionMsg{X: 9, Y: 6, Button: tea.MouseLeft})
		_, cmd = s.Update(tea.MouseReleaseMsg{X: 9, Y: 6, Button: tea.MouseLeft})
		if got := string(findMsg[copyMsg](cmd)); strings.ContainsRune(got, graphics.Mark) ||
			!strings.HasPrefix(got, "an image\n[image b.png") {
			t.Errorf("copied %q", got)
		}
	}
}

// TestPromptShowsImages checks that the images of a prompt are below it, also after the session was
// resumed.
func TestPromptShowsImages(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 40)
	data := aPNG(t, 32, 16)
	s.typeText("what is @a.png")
	s.press("enter")
	cmd := s.send("input", fields{"kind": "prompt", "text": "what is @a.png",
		"source": "interactive", "images": []any{
			fields{"type": "image", "mime_type": "image/png", "data": data}}})
	s.runAll(cmd)
	s.has("› what is @a.png\n  [image png 32x16, ")
	_, cmd = s.Update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "and this?", Images: []chat.Block{
		{Type: "image", MimeType: "image/png", Data: data}}}}})
	s.runAll(cmd)
	s.has("› and this?\n  [image png 32x16, ")
	s.lacks("a.png")
}

// TestPrintedImages checks that an image is drawn where it is printed, on a terminal that draws
// none elsewhere.
func TestPrintedImages(t *testing.T) {
	t.Parallel()
	s, paper := newInline(t, Backend{}, 80, 30)
	env := func(name string) string { return map[string]string{"TERM_PROGRAM": "WezTerm"}[name] }
	if p := s.transcript.canvas.configure(Settings{Env: env}, ""); p != nil {
		t.Fatal(p)
	}
	playImages(s)
	s.typeText("x")
	if len(paper.images) != 1 || !strings.Contains(paper.images[0][1], "\x1b]1337;File=") {
		t.Fatalf("%d images are kept", len(paper.images))
	}
	printed := strings.Join(paper.printed, "\n")
	if n := strings.Count(printed, paper.images[0][0]); n != 1 {
		t.Errorf("%d marks are printed:\n%s", n, printed)
	}
	s.press("ctrl+o")
	if s.has("[image png 640x480"); strings.ContainsRune(s.View().Content, graphics.Mark) {
		t.Error("it is drawn on the whole screen")
	}
}
