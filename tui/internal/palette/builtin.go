package palette

import "strings"

// usual stands for the terminal's own colour of text.
const usual = -1

// row is a colour of a built-in theme: its own, and one of the terminal's sixteen.
type row struct {
	own uint32
	few int
}

// builtin is a built-in theme. Its rows are in the order of the tokens.
type builtin struct {
	name string
	dark bool
	rows [tokens]row
}

// builtins returns the built-in themes. Each colour can be read on the usual backgrounds of its
// kind, and with deuteranopia those of the themes of that name that stand for opposites differ.
// TestContrast and TestDeuteranopia measure both.
func builtins() []builtin {
	return []builtin{
		{"dark", true, [tokens]row{
			Dim: {0x8b93a1, usual}, User: {0xe69ac8, 13}, Accent: {0x7aa7f0, 12},
			Link: {0x7aa7f0, 12}, Code: {0x6cc5cd, 6}, Keyword: {0xb69df2, 13},
			OK: {0x7fc17b, 2}, Warn: {0xd9b35e, 3}, Err: {0xee7f7b, 9},
			Added: {0x7fc17b, 2}, Removed: {0xee7f7b, 9}, Hunk: {0x6cc5cd, 6},
			Alarm: {0xa83232, 1}, AlarmText: {0xffffff, 15},
			Choice: {0x2c4268, 4}, ChoiceText: {0xf2f5fa, 15},
			AddedGround: {0x16301e, usual}, RemovedGround: {0x3a1c20, usual}}},
		{"light", false, [tokens]row{
			Dim: {0x636a76, usual}, User: {0xa3266f, 5}, Accent: {0x1f5fc0, 4},
			Link: {0x1f5fc0, 4}, Code: {0x0f6b77, 4}, Keyword: {0x6b3fc4, 5},
			OK: {0x23702a, 2}, Warn: {0x855900, 5}, Err: {0xb8302a, 1},
			Added: {0x23702a, 2}, Removed: {0xb8302a, 1}, Hunk: {0x0f6b77, 4},
			Alarm: {0xb8302a, 1}, AlarmText: {0xffffff, 15},
			Choice: {0xd3e2fb, 4}, ChoiceText: {0x16181d, 15},
			AddedGround: {0xdff5e3, usual}, RemovedGround: {0xfde6e6, usual}}},
		{"deuteranopia-dark", true, [tokens]row{
			Dim: {0x8b93a1, usual}, User: {0xf0e6a8, 11}, Accent: {0x8fb4f0, 12},
			Link: {0x8fb4f0, 12}, Code: {0xb9c4d0, usual}, Keyword: {0x9db8f5, 12},
			OK: {0x6cb6ff, 12}, Warn: {0xfff280, 11}, Err: {0xf0812a, 3},
			Added: {0x6cb6ff, 12}, Removed: {0xf0812a, 3}, Hunk: {0xb9c4d0, usual},
			Alarm: {0x9a4600, 3}, AlarmText: {0xffffff, 0},
			Choice: {0x2c4268, 4}, ChoiceText: {0xf2f5fa, 15},
			AddedGround: {0x122c47, usual}, RemovedGround: {0x3d2412, usual}}},
		{"deuteranopia-light", false, [tokens]row{
			Dim: {0x636a76, usual}, User: {0x5a4a00, usual}, Accent: {0x1f5fc0, 4},
			Link: {0x1f5fc0, 4}, Code: {0x3d4754, usual}, Keyword: {0x2f55b5, 4},
			OK: {0x0059b3, 4}, Warn: {0x331a5e, 5}, Err: {0xa84300, 1},
			Added: {0x0059b3, 4}, Removed: {0xa84300, 1}, Hunk: {0x3d4754, usual},
			Alarm: {0xa84300, 1}, AlarmText: {0xffffff, 15},
			Choice: {0xd3e2fb, 4}, ChoiceText: {0x16181d, 15},
			AddedGround: {0xe0eeff, usual}, RemovedGround: {0xffead8, usual}}},
	}
}

// terminalColors are the colours of the theme that uses only the terminal's own sixteen, which suit
// the background that the user has set.
var terminalColors = [tokens]int{Dim: usual, User: 6, Accent: 4, Link: 4, Code: 6, Keyword: 5,
	OK: 2, Warn: 3, Err: 1, Added: 2, Removed: 1, Hunk: 6, Alarm: 1, AlarmText: 15,
	Choice: usual, ChoiceText: usual, AddedGround: usual, RemovedGround: usual}

// Terminal is the name of that theme.
const Terminal = "terminal"

// BuiltIn returns the built-in themes.
func BuiltIn() (list []*Palette) {
	for _, b := range builtins() {
		p := &Palette{Name: b.name, Dark: b.dark}
		for t, r := range b.rows {
			p.full[t], p.few[t] = rgb(r.own), basic(r.few)
		}
		list = append(list, p)
	}
	p := &Palette{Name: Terminal}
	for t, n := range terminalColors {
		p.full[t] = basic(n)
	}
	p.few = p.full
	return append(list, p)
}

// Named returns the built-in theme of a name, nil if there is none.
func Named(name string) *Palette {
	for _, p := range BuiltIn() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Auto is the name of the choice between dark and light by what the terminal says about its
// background, and AutoDeuteranopia that between the two themes for deuteranopia.
const (
	Auto             = "auto"
	AutoDeuteranopia = "deuteranopia"
)

// ForGround returns the built-in theme that a choice by the background gives, nil if name is no
// such choice.
func ForGround(name string, dark bool) *Palette {
	switch {
	case name == Auto && dark:
		return Named("dark")
	case name == Auto:
		return Named("light")
	case name == AutoDeuteranopia && dark:
		return Named("deuteranopia-dark")
	case name == AutoDeuteranopia:
		return Named("deuteranopia-light")
	}
	return nil
}

// GroundIsDark guesses the background from the variable COLORFGBG, which some terminals set, such
// as 15;0: the last number is that of the background. Without it, terminals are dark.
func GroundIsDark(colorfgbg string) bool {
	ground := colorfgbg[strings.LastIndexByte(colorfgbg, ';')+1:]
	return ground != "7" && ground != "15"
}
