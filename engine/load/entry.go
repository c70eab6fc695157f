// This file loads one file: completely, or the last good version stays.

package load

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// racy is the minimum age of a file's last change for its time stamp to prove that the content is
// unchanged: several writes may share one stamp.
const racy = 2 * time.Second

// entry is a script, identified by its file name.
type entry struct {
	name    string
	at      found              // its file, as tried last
	gen     *engine.Generation // in force; nil = none
	err     *fault.ScriptError
	hadText bool              // a version that was not blank has been in force
	shadow  *engine.Handler   // asks instead of a guard that never loaded
	header  scriptfile.Header // of the version that was tried last
	hash    string
	tried   string // the version that was tried last: path and hash, or trouble

	info      fs.FileInfo // as of the last read
	readAt    time.Time
	unsettled time.Time // when it became empty or a dangling link
	sure      bool      // a second look confirmed that it is empty or gone: see batch.wait
	touched   time.Time // when it was changed, at the time unsettled
	goneSince time.Time // when the file became absent
	byTool    bool      // a tool was running when it vanished
	modules   []string  // paths where its modules are, or would be
	loading   *loading  // the version that is being loaded; nil = none
	orphan    orphan    // why it stays in force without a file, until the user decides
	recalled  bool      // it was in force before this start, and its file is missing
	released  bool      // the user decided that it may be unloaded
	asked     *question // the open question to the user about it
	disabled  bool      // the user has disabled it, and it was unloaded
	off       bool      // its manifest has switched it off, and it was unloaded
}

// visit checks a file that exists, and loads it if it has changed.
func (l *Loader) visit(ctx context.Context, b *batch, f *found) {
	e := l.entries[f.name]
	if b.writing(f) { // its debounce has not ended: the file is being written
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
	if f.given != nil {
		e.modules = f.project.paths
	} else if c.trouble == nil {
		lib := l.builder.library(f, c.bytes)
		if e.modules = lib.paths; b.writes(lib.paths) {
			return
		}
		c.torn = lib.torn(e.gen)
		c.setLibrary(lib)
	}
	if e.wait(b, &c) {
		return
	}
	if c.trouble == nil && f.given == nil && l.builder.format(f.name) != nil {
		c.trouble = c.unusableFile()
	}
	if c.trouble == nil && len(c.bytes) == 0 && f.given == nil && l.memory.worked(e, f) {
		c.trouble = &trouble{message: "is empty",
			hint: "delete the file to remove the script, or restore its content"}
	}
	if c.trouble == nil {
		c.trouble = l.review.hold(b, e, f, &c)
	}
	if c.trouble == nil && l.off.switchOff(l, b, e, f, &c) {
		return
	}
	tried := fmt.Sprintf("%s %s %s", f.source, f.path, c.hash)
	if c.trouble != nil {
		tried += " " + c.trouble.message
	}
	switch j := e.loading; {
	case tried == e.tried && !b.force:
		e.at, e.info, e.readAt = *f, c.info, b.now
		if j != nil && j.tried != tried {
			e.abandon() // the file was restored to the version in force
		}
		return
	case j != nil && j.tried == tried && !b.force:
		return
	}
	l.try(ctx, b, e, f, &c, tried)
}

// worked reports whether there is a working version that could be lost. An empty file instead of it
// is not a new version: a writer has truncated it and may be delayed for as long as the disk is
// busy.
func (m *memory) worked(e *entry, f *found) bool {
	if e.gen != nil {
		return len(e.gen.Bytes) > 0
	}
	r := m.good.getRecord(f.path)
	return r != nil && len(r.bytes) > 0
}

// stamped reports whether size and time prove that the file is unchanged since the last read. It is
// used for polling only.
func (e *entry) stamped(f *found) bool {
	if f.given != nil || e.info == nil || e.err != nil || len(e.modules) > 0 ||
		e.readAt.Sub(e.info.ModTime()) < racy {
		return false
	}
	info, err := os.Stat(f.path)
	return err == nil && os.SameFile(info, e.info) && info.Size() == e.info.Size() &&
		info.ModTime().Equal(e.info.ModTime())
}

// wait reports whether to read the file again before acting on its content: an editor truncates,
// then writes; the target of a link is replaced by unlinking it first. If there is a working
// version that could be lost, the wait is as long as for a deleted file, and starts again whenever
// the file is changed.
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

// wait reports whether to check again before acting on a state that must last until the given time.
// A second check after that time must confirm it: if this process was suspended, the writer may
// have been suspended too, and then gets time to continue.
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

// builder makes generations from content. It has no lock: scripts are loaded concurrently.
type builder struct {
	eng   *engine.Engine
	files *extensionFiles
}

// header parses the header of a script.
func (x *builder) header(name string, src []byte) (scriptfile.Header, []HeaderError) {
	return headerOf(x.format(name), name, src)
}

// headerOf parses the header of a script, or reads that of an extension if format is not nil.
func headerOf(format engine.Format, name string, src []byte) (scriptfile.Header, []HeaderError) {
	if format == nil {
		return ParseHeader(name, src)
	}
	h, err := readManifest(format, src)
	if h.Name == "" {
		h.Name = name
	}
	if err != nil {
		h.Guards = nil // they may be incomplete
		return h, []HeaderError{{Message: plain.Error(err),
			Hint: "it is an extension of the format " + format.Language()}}
	}
	return h, nil
}

// load makes a generation with the given number from content.
func (x *builder) load(ctx context.Context, f *found, c *content, header scriptfile.Header,
	mistakes []HeaderError, number int) (
	*engine.Generation, *fault.ScriptError) {
	if c.trouble != nil {
		return nil, f.scriptError(c.trouble)
	}
	if len(mistakes) > 0 {
		return nil, f.headerError(c.bytes, mistakes)
	}
	if t := x.otherFiles(f, c); t != nil {
		return nil, f.scriptError(t)
	}
	g, err := x.eng.Scripts.LoadNumbered(ctx, &scriptfile.Script{Name: f.name, Path: f.path,
		Source: f.source, Header: header, Bytes: c.bytes, Hash: c.hash, Library: c.library}, number)
	if err != nil {
		return nil, scriptErrorOf(err, *f)
	}
	return g, nil
}

func (f *found) scriptError(t *trouble) *fault.ScriptError {
	return &fault.ScriptError{Script: f.name, Path: f.path, Handler: "load",
		Position: fault.Position{File: f.name}, Message: t.message, Hint: t.hint,
		Waits: t.held, Err: t.err}
}

func (f *found) headerError(src []byte, mistakes []HeaderError) *fault.ScriptError {
	m := mistakes[0]
	text := m.Message
	if n := len(mistakes) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more in the header, first in line %d: %s)", n,
			mistakes[1].Line, mistakes[1].Message)
	}
	return &fault.ScriptError{Script: f.name, Path: f.path, Handler: "load",
		Position: fault.Position{File: f.name, Line: m.Line, Column: m.Column},
		Message:  text, Excerpt: fault.Excerpt(src, m.Line, m.Column), Hint: m.Hint, Err: m}
}

// scriptErrorOf returns the *ScriptError that engine.Load returned; any other error is a bug in
// this program, and is converted.
func scriptErrorOf(err error, f found) *fault.ScriptError {
	if se, ok := err.(*fault.ScriptError); ok {
		return se
	}
	return f.scriptError(&trouble{message: plain.Error(err), err: err})
}
