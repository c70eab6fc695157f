// This file implements ext.fs: files within a script's grants. engine/internal/files resolves paths
// and grants.

package host

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/internal/files"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
)

// fileSystem implements ext.fs.
type fileSystem struct {
	options files.Options
	temps   temps
}

func (x *fileSystem) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"fs.read": x.bind("read", fsRead), "fs.lines": x.bind("lines", fsLines),
		"fs.write": x.bind("write", fsWrite), "fs.append": x.bind("append", fsAppend),
		"fs.list": x.bind("list", fsList), "fs.stat": x.bind("stat", fsStat),
		"fs.exists": x.bind("exists", fsExists), "fs.mkdir": x.bind("mkdir", fsMkdir),
		"fs.remove": x.bind("remove", fsRemove), "fs.rename": x.bind("rename", fsRename),
		"fs.find": x.bind("find", fsFind), "fs.temp": x.temp,
	}
}

// fileCall does the work of a function of ext.fs. It may block for long: it runs without the
// script's turn.
type fileCall func(ctx context.Context, r *files.Reach, args []any) (any, error)

// bind makes a host function of do. The function ends with its run, even if the file system hangs.
func (x *fileSystem) bind(name string, do fileCall) engine.HostFunc {
	name = "ext.fs." + name
	return func(c *engine.HostCall) (any, error) {
		if s := text(c.Args[0]); s == "" || strings.ContainsRune(s, 0) {
			return nil, fmt.Errorf("%s: path: got %q, want a path", name, s)
		}
		reach := x.reach(c.Gen)
		ctx := c.Run.Context()
		v, err := apart.Run(ctx, func() (any, error) { return do(ctx, reach, c.Args) })
		return v, fileError(name, err)
	}
}

// fileError converts an error of files to that of the function called name.
func fileError(name string, err error) error {
	var world *files.Error
	var needs *files.NeedsError
	var mistake *fileMistake
	switch {
	case errors.As(err, &world):
		return &fault.WorldError{Code: world.Code, Message: name + ": " + world.Error()}
	case errors.As(err, &needs):
		return engine.Needs(name, needs.Kind+":"+needs.Path)
	case errors.As(err, &mistake):
		return fmt.Errorf("%s: %s", name, mistake.text)
	}
	return err
}

// fileMistake is a mistake in an argument.
type fileMistake struct{ text string }

func (m *fileMistake) Error() string { return m.text }

// reach returns the files that a script may access now.
func (x *fileSystem) reach(g *engine.Generation) *files.Reach {
	var reads, writes []string
	for _, grant := range g.Header.Grants {
		if glob, ok := strings.CutPrefix(grant, "fs.read:"); ok {
			reads = append(reads, glob)
		}
		if glob, ok := strings.CutPrefix(grant, "fs.write:"); ok {
			writes = append(writes, glob)
		}
	}
	return files.New(x.options).Reach(reads, writes, x.temps.of(g))
}

// most is the largest number of bytes or lines: the largest integer that a script's number holds
// exactly.
const most = 1 << 53

// part parses options.offset and options.limit.
func part(options any) (p files.Part, err error) {
	for key, to := range map[string]*int64{"offset": &p.Offset, "limit": &p.Limit} {
		n, ok := value.Number(table(options)[key])
		if least := map[string]float64{"offset": 0, "limit": 1}[key]; ok &&
			(n < least || n > most) {
			return p, &fileMistake{fmt.Sprintf("options.%s: got %v, want %v or more", key, n,
				least)}
		}
		*to = int64(n)
	}
	return p, nil
}

func fsRead(_ context.Context, r *files.Reach, args []any) (any, error) {
	path := text(args[0])
	p, err := part(args[1])
	if err != nil {
		return nil, err
	}
	b, err := r.Read(path, p)
	switch {
	case err != nil:
		return nil, err
	case text(table(args[1])["encoding"]) == "base64":
		return base64.StdEncoding.EncodeToString(b), nil
	}
	if p.Offset > 0 || p.Limit > 0 {
		b = whole(b)
	}
	if !utf8.Valid(b) {
		return nil, r.NotText(path, `it is not UTF-8 text: read it with encoding = "base64"`)
	}
	return string(b), nil
}

