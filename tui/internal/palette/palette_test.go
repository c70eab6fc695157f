package palette_test

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/tui/internal/palette"
)

// linear returns the red, green and blue of a colour as amounts of light.
func linear(c color.Color) (v [3]float64) {
	r, g, b, _ := c.RGBA()
	for i, n := range [3]uint32{r, g, b} {
		x := float64(n) / 0xffff
		if v[i] = x / 12.92; x > 0.04045 {
			v[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return v
}

func luminance(c color.Color) float64 {
	v := linear(c)
	return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
}

// contrast is the ratio of the Web Content Accessibility Guidelines.
func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// readable is the contrast that those guidelines ask for.
const readable = 4.5

// TestContrast checks that the text of each built-in theme can be read on the backgrounds that
// terminals of its kind have.
func TestContrast(t *testing.T) {
	grounds := map[bool][]color.Color{
		true: {color.Black, color.RGBA{0x1e, 0x1e, 0x1e, 0xff}, color.RGBA{0x28, 0x2a, 0x36, 0xff}},
		false: {color.White, color.RGBA{0xf6, 0xf8, 0xfa, 0xff},
			color.RGBA{0xfa, 0xf4, 0xe8, 0xff}},
	}
	for _, p := range palette.BuiltIn() {
		if p.Name == palette.Terminal {
			continue
		}
		for k := palette.Dim; k <= palette.Hunk; k++ {
			for _, ground := range grounds[p.Dark] {
				if got := contrast(p.Color(k), ground); got < readable {
					t.Errorf("%s: %s has a contrast of %.1f on %v", p.Name, palette.Names()[k], got,
						ground)
				}
			}
		}
		for text, ground := range map[palette.Token]palette.Token{
			palette.AlarmText: palette.Alarm, palette.ChoiceText: palette.Choice} {
			if got := contrast(p.Color(text), p.Color(ground)); got < readable {
				t.Errorf("%s: %s has a contrast of %.1f", p.Name, palette.Names()[text], got)
			}
		}
		usual := map[bool]color.Color{true: color.RGBA{0xd0, 0xd0, 0xd0, 0xff}, false: color.Black}
		for _, ground := range []palette.Token{palette.AddedGround, palette.RemovedGround} {
			for _, text := range []color.Color{p.Color(palette.Dim), p.Color(palette.Code),
				p.Color(palette.Keyword), p.Color(palette.Added), p.Color(palette.Removed),
				usual[p.Dark]} {
				if got := contrast(text, p.Color(ground)); got < readable {
					t.Errorf("%s: %v has a contrast of %.1f on %s", p.Name, text, got,
						palette.Names()[ground])
				}
			}
		}
	}
}

// deuteranopia is how a colour looks without the green cones: the matrix of Machado, Oliveira and
// Fernandes (2009) for severity 1.
func deuteranopia(c color.Color) (lab [3]float64) {
	v := linear(c)
	m := [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}}
	var seen [3]float64
	for i := range m {
		for j := range v {
			seen[i] += m[i][j] * v[j]
		}
		seen[i] = max(seen[i], 0)
	}
	x := 0.4124*seen[0] + 0.3576*seen[1] + 0.1805*seen[2]
	y := 0.2126*seen[0] + 0.7152*seen[1] + 0.0722*seen[2]
	z := 0.0193*seen[0] + 0.1192*seen[1] + 0.9505*seen[2]
	f := math.Cbrt
	return [3]float64{116*f(y) - 16, 500 * (f(x/0.9505) - f(y)), 200 * (f(y) - f(z/1.089))}
}

// apart is the distance of colours in CIELAB that everybody notices at a glance.
const apart = 25

// TestDeuteranopia checks that opposites look different in the themes that are made for it.
func TestDeuteranopia(t *testing.T) {
	opposites := [][2]palette.Token{{palette.Added, palette.Removed}, {palette.OK, palette.Err},
		{palette.OK, palette.Warn}, {palette.Warn, palette.Err}, {palette.Accent, palette.Err}}
	for _, p := range palette.BuiltIn() {
		if !strings.HasPrefix(p.Name, "deuteranopia-") {
			continue
		}
		for _, pair := range opposites {
			a, b := deuteranopia(p.Color(pair[0])), deuteranopia(p.Color(pair[1]))
			if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < apart {
				t.Errorf("%s: %s and %s differ by %.0f", p.Name, palette.Names()[pair[0]],
					palette.Names()[pair[1]], d)
			}
		}
	}
}

// TestFewColors checks what terminals with few colours get.
func TestFewColors(t *testing.T) {
	for _, p := range palette.BuiltIn() {
		for k := range palette.Names() {
			k := palette.Token(k)
			switch c := p.On(colorprofile.ANSI).Color(k).(type) {
			case nil, ansi.BasicColor:
			default:
				t.Errorf("%s: %s is %v on a terminal with sixteen colours", p.Name,
					palette.Names()[k], c)
			}
			if c := p.On(colorprofile.ASCII).Color(k); c != nil {
				t.Errorf("%s: %s is %v without colours", p.Name, palette.Names()[k], c)
			}
		}
	}
}

func TestForGround(t *testing.T) {
	for ground, dark := range map[string]bool{"": true, "15;0": true, "0;15": false,
		"0;default;7": false, "15;default": true, "x": true} {
		if got := palette.GroundIsDark(ground); got != dark {
			t.Errorf("GroundIsDark(%q) = %v", ground, got)
		}
	}
	if p := palette.ForGround(palette.Auto, false); p.Name != "light" {
		t.Error(p.Name)
	}
	if p := palette.ForGround(palette.AutoDeuteranopia, true); p.Name != "deuteranopia-dark" {
		t.Error(p.Name)
	}
	if p := palette.ForGround("dark", false); p != nil {
		t.Error(p.Name)
	}
}

func TestCustom(t *testing.T) {
	base := palette.Named("dark")
	tests := []struct {
		token string
		value any
		want  color.Color // nil: as in base
		err   string
	}{
		{"user", "#5f87ff", color.RGBA{0x5f, 0x87, 0xff, 0xff}, ""},
		{"user", "#fff", color.RGBA{0xff, 0xff, 0xff, 0xff}, ""},
		{"user", "bright-red", ansi.BasicColor(9), ""},
		{"user", "cyan", ansi.BasicColor(6), ""},
		{"user", int64(3), ansi.BasicColor(3), ""},
		{"user", int64(208), ansi.IndexedColor(208), ""},
		{"user", int64(256), nil, "user: got 256, want a colour such as"},
		{"user", "#5f87f", nil, `user: got "#5f87f", want a colour`},
		{"user", "gren", nil, `did you mean "green"?`},
		{"user", true, nil, "user: got true, want"},
		{"usr", "red", nil, `unknown token "usr"; did you mean "user"?`},
		{"completely-else", "red", nil, "there is dim, user,"},
	}
	for _, test := range tests {
		p, problems := palette.Custom("mine", base, []palette.Entry{{test.token, test.value},
			{Token: "link", Value: "green"}})
		if test.want == nil {
			test.want = base.Color(palette.User)
		}
		if got := p.Color(palette.User); got != test.want {
			t.Errorf("%s = %v: got %v, want %v", test.token, test.value, got, test.want)
		}
		if p.Color(palette.Link) != ansi.BasicColor(2) || problems[1] != nil {
			t.Errorf("%s = %v: the next line is not used", test.token, test.value)
		}
		if got := problems[0]; (got == nil) != (test.err == "") ||
			got != nil && !strings.Contains(got.Error(), test.err) {
			t.Errorf("%s = %v: got error %v, want %q", test.token, test.value, got, test.err)
		}
	}
}
