// This file holds the styles of the screen, and the choice of a theme.

package tui

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/palette"
)

// theme names the styles of the screen by their meaning. Their colours are the tokens of a palette,
// which applyPalette replaces while the screen is shown.
type theme struct {
	inks *palette.Palette

	dim, bold, user, accent, code                    lipgloss.Style
	ok, warn, err, alarm, added, removed, hunk, link lipgloss.Style
	choice, toast                                    lipgloss.Style
}

func newTheme() *theme {
	t := &theme{}
	t.applyPalette(palette.Named("dark"))
	return t
}

// applyPalette sets all styles. What has been drawn before keeps its colours until it is drawn
// again.
func (t *theme) applyPalette(p *palette.Palette) {
	ink := func(k palette.Token) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(p.Color(k))
	}
	on := func(text, ground palette.Token) lipgloss.Style {
		if p.Color(ground) == nil {
			return lipgloss.NewStyle().Reverse(true)
		}
		return ink(text).Background(p.Color(ground))
	}
	dim := ink(palette.Dim)
	if p.Color(palette.Dim) == nil {
		dim = dim.Faint(true)
	}
	*t = theme{
		inks:    p,
		dim:     dim,
		bold:    lipgloss.NewStyle().Bold(true),
		user:    ink(palette.User).Bold(true),
		accent:  ink(palette.Accent),
		code:    ink(palette.Code),
		ok:      ink(palette.OK),
		warn:    ink(palette.Warn),
		err:     ink(palette.Err),
		alarm:   on(palette.AlarmText, palette.Alarm).Bold(true),
		added:   ink(palette.Added),
		removed: ink(palette.Removed),
		hunk:    ink(palette.Hunk),
		link:    ink(palette.Link).Underline(true),
		choice:  on(palette.ChoiceText, palette.Choice),
		toast:   lipgloss.NewStyle().Reverse(true),
	}
}

// level returns the style of a notification's level.
func (t *theme) level(level string) lipgloss.Style {
	switch level {
	case "success":
		return t.ok
	case "warn":
		return t.warn
	case "error":
		return t.err
	}
	return t.accent
}

// Theme is a theme of the user, as it is written.
type Theme struct {
	Name   string
	Where  string // the file, for messages
	Base   string // the theme that it changes; "" = dark
	Colors []ThemeColor
}

// ThemeColor is the colour of a token: a text or a number.
type ThemeColor struct {
	Token string
	Value any
	Where string // file and line, for messages
}

// looks decides which theme is in use: by the setting, by the background of the terminal, and by
// /theme, which shows a theme while the user stands on it in the list.
type looks struct {
	keyless
	unseen
	*shared
	transcript *transcript
	overlays   *overlays
	toasts     *toasts

	own     []*palette.Palette
	lent    []scriptTheme // of scripts
	chosen  string
	picked  bool   // the user has chosen it, now or earlier
	set     string // where the theme is set; "" = nowhere
	dark    bool   // the background
	profile colorprofile.Profile
}

func newLooks(b *shared, t *transcript, o *overlays, toasts *toasts) *looks {
	return &looks{shared: b, transcript: t, overlays: o, toasts: toasts, chosen: palette.Auto,
		dark: true}
}

