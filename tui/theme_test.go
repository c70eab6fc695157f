package tui

import (
	"errors"
	"image/color"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// night is a theme of a user with mistakes in it.
var night = Theme{Name: "night", Where: "themes/night.toml", Base: "light", Colors: []ThemeColor{
	{"user", "#010203", "themes/night.toml:3"}, {"acent", "red", "themes/night.toml:4"},
	{"ok", "#12", "themes/night.toml:5"}, {"err", int64(1), "themes/night.toml:6"}}}

func TestThemeSettings(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	got := u.Configure(Settings{Theme: "nihgt", ThemeWhere: "config.toml:2",
		Themes: []Theme{night, {Name: "dark", Where: "themes/dark.toml"},
			{Name: "odd", Where: "themes/odd.toml", Base: "blak"}}})
	want := []string{
		`themes/night.toml:4: unknown token "acent"; did you mean "accent"?`,
		`themes/night.toml:5: ok: got "#12", want a colour such as "#5f87ff", a name such as ` +
			`"red" or "bright-red", or a number up to 255`,
		`themes/night.toml:6: unknown token "err"; there is dim, user, accent, link, code, ` +
			`keyword, ok, warn, error, added, removed, hunk, alarm, alarm_text, choice, ` +
			`choice_text, added_ground, removed_ground`,
		"themes/dark.toml: the name of a built-in theme; rename the file to use it",
		`themes/odd.toml: base: got "blak", want one of auto, deuteranopia, dark, light, ` +
			`deuteranopia-dark, deuteranopia-light, terminal, night`,
		`config.toml:2: tui.theme: got "nihgt", want one of auto, deuteranopia, dark, light, ` +
			`deuteranopia-dark, deuteranopia-light, terminal, night, odd; did you mean "night"?`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	u = New(Backend{}, Info{})
	u.Configure(Settings{Theme: "night", Themes: []Theme{night}})
	inks := u.model.theme.inks
	if inks.Color(palette.User) != (color.RGBA{1, 2, 3, 0xff}) ||
		inks.Color(palette.Code) != palette.Named("light").Color(palette.Code) {
		t.Errorf("%s has other colours", inks.Name)
	}
}

// TestThemeByGround checks that the answer of the terminal decides, whenever it comes, and that
// nothing waits for it.
func TestThemeByGround(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 20)
	s.is("dark")
	s.looks.configure(Settings{Ground: "0;15"})
	s.is("light")
	s.send("message_end", fields{"message_id": "m1", "text": "a `word`"})
	before := s.View().Content
	s.Update(tea.BackgroundColorMsg{Color: color.Black})
	s.is("dark")
	if after := s.View().Content; after == before {
		t.Error("what was drawn before keeps its colours")
	}
	s.Update(tea.BackgroundColorMsg{}) // an answer without a colour
	s.is("dark")
	s.looks.choose("light")
	s.Update(tea.BackgroundColorMsg{Color: color.Black})
	s.is("light")
	asks := func(theme string) bool {
		s.looks.choose(theme)
		return slices.ContainsFunc(run(s.Init()), func(msg tea.Msg) bool {
			return msg == tea.RequestBackgroundColor()
		})
	}
	if !asks(palette.Auto) || !asks(palette.AutoDeuteranopia) || asks("light") {
		t.Error("the terminal is asked for its background if, and only if, the theme depends on it")
	}
}

// TestThemePicker checks that a theme is shown while the user stands on it, and that esc restores
// the previous theme.
func TestThemePicker(t *testing.T) {
	t.Parallel()
	var kept []string
	s := newStage(t, Backend{KeepTheme: func(name string) error {
		if kept = append(kept, name); name == "light" {
			return errors.New("disk full")
		}
		return nil
	}}, 60, 24)
	s.looks.configure(Settings{Theme: "dark", ThemeWhere: "config.toml:2", Themes: []Theme{night}})
	press := func(key string) {
		for _, msg := range run(s.press(key)) {
			s.Update(msg)
		}
	}
	open := func() {
		s.typeText("/theme")
		s.press("enter")
		s.advance(seenFor)
		s.has("── Theme", "current")
	}
	open()
	s.press("down")
	s.is("light")
	s.press("esc")
	s.is("dark")
	open()
	s.typeText("night")
	s.is("night")
	press("enter")
	s.is("night")
	s.has("kept, but config.toml:2 comes first")
	s.typeText("/theme lihgt")
	s.press("enter")
	s.is("night")
	s.has(`did you mean "light"?`)
	s.typeText("/theme light")
	press("enter")
	s.is("light")
	s.has("the theme is not kept: disk full")
	if !slices.Equal(kept, []string{"night", "light"}) {
		t.Errorf("kept %q", kept)
	}
	s.looks.configure(Settings{Kept: "night", Themes: []Theme{night}})
	s.is("night")
}

// TestThemeNamesAreCompleted checks that tab lists the themes after the command.
func TestThemeNamesAreCompleted(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 24)
	s.typeText("/theme ")
	s.deliver(s.press("tab"))
	s.has("auto", "as the terminal is", "deuteranopia-dark")
	s.typeText("lig")
	s.lacks("auto")
	s.press("tab")
	s.has("› /theme light")
}

