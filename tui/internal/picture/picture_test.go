package picture_test

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/agentscripts/agent/tui/internal/picture"
)

// TestSVG checks the place, the colour and the style of each piece of text.
func TestSVG(t *testing.T) {
	got := picture.SVG("a \x1b[1;31mred & <bold>\x1b[m  z\n"+
		"\x1b[7m re \x1b[m\x1b[2mfaint\x1b[m 漢\x1b[4mu\x1b[m\n\x1b[48;5;2;38;2;1;2;3mx\n"+
		"two  or   more",
		20, 4, picture.Dark)
	for _, want := range []string{
		`viewBox="0 0 192 96"`,
		`<text x="12.0" y="25.5" textLength="8.4" fill="#d4d7dd">a</text>`,
		`<text x="28.8" y="25.5" textLength="100.8" fill="#e5716f" font-weight="bold">` +
			`red &amp; &lt;bold&gt;</text>`,
		`<text x="146.4" y="25.5" textLength="8.4" fill="#d4d7dd">z</text>`,
		`<rect x="12.0" y="30.0" width="33.6" height="18" fill="#d4d7dd"/>`,
		`<text x="20.4" y="43.5" textLength="16.8" fill="#16181d">re</text>`,
		`fill="#d4d7dd" opacity="0.6">faint</text>`,
		`<text x="96.0" y="43.5" textLength="16.8" fill="#d4d7dd">漢</text>`,
		`<text x="112.8" y="43.5" textLength="8.4" fill="#d4d7dd" ` +
			`text-decoration="underline">u</text>`,
		`<rect x="12.0" y="48.0" width="8.4" height="18" fill="#7fc17b"/>`,
		`fill="#010203">x</text>`,
		"two\u00a0\u00a0or\u00a0\u00a0 more</text>", // browsers join spaces that follow each other
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
	for d := xml.NewDecoder(strings.NewReader(got)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
