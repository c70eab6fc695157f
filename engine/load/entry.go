// This file loads one file: wholly, or the last good version stays.

package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/plain"
)

// racy is how old a file's last change must be for its time stamp to vouch for its content: several
// writes may share one stamp.
const racy = 2 * time.Second

// entry is a script by its identity, the file name.
type entry struct {
	name   string
	at     found              // its file, as tried last
	gen    *engine.Generation // in force; nil = none
	err    *engine.ScriptError
	shadow *engine.Handler // asks in the place of a guard that never worked
	header engine.Header   // of what was tried last
	hash   string
	tried  string // what was tried last: place and hash, or trouble

	info      fs.FileInfo // when it was read
	readAt    time.Time
	unsettled time.Time // since when it is empty, or a link into nothing
	sure      bool      // that it is, or is gone, for long enough was seen once: see batch.wait
	touched   time.Time // when it was changed, as of then
	goneSince time.Time // since when the file is absent
	byTool    bool      // a tool was at work when it vanished
	modules   []string  // paths where its modules are, or would be
	loading   *loading  // what is being loaded; nil = nothing
	orphan    orphan    // why it is kept in force without a file, until the user decides
	recalled  bool      // it was in force before this start, and its file is missed
	released  bool      // the user decided: it may go
	asked     *question // what the user is being asked about it
}

// visit looks at a file that is there, and loads it if it has changed.
func (l *Loader) visit(ctx context.Context, b *batch, f *found) {
	e := l.entries[f.name]
	if b.writing(f) { // its own debounce has not ended: it is being written
		return
	}
	if e == nil {
		e = &entry{name: f.name}
		l.entries[f.name] = e
	}
	if e.orphan != notOrphan {
		b.say(e.name + ": the file is there again")
	}
	e.back(l)
	if b.quick && e.at.path == f.path && e.stamped(f) {
		return
	}
	c := f.read()
	if c.trouble == nil {
		lib := l.builder.library(f, c.bytes)
		if e.modules = lib.paths; b.writes(lib.paths) {
			return
		}
		c.library, c.torn, c.moving = lib.Library, lib.torn(e.gen), c.moving || lib.moving
		c.hash = contentHash(c.bytes, c.library)
	}
	if e.wait(b, &c) {
		return
	}
	if c.trouble == nil && len(c.bytes) == 0 && l.memory.worked(e, f) {
		c.trouble = &trouble{message: "is empty",
			hint: "delete the file to remove the script, or write it anew"}
	}
	tried := fmt.Sprintf("%s %s %s", f.source, f.path, c.hash)
	if c.trouble != nil {
		tried += " " + c.trouble.message
	}
	switch j := e.loading; {
	case tried == e.tried && !b.force:
		e.at, e.info, e.readAt = *f, c.info, b.now
		if j != nil && j.tried != tried {
			e.abandon() // it was saved as it was before
		}
		return
	case j != nil && j.tried == tried && !b.force:
		return
	}
	l.try(ctx, b, e, f, &c, tried)
}

// worked reports whether there is a version to lose. An empty file in its place is no version of a
// script: whoever writes the file has truncated it, and may be held up for as long as the disk is
// busy.
func (m *memory) worked(e *entry, f *found) bool {
	if e.gen != nil {
		return len(e.gen.Bytes) > 0
	}
	r := m.good.getRecord(f.path)
	return r != nil && len(r.bytes) > 0
}

// stamped reports whether size and time say that the file is what was read last: for polling only.
func (e *entry) stamped(f *found) bool {
	if e.info == nil || e.err != nil || len(e.modules) > 0 ||
		e.readAt.Sub(e.info.ModTime()) < racy {
		return false
	}
	info, err := os.Stat(f.path)
	return err == nil && os.SameFile(info, e.info) && info.Size() == e.info.Size() &&
		info.ModTime().Equal(e.info.ModTime())
}

