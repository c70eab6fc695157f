// This file reads one file of a script or of settings, once.

package load

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// trouble is the reason why a file cannot be loaded at all.
type trouble struct {
	message string
	hint    string
	err     error
	// blind: the file could not be read, or not completely, so it is unknown what it would guard.
	blind bool
	held  bool // the version waits for the user
	moved bool // it waited under another path, where the previous version may have guarded
}

// content is what was read from a file.
type content struct {
	info    fs.FileInfo         // nil for built-in ones
	bytes   []byte              // of a file that is too large, its beginning
	hash    string              // sha256 of bytes, and of the modules if there are any, hex
	library *scriptfile.Library // nil: it requires no modules
	trouble *trouble
	moving  bool // the file changed while it was read
	torn    bool // a module of it is missing or empty
	missing bool // it was listed, but does not exist: a dangling link, or just deleted
}

// read reads the file that f names. It never blocks on pipes and devices.
func (f *found) read() content {
	if f.given != nil {
		return *f.given
	}
	if f.builtin != nil {
		return content{bytes: f.builtin, hash: hashOf(f.builtin)}
	}
	if f.trouble != nil {
		return content{trouble: f.trouble}
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return unreadable(err)
	}
	c := content{info: info}
	switch {
	case info.IsDir():
		c.trouble = &trouble{message: "is a folder, not a script",
			hint: "scripts are files: rename the folder, or move the script inside it up"}
	case !info.Mode().IsRegular():
		c.trouble = &trouble{message: "is not a regular file",
			hint: "scripts are ordinary files: remove it", blind: true}
	case f.source == scriptfile.SourceManaged && !onlyRootWrites(info):
		c.trouble = &trouble{message: "is not owned by root, or others may write it, so it does " +
			"not run as a managed script",
			hint: "chown root and chmod go-w it", blind: true}
	}
	if c.trouble != nil {
		return c
	}
	file, err := regularfile.Open(f.path, os.O_RDONLY, 0)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	if info, err = file.Stat(); err != nil {
		return unreadable(err)
	}
	if f.source == scriptfile.SourceManaged && !onlyRootWrites(info) {
		return unreadable(errReplaced)
	}
	c.info = info
	c.readAll(file)
	if f.part != nil && c.trouble == nil {
		return c.partOnly(f.part)
	}
	return c
}

// partOnly returns the part of the content that is the extension.
func (c content) partOnly(part func(file []byte) ([]byte, error)) content {
	text, err := part(c.bytes)
	switch {
	case err != nil:
		c.trouble = &trouble{message: plain.Error(err), hint: "correct the file", err: err,
			blind: true}
	case text == nil:
		return unreadable(fs.ErrNotExist)
	default:
		c.bytes, c.hash = text, hashOf(text)
	}
	return c
}

// readIn reads a file inside of root. Links cannot lead out of root.
func readIn(root *os.Root, path string) (c content) {
	file, err := regularfile.OpenIn(root, path)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	if c.info, err = file.Stat(); err != nil {
		return unreadable(err)
	}
	c.readAll(file)
	return c
}

// errReplaced means that a file was replaced between stat and open.
var errReplaced = errors.New("it was replaced while it was read")

// readAll reads c from an open file.
func (c *content) readAll(file *os.File) {
	info := c.info
	var err error
	c.bytes, err = io.ReadAll(io.LimitReader(file, maxScript+1))
	if err != nil {
		*c = unreadable(err)
		return
	}
	if len(c.bytes) > maxScript {
		c.bytes = plain.Head(c.bytes, maxScript)
		c.trouble = &trouble{message: fmt.Sprintf(
			"is larger than %d bytes, the most a script may have (it has %d)", maxScript,
			info.Size()),
			hint: "move data out of the scripts folder; scripts are small", blind: true}
	}
	c.hash = hashOf(c.bytes)
	if now, err := file.Stat(); err == nil {
		c.moving = now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime())
	}
}

func unreadable(err error) content {
	return content{missing: errors.Is(err, fs.ErrNotExist),
		trouble: &trouble{message: "cannot be read: " + cause(err),
			hint: "check the file's permissions and, for a link, where it points", err: err,
			blind: true}}
}

// cause returns a file error without the operation and the path, which are already in the message.
func cause(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// OnlyRootWrites reports whether root owns a file or folder, and no one else may write to it, which
// is what managed scripts must be like. It is false if there is none.
func OnlyRootWrites(path string) bool {
	info, err := os.Stat(path)
	return err == nil && onlyRootWrites(info)
}

// reading is what was at the path of a file of settings at one moment.
type reading struct {
	bytes []byte
	hash  string
	err   error // why there are no bytes
}

func (r *reading) missing() bool { return errors.Is(r.err, fs.ErrNotExist) }

// unread says what is there that cannot be read, such as "is a folder, not a regular file"; "" if
// the file was read, or is missing.
func (r *reading) unread() string {
	if r.err == nil || r.missing() {
		return ""
	}
	cause := plain.Error(plain.Cause(r.err))
	if strings.HasPrefix(cause, "is ") || strings.HasPrefix(cause, "has ") {
		return cause
	}
	return "cannot be read: " + cause
}

// readSetting reads a file.
func readSetting(path string) (r reading) {
	var f *os.File
	if f, r.err = regularfile.Open(path, os.O_RDONLY, 0); r.err == nil {
		r.bytes, r.err = io.ReadAll(io.LimitReader(f, maxSettings+1))
		f.Close()
	}
	if r.err == nil && len(r.bytes) > maxSettings {
		r.err = fmt.Errorf("has more than %d bytes", maxSettings)
	}
	if r.err != nil {
		r.bytes = nil
	}
	r.hash = hashOf(r.bytes)
	if what := r.unread(); what != "" {
		r.hash = hashOf([]byte("\x00" + what))
	}
	return r
}
