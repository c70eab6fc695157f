package tui

import "charm.land/lipgloss/v2"

// theme names the styles of the screen by their meaning. The colours are the terminal's own
// sixteen, which suit any background without a query for it.
type theme struct {
	dim, bold, user, accent, code              lipgloss.Style
	ok, warn, err, alarm, added, removed, hunk lipgloss.Style
	choice, toast                              lipgloss.Style
}

func newTheme() *theme {
	color := func(c string) lipgloss.Style {
		return lipgloss.NewStyle().Foreground(
			lipgloss.Color(c))
	}
	return &theme{
		dim:    lipgloss.NewStyle().Faint(true),
		bold:   lipgloss.NewStyle().Bold(true),
		user:   color("6").Bold(true),
		accent: color("4"),
		code:   color("6"),
		ok:     color("2"),
		warn:   color("3"),
		err:    color("1"),
		alarm: lipgloss.NewStyle().Background(lipgloss.Color("1")).Foreground(
			lipgloss.Color("15")).Bold(true),
		added:   color("2"),
		removed: color("1"),
		hunk:    color("6"),
		choice:  lipgloss.NewStyle().Reverse(true),
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
