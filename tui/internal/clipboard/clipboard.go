// Package clipboard reads images from the clipboard of the desktop, by the programs that the system
// has for that. A terminal passes on text only.
package clipboard

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// patience is how long a program may take: it asks the program that holds the clipboard.
var patience = 5 * time.Second // tests on a busy machine have more

// MostBytes is how large an image may be: more than a model accepts.
const MostBytes = 20 << 20

// way is a program that prints the image.
type way struct {
	argv   []string
	decode func(out []byte) ([]byte, error) // nil = it prints a PNG
}

// mac and windows are what other systems have. Source: AppleScript Language Guide; Get-Clipboard.
var (
	mac = way{[]string{"osascript", "-e", "get the clipboard as «class PNGf»"}, decodeMac}

	windows = way{[]string{"powershell.exe", "-NoProfile", "-Command",
		"$i = Get-Clipboard -Format Image; if ($i) { $m = New-Object IO.MemoryStream; " +
			"$i.Save($m, [Drawing.Imaging.ImageFormat]::Png); " +
			"[Convert]::ToBase64String($m.ToArray()) }"},
		func(out []byte) ([]byte, error) {
			return base64.StdEncoding.DecodeString(strings.TrimSpace(string(out)))
		}}
)

// ways returns the programs of this system, the likeliest first.
func ways(system string, variable func(name string) string) (list []way) {
	switch {
	case system == "darwin":
		return []way{mac}
	case system == "windows":
		return []way{windows}
	}
	if variable("WAYLAND_DISPLAY") != "" {
		list = append(list, way{argv: []string{"wl-paste", "--no-newline", "--type", "image/png"}})
	}
	if variable("DISPLAY") != "" {
		list = append(list, way{argv: []string{"xclip", "-selection", "clipboard", "-target",
			"image/png", "-out"}})
	}
	if variable("WSL_DISTRO_NAME") != "" {
		list = append(list, windows)
	}
	return list
}

// ErrNone is the error if there is no image on the clipboard.
var ErrNone = errors.New("there is no image on the clipboard")

// errLarge is the error of an image above MostBytes.
var errLarge = fmt.Errorf("the image has more than %d MB", MostBytes>>20)

// Image returns the image on the clipboard, a PNG. It waits for another program.
func Image(ctx context.Context) ([]byte, error) {
	list := ways(runtime.GOOS, os.Getenv)
	if len(list) == 0 {
		return nil, errors.New("there is no clipboard here: neither WAYLAND_DISPLAY nor DISPLAY " +
			"is set")
	}
	missing := ""
	for _, w := range list {
		path, err := exec.LookPath(w.argv[0])
		if err != nil {
			missing = w.argv[0]
			continue
		}
		return w.readImage(ctx, path)
	}
	return nil, fmt.Errorf("it takes the program %s, which is not installed", missing)
}

// readImage returns the image that a program prints.
func (w way) readImage(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, w.argv[1:]...)
	cmd.WaitDelay = patience
	out := &bounded{}
	cmd.Stdout = out
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s did not answer within %v", w.argv[0], patience)
	case out.full:
		return nil, errLarge
	case err != nil, len(out.held) == 0:
		return nil, ErrNone
	case w.decode != nil:
		held, err := w.decode(out.held)
		if err != nil {
			return nil, err
		}
		return checkImage(held)
	}
	return checkImage(out.held)
}

// checkImage returns an image if it is what the program should have printed: some print text or an
// error as if it were an image, and the model would get it as text that the user has not seen.
func checkImage(b []byte) ([]byte, error) {
	switch {
	case !bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return nil, ErrNone
	case len(b) > MostBytes:
		return nil, errLarge
	}
	return b, nil
}

// bounded keeps what is written, up to a limit.
type bounded struct {
	held []byte
	full bool
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	b.full = b.full || len(b.held)+len(p) > 2*MostBytes // as text, it takes twice that
	if b.full {
		return 0, errors.New("too large")
	}
	b.held = append(b.held, p...)
	return len(p), nil
}

// decodeMac decodes «data PNGf89504E47...».
func decodeMac(out []byte) ([]byte, error) {
	text, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "«data PNGf")
	if !ok {
		return nil, ErrNone
	}
	return hex.DecodeString(strings.TrimSuffix(text, "»"))
}