// TestThemeWithoutColors checks that what a colour tells is told by something else on a terminal
// that has none.
func TestThemeWithoutColors(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 24)
	s.Update(tea.ColorProfileMsg{Profile: colorprofile.ASCII})
	if got := s.theme.choice.Render("x"); got != "\x1b[7mx\x1b[m" {
		t.Errorf("the choice is drawn as %q", got)
	}
	if got := s.theme.dim.Render("x"); got != "\x1b[2mx\x1b[m" {
		t.Errorf("what matters less is drawn as %q", got)
	}
}

// is checks which theme is in use.
func (s *stage) is(name string) {
	s.t.Helper()
	if got := s.theme.inks.Name; got != name {
		s.t.Errorf("the theme is %s, want %s", got, name)
	}
}

// TestThemeOfScript checks that a script's theme is offered, used at once if it says so, replaced,
// and gone with the script; and that a wrong one is an error.
func TestThemeOfScript(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	s := &stage{t: t, model: u.model}
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 24})
	set := func(theme ui.Theme) {
		theme.Script, theme.Name = "a.lua", "sea"
		if err := u.Surface().CheckTheme(theme); err != nil && theme.Colors != nil {
			t.Error(err)
		}
		u.Surface().SetTheme(theme)
		s.Update(u.feed.Take())
	}
	set(ui.Theme{Base: "light", Colors: map[string]any{"user": "#010203", "code": 2.0}})
	s.is("dark")
	set(ui.Theme{Colors: map[string]any{"user": "#040506"}, Use: true})
	s.is("sea")
	if got := s.theme.inks.Color(palette.User); got != (color.RGBA{4, 5, 6, 0xff}) {
		t.Errorf("its colour of the user is %v", got)
	}
	s.Update(run(s.looks.openList()))
	s.has("sea", "a.lua")
	set(ui.Theme{})
	s.is("dark")
	u.Configure(Settings{Kept: "sea"}) // of a script that loads later
	s.is("dark")
	set(ui.Theme{Colors: map[string]any{"user": "red"}})
	s.is("sea")
	colors := func(token string, v any) ui.Theme {
		return ui.Theme{Name: "x", Colors: map[string]any{token: v}}
	}
	for want, theme := range map[string]ui.Theme{
		`options.base: got "drak", want one of dark, light, `:       {Name: "x", Base: "drak"},
		`colors: unknown token "acent"; did you mean "accent"?`:     colors("acent", "red"),
		`colors: ok: got "#12", want a colour such as "#5f87ff"`:    colors("ok", "#12"),
		`colors: ok: got 2.5, want a colour such as "#5f87ff", a n`: colors("ok", 2.5),
		"name: light is a built-in theme":                           {Name: "light"},
	} {
		if err := u.Surface().CheckTheme(theme); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestThemesOfTwoScripts checks that of two themes with one name the first counts, also after a
// reload, and that a script does not undo what the user has chosen.
func TestThemesOfTwoScripts(t *testing.T) {
	t.Parallel()
	u := New(Backend{}, Info{})
	s := &stage{t: t, model: u.model}
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 24})
	set := func(script, user string) {
		u.Surface().SetTheme(ui.Theme{Script: script, Name: "sea", Use: true,
			Colors: map[string]any{"user": user}})
		s.Update(u.feed.Take())
	}
	used := func(want color.Color) {
		t.Helper()
		if got := s.theme.inks.Color(palette.User); got != want {
			t.Errorf("the colour of the user is %v, want %v", got, want)
		}
	}
	first, other := color.RGBA{1, 2, 3, 0xff}, color.RGBA{4, 5, 6, 0xff}
	set("a.lua", "#010203")
	set("b.js", "#040506")
	used(first)
	s.has("theme sea of b.js: a.lua is first to have one")
	set("a.lua", "#010203") // reloaded
	used(first)
	s.Update(run(s.looks.openList()))
	s.has("a.lua")
	s.lacks("sea                 b.js")
	u.Surface().SetTheme(ui.Theme{Script: "a.lua", Name: "sea"})
	s.Update(u.feed.Take())
	used(other)
	s.looks.choose("dark")
	set("b.js", "#040506")
	s.is("dark")
}
