// Package picture draws what a terminal shows as SVG, for documents. It is used by tests only.
package picture

import (
	"fmt"
	"html"
	"image/color"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Palette is the colours of a terminal, as SVG writes them.
type Palette struct {
	Foreground, Background string
	Colors                 [16]string
}

// Dark and Light are palettes of usual terminals.
var (
	Dark = Palette{"#d4d7dd", "#16181d", [16]string{"#2b2f38", "#e5716f", "#7fc17b", "#d9b35e",
		"#6ea2e8", "#c58be0", "#5fbcc4", "#c3c7cf", "#6b7280", "#ef8b89", "#9ad497", "#e6c67d",
		"#8fb8ef", "#d4a6e9", "#82d0d6", "#ffffff"}}
	Light = Palette{"#24272e", "#ffffff", [16]string{"#24272e", "#c0352f", "#2f7d32", "#916300",
		"#2460c4", "#8b3fb0", "#0f7a86", "#8a8f99", "#5c626d", "#d6453f", "#3b9440", "#a97400",
		"#3a74d6", "#9f52c4", "#178f9c", "#ffffff"}}
)

const (
	// cellWidth and cellHeight are the size of a cell in pixels, for letters of fontSize.
	cellWidth, cellHeight, fontSize = 8.4, 18, 14
	// baseline is where letters stand, from the top of a cell; margin is around the screen.
	baseline, margin = 13.5, 12
	// faint is the opacity of faint text.
	faint = 0.6
)

// SVG returns a picture of a screen of that size. text is its lines, with escape sequences for
// colours and styles; there are no others in it.
func SVG(text string, width, height int, p Palette) string {
	screen := uv.NewScreenBuffer(width, height)
	screen.Method = ansi.GraphemeWidth
	uv.NewStyledString(text).Draw(screen, screen.Bounds())
	w, h := float64(width)*cellWidth+2*margin, float64(height)*cellHeight+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" `+
		`font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" `+
		`font-size="%d">`+"\n", w, h, fontSize)
	fmt.Fprintf(&b, `<rect width="%.0f" height="%.0f" rx="8" fill="%s"/>`+"\n", w, h, p.Background)
	for y := range height {
		for x := 0; x < width; {
			r := readRun(screen, x, y, width)
			b.WriteString(p.elements(r, x, y))
			x += r.cells
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run is the text of neighbouring cells that look the same.
type run struct {
	text  string
	cells int
	style uv.Style
}

func readRun(screen uv.ScreenBuffer, x, y, width int) run {
	var r run
	for x+r.cells < width {
		c := screen.CellAt(x+r.cells, y)
		if r.cells > 0 && !c.Style.Equal(&r.style) {
			break
		}
		r.style = c.Style
		r.text += c.Content
		r.cells += max(1, c.Width)
	}
	return r
}

// elements returns the elements of a run: what is behind it, and its text.
func (p Palette) elements(r run, x, y int) string {
	fg, bg := p.color(r.style.Fg, p.Foreground), p.color(r.style.Bg, "")
	if r.style.Attrs&uv.AttrReverse != 0 {
		if bg == "" {
			bg = p.Background
		}
		fg, bg = bg, fg
	}
	left, top := margin+float64(x)*cellWidth, margin+float64(y)*cellHeight
	var b strings.Builder
	if bg != "" {
		fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", left,
			top, float64(r.cells)*cellWidth, cellHeight, bg)
	}
	text := strings.TrimRight(r.text, " ")
	if text == "" {
		return b.String()
	}
	indent := len(text) - len(strings.TrimLeft(text, " "))
	// Browsers show several spaces as one, and do not heed xml:space.
	text = strings.ReplaceAll(text[indent:], "  ", "\u00a0\u00a0")
	fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"`,
		left+float64(indent)*cellWidth, top+baseline,
		float64(ansi.StringWidth(text))*cellWidth, fg)
	if r.style.Attrs&uv.AttrBold != 0 {
		b.WriteString(` font-weight="bold"`)
	}
	if r.style.Attrs&uv.AttrItalic != 0 {
		b.WriteString(` font-style="italic"`)
	}
	if r.style.Attrs&uv.AttrFaint != 0 {
		fmt.Fprintf(&b, ` opacity="%v"`, faint)
	}
	if r.style.Underline != 0 {
		b.WriteString(` text-decoration="underline"`)
	} else if r.style.Attrs&uv.AttrStrikethrough != 0 {
		b.WriteString(` text-decoration="line-through"`)
	}
	return b.String() + ">" + html.EscapeString(text) + "</text>\n"
}

// color returns a colour, or usual if there is none.
func (p Palette) color(c color.Color, usual string) string {
	switch c := c.(type) {
	case nil:
		return usual
	case ansi.BasicColor:
		return p.Colors[c&15]
	case ansi.IndexedColor:
		if c < 16 {
			return p.Colors[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
