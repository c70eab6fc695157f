package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/nolink"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

func writeTool() *engine.Tool {
	return &engine.Tool{
		Name: "write", Kind: "edit", Source: "builtin",
		Description: "Writes a file, replacing what was there; missing directories are made. To " +
			"change a part of a file use edit.",
		Schema: object(map[string]any{
			"path": property("string",
				"file to write, absolute or relative to the working directory"),
			"content": property("string", "everything that the file shall hold"),
		}, "path", "content"),
		Subject: &subject.Subject{Kind: subject.Path, Arg: "path", Writes: true,
			Everywhere: true, Verb: "Write", Title: []subject.Phrase{{Arg: "path"}}},
		Aliases: also(map[string]string{"contents": "content", "text": "content",
			"file_text": "content"}, fileNames),
		Run: runWrite, Preview: previewWrite,
	}
}

func runWrite(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	c, err := planWrite(use)
	if err != nil {
		return nil, err
	}
	if err := replaceFile(ctx, use, c.path, c.after); err != nil {
		return nil, explain("write", c.name, err)
	}
	verb := "created"
	if c.existed {
		verb = "replaced"
	}
	r := c.result(fmt.Sprintf("%s %s: %s, %s", verb, c.name, plain.Count(len(c.after), "byte"),
		plain.Count(lineCount(c.after), "line")))
	r.Details["bytes"], r.Details["created"] = len(c.after), !c.existed
	return r, nil
}

func previewWrite(_ context.Context, use *engine.Use) (*ui.Preview, error) {
	c, err := planWrite(use)
	if err != nil {
		return nil, err
	}
	note := "new file, " + plain.Count(lineCount(c.after), "line")
	switch {
	case c.existed && !c.read:
		note = "replaces a file that cannot be compared with"
	case c.existed && c.before == c.after:
		note = "the file holds just this already"
	case c.existed:
		note = "replaces a file of " + plain.Count(lineCount(c.before), "line")
	}
	return c.preview(note), nil
}

// planWrite reads the file to be replaced.
func planWrite(use *engine.Use) (*change, error) {
	c := &change{name: value.Text(use.Args, "path"), dir: workdir(use),
		after: value.Text(use.Args, "content")}
	var err error
	if c.path, err = resolvePath(use, c.name); err != nil {
		return nil, err
	}
	if strings.HasSuffix(c.name, "/") {
		return nil, fmt.Errorf("write %s: is a directory", c.name)
	}
	switch st, err := os.Stat(c.path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, explain("write", c.name, err)
	case st.IsDir():
		return nil, fmt.Errorf("write %s: is a directory", c.name)
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("write %s: is not a regular file (%s)", c.name, st.Mode().Type())
	default:
		c.existed = true
		c.before, c.read = forDiff(use, c.path, st.Size())
	}
	return c, nil
}

func lineCount(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// forDiff reads the text to be replaced, to show the difference, unless it is too large.
func forDiff(use *engine.Use, path string, size int64) (text string, ok bool) {
	if size > editBytes {
		return "", false
	}
	_, decided := use.Decided()
	f, err := openDecided(use, path, decided)
	if err != nil {
		return "", false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, editBytes))
	return string(b), err == nil
}

// replaceFile writes content to the file that path leads to. A link stays a link, the file keeps
// its mode, and the write is atomic (it renames a new file over the old one). It creates missing
// directories.
func replaceFile(ctx context.Context, use *engine.Use, path, content string) error {
	_, decided := use.Decided()
	path, err := decidedPath(path, decided)
	if err != nil {
		return err
	}
	dir, err := nolink.OpenFolder(filepath.Dir(path), true)
	if err != nil {
		return moved(err)
	}
	defer dir.Close()
	base := filepath.Base(path)
	mode := fs.FileMode(0)
	if st, err := dir.Lstat(base); err == nil {
		mode = st.Mode().Perm()
		switch {
		case !st.Mode().IsRegular():
			return errMoved
		case mode&0o200 == 0: // renaming would ignore the mode
			return &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
		}
	}
	f, err := beside(dir, base)
	if err != nil {
		return err
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			f.Discard()
			return err
		}
	}
	if err := f.Put(ctx, []byte(content), base, false); ctx.Err() == nil || err == nil {
		return err
	}
	return stopped(ctx)
}

// baseBytes is how much of a file's name its temporary name has: file systems allow 255 bytes.
const baseBytes = 200

// beside creates an empty file in a folder, named like base, with the mode that the umask gives new
// files (those of os.CreateTemp are private).
func beside(dir *os.Root, base string) (atomicfile.Draft, error) {
	for i := 0; ; i++ {
		name := fmt.Sprintf(".%s.%d.%d.tmp", plain.Head(base, baseBytes), os.Getpid(), i)
		f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || i > 1000 {
			return atomicfile.Draft{File: f, Dir: dir, Name: name}, err
		}
	}
}