// configure reads the user's themes, and applies the one that is set.
func (l *looks) configure(s Settings) (problems []string) {
	l.dark = palette.GroundIsDark(s.Ground)
	for _, t := range s.Themes {
		base, ok := l.findTheme(cmp.Or(t.Base, "dark"))
		switch {
		case t.Name == palette.Auto || t.Name == palette.AutoDeuteranopia ||
			palette.Named(t.Name) != nil:
			problems = append(problems, fmt.Sprintf(
				"%s: the name of a built-in theme; rename the file to use it", t.Where))
			continue
		case !ok:
			problems = append(problems, fmt.Sprintf("%s: base: got %q, want one of %s%s", t.Where,
				t.Base, strings.Join(l.names(), ", "), suggest.DidYouMean(t.Base, l.names())))
			base = palette.Named("dark")
		}
		entries := make([]palette.Entry, len(t.Colors))
		for i, c := range t.Colors {
			entries[i] = palette.Entry{Token: c.Token, Value: c.Value}
		}
		p, wrong := palette.Custom(t.Name, base, entries)
		for i, err := range wrong {
			if err != nil {
				problems = append(problems, fmt.Sprintf("%s: %v", t.Colors[i].Where, err))
			}
		}
		l.own = append(l.own, p)
	}
	if s.Theme != "" {
		if _, ok := l.findTheme(s.Theme); ok {
			l.chosen = s.Theme
		} else {
			problems = append(problems, fmt.Sprintf("%s: tui.theme: got %q, want one of %s%s",
				s.ThemeWhere, s.Theme, strings.Join(l.names(), ", "),
				suggest.DidYouMean(s.Theme, l.names())))
		}
	}
	l.picked = s.Theme != "" || s.Kept != ""
	if s.Theme == "" && s.Kept != "" {
		l.chosen = s.Kept // it may be a script's, which comes later
	}
	l.set = s.ThemeWhere
	l.apply(l.chosen)
	return problems
}

// names returns the names of all themes.
func (l *looks) names() (list []string) {
	for _, x := range l.choices() {
		list = append(list, x.Value)
	}
	return list
}

// findTheme returns the theme of a name, for the background that the terminal has.
func (l *looks) findTheme(name string) (p *palette.Palette, ok bool) {
	if p = palette.ForGround(name, l.dark); p == nil {
		p = palette.Named(name)
	}
	for _, own := range l.own {
		if p == nil && own.Name == name {
			p = own
		}
	}
	for _, t := range l.lent {
		if p == nil && t.Name == name {
			p = t.Palette
		}
	}
	return p, p != nil
}

// apply draws with the theme of a name from now on.
func (l *looks) apply(name string) {
	p, ok := l.findTheme(name)
	if !ok || l.theme.inks.Same(p, l.profile) {
		return
	}
	l.theme.applyPalette(p.On(l.profile))
	l.transcript.canvas.md.Inks = l.theme.inks
}

// askGround asks the terminal for its background, if the theme depends on it. Nothing waits for the
// answer.
func (l *looks) askGround(name string) tea.Cmd {
	if palette.ForGround(name, true) == nil {
		return nil
	}
	return tea.RequestBackgroundColor
}

// handleMsg implements component.
func (l *looks) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.ColorProfileMsg:
		l.profile = msg.Profile
	case tea.BackgroundColorMsg:
		if msg.Color == nil { // an answer that says nothing
			return nil
		}
		l.dark = msg.IsDark()
	case scriptTheme:
		return l.lend(msg)
	default:
		return nil
	}
	l.apply(l.chosen)
	return nil
}

// choices returns all themes.
func (l *looks) choices() []ui.Choice {
	choices := []ui.Choice{
		{Value: palette.Auto, Description: "dark or light, as the terminal is"},
		{Value: palette.AutoDeuteranopia,
			Description: "the same, without red and green as opposites"},
	}
	for _, p := range palette.BuiltIn() {
		x := ui.Choice{Value: p.Name}
		if p.Name == palette.Terminal {
			x.Description = "the sixteen colours of the terminal"
		}
		choices = append(choices, x)
	}
	for _, p := range l.own {
		choices = append(choices, ui.Choice{Value: p.Name, Label: cells.Clean(p.Name),
			Description: "yours"})
	}
	for _, t := range l.lent {
		if l.holder(t) == "" {
			choices = append(choices, ui.Choice{Value: t.Name, Description: t.script})
		}
	}
	return choices
}

// openList opens the list of themes.
func (l *looks) openList() tea.Cmd {
	list := newChooser("Theme", "", l.choices())
	list.Begin(l.chosen)
	list.stood = l.apply
	d := newDialog(list)
	d.then = func(answer any) tea.Cmd {
		name, ok := answer.(string)
		if !ok {
			l.apply(l.chosen)
			return nil
		}
		return l.choose(name)
	}
	l.overlays.openPicker(d, l.overlays.lastKey)
	return nil
}

