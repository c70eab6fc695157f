// This file reads [tui], and the user's themes.

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// TUI are the settings of the screen. The screen knows which values there are.
type TUI struct {
	Theme      string // "" = the default
	ThemeWhere string // config.toml:3
	Links      string // "" = the default
	LinksWhere string // config.toml:4

	Images      string // "" = the default
	ImagesWhere string // config.toml:5

	Editor      string // "" = the default
	EditorWhere string // config.toml:6

	Layout      string // "" = the default
	LayoutWhere string // config.toml:7
}

var tuiFields = []value.Field{{Name: "theme", Type: "string?"}, {Name: "links", Type: "string?"},
	{Name: "images", Type: "string?"}, {Name: "editor", Type: "string?"},
	{Name: "layout", Type: "string?"}}

func (r *reader) setTUI(v any) {
	t, _ := r.fields([]string{"tui"}, v, tuiFields)
	if r.TUI.Theme = value.Text(t, "theme"); r.TUI.Theme != "" {
		r.TUI.ThemeWhere = r.where("tui", "theme")
	}
	if r.TUI.Links = value.Text(t, "links"); r.TUI.Links != "" {
		r.TUI.LinksWhere = r.where("tui", "links")
	}
	if r.TUI.Images = value.Text(t, "images"); r.TUI.Images != "" {
		r.TUI.ImagesWhere = r.where("tui", "images")
	}
	if r.TUI.Editor = value.Text(t, "editor"); r.TUI.Editor != "" {
		r.TUI.EditorWhere = r.where("tui", "editor")
	}
	if r.TUI.Layout = value.Text(t, "layout"); r.TUI.Layout != "" {
		r.TUI.LayoutWhere = r.where("tui", "layout")
	}
}

// Binding is the keys of an action of the screen; none = it has no key. The screen knows which
// actions and keys there are.
type Binding struct {
	Action string
	Keys   []string
	Where  string // config.toml:3
}

func (r *reader) setKeys(v any) {
	t := r.table("keys", v, `[keys] and below it search = "alt+s"`)
	for _, action := range value.SortedKeys(t) {
		path := []string{"keys", action}
		k := Binding{Action: action, Where: r.where(path...)}
		if one, ok := t[action].(string); ok {
			k.Keys = []string{one}
		} else if list, ok := t[action].([]any); ok {
			if k.Keys = r.texts(path, list); len(k.Keys) != len(list) {
				continue
			}
		} else {
			r.warn(path, "keys.%s: got %s, want a key or a list of keys", action,
				value.TypeName(t[action]))
			continue
		}
		r.Keys = append(r.Keys, k)
	}
	sort.SliceStable(r.Keys, func(i, j int) bool {
		return line(r.source, []string{"keys", r.Keys[i].Action}) <
			line(r.source, []string{"keys", r.Keys[j].Action})
	})
}

// where returns `config.toml:3` for the line that sets path.
func (r *reader) where(path ...string) string {
	return Warning{Line: line(r.source, path), file: r.file}.place()
}

// Theme is the colours of one file of the user. The screen knows which tokens there are, and how
// colours are written.
type Theme struct {
	Name   string
	Where  string // themes/night.toml
	Base   string // the theme that it changes; "" = the default
	Colors []Color
}

// Color is a token with its colour: a text or a number.
type Color struct {
	Token string
	Value any
	Where string // themes/night.toml:3
}

const (
	// themes is the folder of themes in the agent's own directory.
	themes = "themes"
	// maxTheme is the maximal size of a theme in bytes: it has some twenty lines.
	maxTheme = 64 << 10
	// mostThemes is how many themes are read: more than a person picks from.
	mostThemes = 100
)

// LoadThemes reads the user's themes in home, in order of their names. A missing folder is no
// mistake. keeper says which versions are in force; nil = the files themselves.
func LoadThemes(home string, keeper ledger.Keeper) (list []Theme, warnings []Warning) {
	files, err := os.ReadDir(filepath.Join(home, themes))
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			warnings = append(warnings, Warning{Message: plain.Error(err), file: themes})
		}
		return nil, warnings
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), ".toml")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if len(list) == mostThemes {
			return list, append(warnings, Warning{file: themes,
				Message: fmt.Sprintf("more than %d themes; the others are not used", mostThemes)})
		}
		theme, wrong := loadTheme(home, name, keeper)
		warnings = append(warnings, wrong...)
		if theme != nil {
			list = append(list, *theme)
		}
	}
	return list, warnings
}

// loadTheme reads one theme, nil if nothing of it can be used.
func loadTheme(home, name string, keeper ledger.Keeper) (*Theme, []Warning) {
	r := reader{file: plain.OneLine(themes + "/" + name + ".toml")}
	b, err := readKept(filepath.Join(home, themes, name+".toml"), maxTheme, keeper)
	if keeper != nil && errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it waits for the user
	}
	if err != nil {
		w := unused(0, plain.Error(err))
		w.file = r.file
		return nil, []Warning{w}
	}
	r.source = string(b)
	m, warning := decodeTOML(r.source)
	if warning != nil {
		warning.file = r.file
		return nil, []Warning{*warning}
	}
	t := &Theme{Name: name, Where: r.file}
	for _, key := range value.SortedKeys(m) {
		switch key {
		case "base":
			t.Base = r.text(key, m[key])
		case "colors":
			colors := r.table(key, m[key], `[colors] and below it user = "#5f87ff"`)
			for _, token := range value.SortedKeys(colors) {
				t.Colors = append(t.Colors, Color{token, colors[token], r.where(key, token)})
			}
		default:
			r.warn([]string{key}, "unknown key %q; there is base, and [colors] with the colours",
				key)
		}
	}
	sort.SliceStable(t.Colors, func(i, j int) bool {
		return line(r.source, []string{"colors", t.Colors[i].Token}) <
			line(r.source, []string{"colors", t.Colors[j].Token})
	})
	return t, few(r.warnings)
}