// wait reports whether to look again before believing what was read: an editor truncates, then
// writes; a link's target is replaced by unlinking it first. What has a version to lose waits as
// long as a deleted file does, counted anew whenever the file is touched.
func (e *entry) wait(b *batch, c *content) bool {
	patience := time.Duration(0)
	var touched time.Time
	switch {
	case c.missing && e.gen != nil && b.cause != "start":
		patience = goneAfter
	case c.trouble != nil || c.info == nil:
	case c.torn && b.cause != "start":
		patience = goneAfter
	case c.moving:
		patience, touched = debounceQuiet, b.now
	case len(c.bytes) == 0 && e.gen != nil && e.gen.Hash != c.hash:
		patience, touched = goneAfter, c.info.ModTime()
	case len(c.bytes) == 0 && b.now.Sub(c.info.ModTime()).Abs() < debounceMost:
		patience, touched = debounceQuiet, c.info.ModTime()
	}
	if patience == 0 {
		e.unsettled = time.Time{}
		return false
	}
	if e.unsettled.IsZero() || !touched.Equal(e.touched) {
		e.unsettled, e.touched, e.sure = b.now, touched, false
	}
	if b.wait(e.unsettled.Add(patience), &e.sure) {
		return true
	}
	e.unsettled = time.Time{}
	return false
}

// wait reports whether to look again before something is believed that is so since long enough at
// until. It is believed only at a second look after that: if the whole process stood still
// meanwhile, so did who was writing the file, and now has time to go on.
func (b *batch) wait(until time.Time, sure *bool) bool {
	switch {
	case b.now.Before(until):
		*sure = false
		b.again(until)
		return true
	case !*sure:
		*sure = true
		b.again(b.now.Add(debounceQuiet))
		return true
	}
	*sure = false
	return false
}

// builder makes generations of what was read. It has no lock: scripts are loaded side by side.
type builder struct{ eng *engine.Engine }

// header reads what a script says of itself.
func (x *builder) header(name string, src []byte) (engine.Header, []HeaderError) {
	format := x.format(name)
	if format == nil {
		return ParseHeader(name, src)
	}
	h, err := readManifest(format, src)
	if h.Name == "" {
		h.Name = name
	}
	if err != nil {
		return h, []HeaderError{{Message: plain.Error(err),
			Hint: "it is an extension of the format " + format.Language()}}
	}
	return h, nil
}

// readManifest survives what a format written elsewhere makes of a file that it did not expect.
func readManifest(format engine.Format, src []byte) (h engine.Header, err error) {
	err = apart.Call(func() (err error) {
		h, err = format.Header(src)
		return err
	})
	if p := (*apart.PanicError)(nil); errors.As(err, &p) {
		err = fmt.Errorf("the format %s: %w", format.Language(), err)
	}
	return h, err
}

// load makes the generation number of what was read.
func (x *builder) load(ctx context.Context, f *found, c *content, header engine.Header,
	mistakes []HeaderError, number int) (
	*engine.Generation, *engine.ScriptError) {
	if c.trouble != nil {
		return nil, f.scriptError(c.trouble)
	}
	if len(mistakes) > 0 {
		return nil, f.headerError(c.bytes, mistakes)
	}
	g, err := x.eng.Scripts.LoadNumbered(ctx, &engine.Script{Name: f.name, Path: f.path,
		Source: f.source, Header: header, Bytes: c.bytes, Hash: c.hash, Library: c.library}, number)
	if err != nil {
		return nil, scriptErrorOf(err, *f)
	}
	return g, nil
}

func (f *found) scriptError(t *trouble) *engine.ScriptError {
	return &engine.ScriptError{Script: f.name, Path: f.path, Handler: "load",
		Position: engine.Position{File: f.name}, Message: t.message, Hint: t.hint, Err: t.err}
}

func (f *found) headerError(src []byte, mistakes []HeaderError) *engine.ScriptError {
	m := mistakes[0]
	text := m.Message
	if n := len(mistakes) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more in the header, first in line %d: %s)", n,
			mistakes[1].Line, mistakes[1].Message)
	}
	return &engine.ScriptError{Script: f.name, Path: f.path, Handler: "load",
		Position: engine.Position{File: f.name, Line: m.Line, Column: m.Column},
		Message:  text, Excerpt: engine.Excerpt(src, m.Line, m.Column), Hint: m.Hint, Err: m}
}

// scriptErrorOf is what engine.Load returned; anything else would be a mistake of ours, and is told
// all the same.
func scriptErrorOf(err error, f found) *engine.ScriptError {
	if se, ok := err.(*engine.ScriptError); ok {
		return se
	}
	return f.scriptError(&trouble{message: plain.Error(err), err: err})
}