// choose uses a theme, and keeps it for later starts.
func (l *looks) choose(name string) tea.Cmd {
	if _, ok := l.findTheme(name); !ok {
		l.transcript.addEntry(&noticeBlock{"error", fmt.Sprintf("theme: got %q, want one of %s%s",
			cells.Clean(name), strings.Join(l.names(), ", "),
			suggest.DidYouMean(name, l.names()))})
		return nil
	}
	l.chosen, l.picked = name, true
	l.apply(name)
	keep, set := l.backend.KeepTheme, l.set
	if keep == nil {
		return l.askGround(name)
	}
	return tea.Batch(l.askGround(name), func() tea.Msg {
		switch err := keep(name); {
		case err != nil:
			return sayMsg{"warn", "the theme is not kept: " + plain.Error(err)}
		case set != "":
			return sayMsg{"info", "kept, but " + set + " comes first"}
		}
		return sayMsg{"info", "kept for later starts"}
	})
}

// scriptTheme is a theme of a script.
type scriptTheme struct {
	*palette.Palette // without colours: the theme is removed
	script           string
	removed, use     bool
}

// readTheme reads the theme of a script. The error names the first token that is wrong.
func readTheme(t ui.Theme) (*palette.Palette, error) {
	base := palette.Named(cmp.Or(t.Base, "dark"))
	if base == nil {
		var names []string
		for _, p := range palette.BuiltIn() {
			names = append(names, p.Name)
		}
		return nil, fmt.Errorf("options.base: got %.80q, want one of %s%s", t.Base,
			strings.Join(names, ", "), suggest.DidYouMean(t.Base, names))
	}
	var entries []palette.Entry
	for _, token := range slices.Sorted(maps.Keys(t.Colors)) {
		v := t.Colors[token]
		if n, ok := v.(float64); ok && n == math.Trunc(n) {
			v = int64(n)
		}
		entries = append(entries, palette.Entry{Token: token, Value: v})
	}
	p, problems := palette.Custom(t.Name, base, entries)
	if err := errors.Join(problems...); err != nil {
		return nil, fmt.Errorf("colors: %w", err)
	}
	if palette.Named(t.Name) != nil || palette.ForGround(t.Name, true) != nil {
		return nil, fmt.Errorf("name: %s is a built-in theme", t.Name)
	}
	return p, nil
}

// setTheme implements the SetTheme of ui.Surface.
func (u *UI) setTheme(t ui.Theme) {
	p, err := readTheme(t)
	if err == nil { // CheckTheme has reported it
		u.feed.Push(scriptTheme{p, cells.Clean(t.Script), t.Colors == nil, t.Use})
	}
}

// holder returns who else has the name of a script's theme, which counts instead; "" = nobody.
func (l *looks) holder(t scriptTheme) string {
	for _, own := range l.own {
		if own.Name == t.Name {
			return "the user's themes"
		}
	}
	for _, other := range l.lent {
		switch {
		case other.Name == t.Name && other.script == t.script:
			return ""
		case other.Name == t.Name:
			return other.script
		}
	}
	return ""
}

// lend adds a theme of a script, replaces it or removes it. If it is in use, what is drawn changes.
func (l *looks) lend(t scriptTheme) tea.Cmd {
	at := slices.IndexFunc(l.lent, func(x scriptTheme) bool {
		return x.Name == t.Name && x.script == t.script
	})
	var told tea.Cmd
	switch {
	case t.removed && at >= 0:
		l.lent = slices.Delete(l.lent, at, at+1)
	case t.removed:
	case at >= 0:
		l.lent[at] = t
	default:
		if held := l.holder(t); held != "" {
			told = l.toasts.addToast("warn", fmt.Sprintf("theme %s of %s: %s is first to have one "+
				"of that name", t.Name, t.script, held))
		}
		l.lent = append(l.lent, t)
	}
	if t.use && !l.picked && l.holder(t) == "" {
		l.chosen = t.Name
	}
	if _, ok := l.findTheme(l.chosen); ok {
		l.apply(l.chosen)
	} else { // it comes back with its script
		l.apply(palette.Auto)
	}
	return told
}