// whole returns b without the incomplete characters at its edges.
func whole(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	return b[:len(b)-plain.Unfinished(b)]
}

func fsLines(ctx context.Context, r *files.Reach, args []any) (any, error) {
	p, err := part(args[1])
	if err != nil {
		return nil, err
	}
	lines, err := r.Lines(ctx, text(args[0]), p)
	if err != nil {
		return nil, err
	}
	for i, line := range lines {
		if !utf8.ValidString(line) {
			return nil, r.NotText(text(args[0]), fmt.Sprintf("line %d is not UTF-8 text",
				p.Offset+int64(i)+1))
		}
	}
	return lines, nil
}

// content parses the argument with the content to write.
func content(args []any) ([]byte, error) {
	s := text(args[1])
	if text(table(args[2])["encoding"]) == "base64" {
		b, err := fromBase64(s)
		if err != nil {
			return nil, &fileMistake{"content: " + err.Error()}
		}
		return b, nil
	}
	if !utf8.ValidString(s) {
		return nil, &fileMistake{`content: got text that is not UTF-8; give it as base64, with ` +
			`encoding = "base64"`}
	}
	return []byte(s), nil
}

func fsWrite(ctx context.Context, r *files.Reach, args []any) (any, error) {
	b, err := content(args)
	if err != nil {
		return nil, err
	}
	return true, r.Write(ctx, text(args[0]), b)
}

func fsAppend(_ context.Context, r *files.Reach, args []any) (any, error) {
	b, err := content(args)
	if err != nil {
		return nil, err
	}
	return true, r.Append(text(args[0]), b)
}

func fsList(_ context.Context, r *files.Reach, args []any) (any, error) {
	entries, err := r.List(text(args[0]))
	if err != nil {
		return nil, err
	}
	out := make([]any, len(entries))
	for i, e := range entries {
		out[i] = map[string]any{"name": strings.ToValidUTF8(e.Name, "\uFFFD"), "kind": e.Kind}
	}
	return out, nil
}

func fsStat(_ context.Context, r *files.Reach, args []any) (any, error) {
	info, err := r.Stat(text(args[0]))
	if err != nil {
		return nil, err
	}
	seconds := float64(info.ModTime.UnixMilli()) / 1000
	return map[string]any{"kind": info.Kind, "size": info.Size, "mtime": seconds,
		"mode": fmt.Sprintf("%04o", info.Mode.Perm())}, nil
}

func fsExists(_ context.Context, r *files.Reach, args []any) (any, error) {
	_, err := r.Stat(text(args[0]))
	var world *files.Error
	if errors.As(err, &world) && (world.Code == files.NotFound ||
		world.Code == files.NotDirectory) {
		return false, nil
	}
	return err == nil, err
}

func fsMkdir(_ context.Context, r *files.Reach, args []any) (any, error) {
	return true, r.Mkdir(text(args[0]))
}

func fsRemove(_ context.Context, r *files.Reach, args []any) (any, error) {
	return true, r.Remove(text(args[0]), truth(table(args[1])["recursive"]))
}

func fsRename(_ context.Context, r *files.Reach, args []any) (any, error) {
	if to := text(args[1]); to == "" || strings.ContainsRune(to, 0) {
		return nil, &fileMistake{fmt.Sprintf("to: got %q, want a path", to)}
	}
	return true, r.Rename(text(args[0]), text(args[1]))
}

func fsFind(ctx context.Context, r *files.Reach, args []any) (any, error) {
	if err := glob.Check(filepath.ToSlash(text(args[0]))); err != nil {
		return nil, &fileMistake{"glob: " + err.Error()}
	}
	o := table(args[1])
	limit := 0
	if n, ok := value.Number(o["limit"]); ok {
		if n < 1 || n > files.MaxEntries {
			return nil, &fileMistake{fmt.Sprintf("options.limit: got %v, want 1 to %d", n,
				files.MaxEntries)}
		}
		limit = int(math.Trunc(n))
	}
	found, err := r.Find(ctx, text(args[0]), text(o["kind"]) == "directory", limit)
	for i := range found {
		found[i] = strings.ToValidUTF8(found[i], "\uFFFD")
	}
	return found, err
}
