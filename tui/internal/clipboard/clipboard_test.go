//go:build unix && !darwin

package clipboard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestImage checks what is read from a program, and what is said if that does not work.
func TestImage(t *testing.T) {
	defer func(usual time.Duration) { patience = usual }(patience)
	patience = time.Minute
	for name, test := range map[string]struct {
		display, program string // "" = none
		want, err        string
	}{
		"image": {":0", "test \"$4\" = image/png && printf '\\211PNG\\r\\n\\032\\n\\377'",
			"\x89PNG\r\n\x1a\n\xff", ""},
		"text":       {":0", "echo 'Error: no image'", "", ErrNone.Error()},
		"large text": {":0", "head -c 30000000 /dev/zero", "", ErrNone.Error()},
		"large image": {":0", "printf '\\211PNG\\r\\n\\032\\n'; head -c 30000000 /dev/zero", "",
			"more than 20 MB"},
		"no image": {":0", "echo 'target image/png not available' >&2; exit 1", "",
			ErrNone.Error()},
		"empty":         {":0", "true", "", ErrNone.Error()},
		"too large":     {":0", "head -c 50000000 /dev/zero", "", "more than 20 MB"},
		"not installed": {":0", "", "", "it takes the program xclip, which is not installed"},
		"no display":    {"", "", "", "there is no clipboard here"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := dir
			if test.program != "" {
				if err := os.WriteFile(filepath.Join(dir, "xclip"),
					[]byte("#!/bin/sh\n"+test.program+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
				path += ":" + os.Getenv("PATH")
			}
			t.Setenv("PATH", path)
			t.Setenv("DISPLAY", test.display)
			t.Setenv("WAYLAND_DISPLAY", "")
			t.Setenv("WSL_DISTRO_NAME", "")
			got, err := Image(t.Context())
			if string(got) != test.want || err == nil && test.err != "" ||
				err != nil && (test.err == "" || !strings.Contains(err.Error(), test.err)) {
				t.Errorf("got %.80q, %v", got, err)
			}
		})
	}
}

// TestWays checks the programs of each system, and how their answers are read.
func TestWays(t *testing.T) {
	for system, want := range map[string]string{"darwin": "osascript", "windows": "powershell.exe",
		"linux": "wl-paste xclip powershell.exe"} {
		var got []string
		for _, w := range ways(system, func(string) string { return "set" }) {
			got = append(got, w.argv[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", system, got, want)
		}
	}
	if got, err := mac.decode([]byte("«data PNGf89504E47»\n")); string(got) != "\x89PNG" {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := mac.decode([]byte("missing value\n")); !errors.Is(err, ErrNone) {
		t.Errorf("got %v", err)
	}
	if got, err := windows.decode([]byte("iVBORw==\r\n")); string(got) != "\x89PNG" {
		t.Errorf("got %q, %v", got, err)
	}
}
