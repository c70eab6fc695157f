// Package graphics reads images, and draws them in terminals with the graphics protocol of kitty.
//
//	info, err := graphics.Inspect(data)           // its size in pixels
//	cols, rows := info.Fit(80, 11)                // its size in cells
//	send, id, err := graphics.Send(ctx, data, cols, rows)
//	lines := graphics.Lines(id, cols, rows)       // once send was written to the terminal
//
// The lines hold placeholders: characters that the terminal replaces by parts of the image. They
// are scrolled, cut and overwritten like text, so the screen needs to know nothing about images.
//
// Images come from models, tools and files. They are never decoded before their size is known, and
// decoding is bounded; it still takes too long for the goroutine of the screen.
package graphics

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/agentscripts/agent/engine/plain"
)

const (
	// MostBytes is the largest image that is read, in base64: more than models take.
	MostBytes = 8 << 20
	// mostPixels is the largest image that is decoded: 4 to 8 bytes of memory are needed for each.
	mostPixels = 16 << 20
	// headBytes is how much of an image is read for its size, in base64: the previews that cameras
	// put before it have at most 64 KB.
	headBytes = 96 << 10
	// cellWidth and cellHeight are the pixels that are sent for a cell: those of a dense screen.
	cellWidth, cellHeight = 16, 32
)

// Info is what is known of an image.
type Info struct {
	Kind          string // "png", "jpeg", "gif" or "webp"
	Width, Height int    // in pixels
	Drawn         bool   // Send can read it
}

// formats are the images that are known, by their first bytes.
var formats = [...]struct {
	kind, magic string
	size        func(io.Reader) (image.Config, error)
	decode      func(io.Reader) (image.Image, error)
}{
	{"png", "\x89PNG\r\n\x1a\n", png.DecodeConfig, png.Decode},
	{"jpeg", "\xff\xd8\xff", jpeg.DecodeConfig, jpeg.Decode},
	{"gif", "GIF8", gif.DecodeConfig, gif.Decode},
	{"webp", "RIFF", webpConfig, nil},
}

// Inspect returns what the beginning of an image in base64 says about it.
func Inspect(data string) (Info, error) {
	head, err := base64.StdEncoding.DecodeString(plain.Head(data, headBytes))
	if err != nil {
		return Info{}, errors.New("it is not base64")
	}
	for _, f := range formats {
		if !bytes.HasPrefix(head, []byte(f.magic)) {
			continue
		}
		c, err := f.size(bytes.NewReader(head))
		if err != nil {
			return Info{Kind: f.kind}, err
		}
		info := Info{Kind: f.kind, Width: c.Width, Height: c.Height}
		info.Drawn = f.decode != nil && c.Width > 0 && c.Height > 0 &&
			c.Width <= mostPixels/c.Height && len(data) <= MostBytes
		return info, nil
	}
	return Info{}, errors.New("it is of no known kind")
}

// webpConfig reads the size of a WebP image, in one of its three forms.
func webpConfig(r io.Reader) (c image.Config, err error) {
	var b [30]byte
	if _, err := io.ReadFull(r, b[:]); err != nil || string(b[8:12]) != "WEBP" {
		return c, errors.New("it is no WebP image")
	}
	le := binary.LittleEndian
	switch string(b[12:16]) {
	case "VP8 ":
		c.Width, c.Height = int(le.Uint16(b[26:]))&0x3fff, int(le.Uint16(b[28:]))&0x3fff
	case "VP8L":
		bits := le.Uint32(b[21:])
		c.Width, c.Height = int(bits&0x3fff)+1, int(bits>>14&0x3fff)+1
	case "VP8X":
		c.Width = int(le.Uint32(b[24:])&0xffffff) + 1
		c.Height = int(le.Uint32(b[26:])>>8) + 1
	default:
		return c, errors.New("it is a WebP image of an unknown form")
	}
	return c, nil
}

