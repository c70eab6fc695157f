package graphics

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// aPicture returns a picture whose left half is red and whose right half is blue.
func aPicture(width, height int) image.Image {
	p := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{255, 0, 0, 255}
			if x >= width/2 {
				c = color.RGBA{0, 0, 255, 255}
			}
			p.Set(x, y, c)
		}
	}
	return p
}

func encode(t *testing.T, kind string, p image.Image) string {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "png":
		err = png.Encode(&b, p)
	case "jpeg":
		err = jpeg.Encode(&b, p, nil)
	case "gif":
		err = gif.Encode(&b, p, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// aHugePNG returns a PNG that says that it has many pixels, and has none.
func aHugePNG(width, height uint32) string {
	head := append([]byte("IHDR"), make([]byte, 13)...)
	binary.BigEndian.PutUint32(head[4:], width)
	binary.BigEndian.PutUint32(head[8:], height)
	head[12], head[13] = 8, 6
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
	return base64.StdEncoding.EncodeToString(b)
}

func TestInspect(t *testing.T) {
	webp := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	pad := strings.Repeat("\x00", 30)
	for name, test := range map[string]struct {
		data string
		want Info
		fail string
	}{
		"png":  {encode(t, "png", aPicture(30, 20)), Info{"png", 30, 20, true}, ""},
		"jpeg": {encode(t, "jpeg", aPicture(30, 20)), Info{"jpeg", 30, 20, true}, ""},
		"gif":  {encode(t, "gif", aPicture(30, 20)), Info{"gif", 30, 20, true}, ""},
		"lossy": {webp("RIFF....WEBPVP8 ....\x00\x00\x00\x9d\x01\x2a\x1e\x00\x14\x00" + pad),
			Info{"webp", 30, 20, false}, ""},
		"lossless": {webp("RIFF....WEBPVP8L....\x2f\x1d\xc0\x04\x00" + pad),
			Info{"webp", 30, 20, false}, ""},
		"extended": {webp("RIFF....WEBPVP8X....\x00\x00\x00\x00\x1d\x00\x00\x13\x00\x00" + pad),
			Info{"webp", 30, 20, false}, ""},
		"bomb": {aHugePNG(50_000, 50_000), Info{"png", 50_000, 50_000, false}, ""},
		"too long": {encode(t, "gif", aPicture(3, 2)) + strings.Repeat("A", MostBytes),
			Info{"gif", 3, 2, false}, "base64"},
		"cut":      {encode(t, "png", aPicture(30, 20))[:20], Info{Kind: "png"}, "unexpected EOF"},
		"none":     {"", Info{}, "no known kind"},
		"text":     {"aGVsbG8=", Info{}, "no known kind"},
		"no codes": {"\x1b[2J", Info{}, "not base64"},
	} {
		got, err := Inspect(test.data)
		if test.fail != "" && (err == nil || !strings.Contains(err.Error(), test.fail)) ||
			test.fail == "" && (err != nil || got != test.want) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

func TestFit(t *testing.T) {
	for _, test := range [][6]int{{640, 480, 80, 11, 29, 11}, {640, 100, 40, 11, 40, 4},
		{16, 16, 80, 11, 2, 1}, {1, 1, 80, 11, 1, 1}, {8000, 1, 80, 11, 80, 1},
		{1, 8000, 80, 11, 1, 11}, {640, 480, 0, 0, 1, 1}} {
		info := Info{Width: test[0], Height: test[1]}
		if w, h := info.Fit(test[2], test[3]); w != test[4] || h != test[5] {
			t.Errorf("%v: got %d x %d", test, w, h)
		}
	}
}

// TestSend checks what the terminal gets: the image, made smaller, in chunks, and nothing else.
func TestSend(t *testing.T) {
	chunk := regexp.MustCompile("\x1b_G([a-zA-Z0-9=,]*);([A-Za-z0-9+/=]*)\x1b\\\\")
	for _, kind := range []string{"png", "jpeg", "gif"} {
		send, id, err := Send(t.Context(), encode(t, kind, aPicture(400, 400)), 20, 10)
		if err != nil {
			t.Fatal(err)
		}
		data := ""
		found := chunk.FindAllStringSubmatch(send, -1)
		for i, m := range found {
			data += m[2]
			if len(m[2]) > 4096 || i > 0 && m[1] != "q=2,m=1" && m[1] != "q=2,m=0" {
				t.Errorf("chunk %d: %s with %d bytes", i, m[1], len(m[2]))
			}
		}
		if rest := chunk.ReplaceAllString(send, ""); rest != "" || len(found) == 0 {
			t.Fatalf("%s: %q is no part of an image", kind, rest)
		}
		raw, _ := base64.StdEncoding.DecodeString(data)
		p, err := png.Decode(bytes.NewReader(raw))
		if err != nil || p.Bounds().Dx() != 320 || p.Bounds().Dy() != 320 {
			t.Fatalf("%s: %v %v", kind, p.Bounds(), err)
		}
		if r, _, b, _ := p.At(10, 10).RGBA(); r < 0xf000 || b > 0x1000 {
			t.Errorf("%s: the left half is not red", kind)
		}
		again, same, _ := Send(t.Context(), encode(t, kind, aPicture(400, 400)), 20, 10)
		if again != send || same != id || id == 0 || id > 0xffffff {
			t.Errorf("%s: the ids are %x and %x", kind, id, same)
		}
		_, other, _ := Send(t.Context(), encode(t, kind, aPicture(400, 400)), 10, 5)
		if other == id {
			t.Error("another size has the same id")
		}
	}
	for _, bad := range []string{aHugePNG(50_000, 50_000), aHugePNG(10, 10), "", "%"} {
		if send, _, err := Send(t.Context(), bad, 10, 10); err == nil {
			t.Errorf("%q of %q", send, bad)
		}
	}
}

// TestSendEnds checks that decoding ends with its context.
func TestSendEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Send(ctx, encode(t, "jpeg", aPicture(100, 100)), 3, 3); err == nil {
		t.Error("it was decoded")
	}
}

func TestLines(t *testing.T) {
	lines := Lines(0x0a0b0c, 3, 2)
	want := "\x1b[38;2;10;11;12m\U0010EEEE\u030d\u0305\U0010EEEE\u030d\u030d" +
		"\U0010EEEE\u030d\u030e\x1b[39m"
	if len(lines) != 2 || lines[1] != want || ansi.StringWidth(lines[0]) != 3 {
		t.Errorf("got %q", lines)
	}
	if got := ansi.StringWidth(ansi.Truncate(lines[0], 2, "")); got != 2 {
		t.Errorf("cut to 2 cells it has %d", got)
	}
}

func TestKnown(t *testing.T) {
	for env, want := range map[string]bool{
		"": false, "TERM=xterm-kitty": true, "TERM=xterm-ghostty": true,
		"TERM=xterm-256color TERM_PROGRAM=ghostty":   true,
		"TERM=xterm-256color KITTY_WINDOW_ID=1":      true,
		"TERM=tmux-256color KITTY_WINDOW_ID=1":       false,
		"TERM=xterm-kitty TMUX=x":                    false,
		"TERM=xterm-256color TERM_PROGRAM=iTerm.app": false,
	} {
		if got := Known(variables(env)); got != want {
			t.Errorf("%s: got %v", env, got)
		}
	}
}

// FuzzSend checks that no image makes a sequence with anything but an image.
func FuzzSend(f *testing.F) {
	var b bytes.Buffer
	_ = png.Encode(&b, aPicture(4, 4))
	f.Add(b.Bytes(), false)
	f.Add([]byte("R0lGODlh"), true)
	clean := regexp.MustCompile("^(\x1b_G[a-zA-Z0-9=,]*;[A-Za-z0-9+/=]*\x1b\\\\)*$")
	f.Fuzz(func(t *testing.T, data []byte, raw bool) {
		text := base64.StdEncoding.EncodeToString(data)
		if raw {
			text = string(data)
		}
		info, err := Inspect(text)
		if err == nil && info.Width*info.Height > 1<<16 {
			return // for speed
		}
		if send, _, _ := Send(t.Context(), text, 3, 3); !clean.MatchString(send) {
			t.Errorf("got %q", send)
		}
	})
}
