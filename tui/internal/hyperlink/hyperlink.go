// Package hyperlink makes the links of a terminal, which a user can click (OSC 8).
//
//	if target := hyperlink.Web(address); target != "" {
//		text = hyperlink.Wrap(target, text)
//	}
//
// Addresses come from models, tools and files. Web and File accept those only that are safe to send
// to a terminal and to open, and return "" for all others. Whether the terminal shows links is for
// the caller to decide: see Known.
package hyperlink

import (
	"fmt"
	"hash/fnv"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// longest is the most bytes of a target: the limit of several terminals.
const longest = 2 << 10

// Web returns the target for an address of the web, "" if it is none, too long, or may lead
// elsewhere than it seems to: with a user's name before the host, or with letters in the host that
// look like others.
func Web(address string) string {
	if len(address) > longest || strings.ContainsFunc(address, func(r rune) bool {
		return r <= ' ' || r == 0x7f || r == '\\'
	}) {
		return ""
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Host == "" {
		return ""
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool {
		return r >= 0x80 || !strings.ContainsRune(hostSigns, r)
	}) {
		return ""
	}
	return fit(u.String())
}

// hostSigns are the characters of a host with a port.
const hostSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]"

// File returns the target for a file, "" if there is none. A relative path begins in dir, which is
// an absolute path on the named host.
func File(host, dir, path string) string {
	if path == "" || strings.HasPrefix(path, "~") || strings.ContainsRune(path, 0) {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	path = filepath.ToSlash(filepath.Clean(path))
	if !strings.HasPrefix(path, "/") { // C:/
		path = "/" + path
	}
	return fit((&url.URL{Scheme: "file", Host: host, Path: path}).String())
}

// fit returns a target in the bytes that a sequence may have; "" if it is too long.
func fit(target string) string {
	target = strings.ReplaceAll(target, ";", "%3B") // it separates parts of the sequence
	if len(target) > longest || strings.ContainsFunc(target, func(r rune) bool {
		return r <= ' ' || r >= 0x7f
	}) {
		return ""
	}
	return target
}

// Wrap returns a text that leads to a target, which Web or File has returned. Parts of a link on
// several lines are one link for the terminal, by their id. They also have a number, which the
// terminal ignores: the renderer of bubbletea ends a link with the line, and would not begin the
// same one again on the next.
func Wrap(target, text string) string {
	return ansi.SetHyperlink(target, "id="+hash(target), "n="+hash(text)) + text +
		ansi.ResetHyperlink()
}

func hash(s string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s))
	return fmt.Sprintf("%x", h.Sum32())
}

// Poses reports whether a text reads like an address of the web. As the text of a link to another
// one it would deceive. So does the name of a file, which may be that of a host.
func Poses(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	if strings.Contains(text, "://") || strings.HasPrefix(text, "www.") {
		return true
	}
	host, _, _ := strings.Cut(text, "/")
	host, _, _ = strings.Cut(host, ":")
	dot := strings.LastIndexByte(host, '.')
	return dot > 0 && !strings.ContainsRune(host, ' ') && len(host)-dot > 2 &&
		strings.Trim(host[dot+1:], "abcdefghijklmnopqrstuvwxyz") == ""
}

// Known reports whether the terminal is known to show links. env returns a variable of its
// environment. An unknown terminal gets none.
func Known(env func(name string) string) bool {
	term, program := env("TERM"), env("TERM_PROGRAM")
	switch {
	case term == "" || term == "dumb" || term == "linux" || env("STY") != "":
		return false
	case env("TMUX") != "" || program == "tmux":
		return atLeast(env("TERM_PROGRAM_VERSION"), 3, 4) // it passes them on
	case env("KITTY_WINDOW_ID") != "" || env("WT_SESSION") != "" || env("KONSOLE_VERSION") != "":
		return true
	}
	if vte, err := strconv.Atoi(env("VTE_VERSION")); err == nil {
		return vte >= 5000
	}
	switch program {
	case "iTerm.app", "WezTerm", "ghostty", "vscode", "Hyper", "rio", "Tabby", "mintty", "contour":
		return true
	}
	for _, name := range []string{"kitty", "ghostty", "alacritty", "foot", "wezterm", "contour"} {
		if strings.Contains(term, name) {
			return true
		}
	}
	return false
}

// atLeast reports whether a version such as 3.4a is at least major.minor.
func atLeast(version string, major, minor int) bool {
	a, b, _ := strings.Cut(version, ".")
	end := strings.IndexFunc(b, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		b = b[:end]
	}
	x, err := strconv.Atoi(a)
	if err != nil {
		return false
	}
	y, _ := strconv.Atoi(b)
	return x > major || x == major && y >= minor
}