// Fit returns the size of the image in cells, at most cols and rows, and not larger than it is. A
// cell is taken to be twice as high as wide.
func (i Info) Fit(cols, rows int) (int, int) {
	cols = max(1, min(cols, most))
	rows = max(1, min(rows, most))
	w, h := max(1, (i.Width+cellWidth/2-1)/(cellWidth/2)), max(1, (i.Height+cellHeight/2-1)/
		(cellHeight/2))
	if w > cols {
		w, h = cols, max(1, (h*cols+w/2)/w)
	}
	if h > rows {
		w, h = max(1, (w*rows+h/2)/h), rows
	}
	return w, h
}

// most is the most columns or rows of an image: there are marks for somewhat more.
const most = 200

// Send returns what makes the terminal keep an image in base64, made as small as it needs to be for
// a number of cells, and the id by which it keeps it. It decodes the image, which ends with ctx:
// some images of few bytes take minutes.
func Send(ctx context.Context, data string, cols, rows int) (sequence string, id uint32,
	err error) {
	image, err := smaller(ctx, data, cols, rows)
	if err != nil {
		return "", 0, err
	}
	id = idOf(image, cols, rows)
	return sequenceOf(image, id, cols, rows), id, nil
}

// smaller returns an image in base64 as PNG, with the pixels for a number of cells.
func smaller(ctx context.Context, data string, cols, rows int) ([]byte, error) {
	info, err := Inspect(data)
	if err == nil && !info.Drawn {
		err = errors.New("it is too large, or of a kind that is not drawn")
	}
	if err != nil {
		return nil, err
	}
	whole, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return nil, errors.New("it is not base64")
	}
	var picture image.Image
	for _, f := range formats {
		if f.kind == info.Kind {
			picture, err = f.decode(&reader{ctx, bytes.NewReader(whole)})
		}
	}
	if err != nil {
		return nil, err
	}
	var small bytes.Buffer
	err = png.Encode(&small, scale(picture, cols*cellWidth, rows*cellHeight))
	return small.Bytes(), err
}

// reader reads until ctx ends.
type reader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r *reader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(b)
}

// idOf returns an id in 24 bits, which a colour can hold, and which is not that of another image.
func idOf(image []byte, cols, rows int) uint32 {
	h := fnv.New32a()
	_, _ = h.Write(image)
	fmt.Fprint(h, cols, rows)
	return h.Sum32()&0xffffff | 0x010000
}

// sequenceOf returns the sequence that sends a PNG image, for placeholders. The terminal does not
// answer it.
func sequenceOf(image []byte, id uint32, cols, rows int) string {
	rest := base64.StdEncoding.EncodeToString(image)
	options := []string{"a=T", "U=1", "f=100", "q=2", fmt.Sprintf("i=%d", id),
		fmt.Sprintf("c=%d", cols), fmt.Sprintf("r=%d", rows)}
	var b strings.Builder
	for rest != "" {
		n := min(len(rest), kitty.MaxChunkSize)
		more := "m=1"
		if n == len(rest) {
			more = "m=0"
		}
		b.WriteString(ansi.KittyGraphics([]byte(rest[:n]), append(options, more)...))
		rest, options = rest[n:], []string{"q=2"}
	}
	return b.String()
}

// Mark is the character that each cell of an image holds.
const Mark = kitty.Placeholder

// Lines returns the lines of an image that the terminal keeps.
func Lines(id uint32, cols, rows int) []string {
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", id>>16&0xff, id>>8&0xff, id&0xff)
		for x := range cols {
			b.WriteRune(kitty.Placeholder)
			b.WriteRune(kitty.Diacritic(y))
			b.WriteRune(kitty.Diacritic(x))
		}
		b.WriteString("\x1b[39m")
		lines[y] = b.String()
	}
	return lines
}

// Known reports whether the terminal is known to draw images for placeholders. env
// returns a variable of its environment.
func Known(env func(name string) string) bool {
	if multiplexed(env) {
		return false
	}
	return env("TERM") == "xterm-kitty" || env("TERM") == "xterm-ghostty" ||
		env("KITTY_WINDOW_ID") != "" || env("TERM_PROGRAM") == "ghostty"
}
