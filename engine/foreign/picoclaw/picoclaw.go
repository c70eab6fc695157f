// Package picoclaw runs the process hooks of picoclaw as scripts of the engine: programs that
// answer JSON-RPC 2.0 requests, one per line, on their standard input and output.
//
//	f := picoclaw.New("picoclaw.json", extapi.Options{Fence: fence})
//	engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New(), f}}
//
// An extension is a file picoclaw.json with picoclaw's own settings, of which it reads hooks. All
// processes of a file are one script:
//
//   - They are started when the file is loaded, in the sandbox of the agent, with a clean
//     environment. The script is in force when each has answered hook.hello; if one does not, the
//     previous version stays.
//   - What they intercept are handlers of events and guards, asked in the order of their priorities
//     and names. A failure, such as an answer that is not understood, is never treated as consent:
//     the policies of the engine follow.
//   - If one ends by itself, all are started again, after a pause that grows with each time. Until
//     then the handlers fail.
package picoclaw

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Format implements engine.Format.
type Format struct {
	name string
	host *peer.Host
}

// endGrace is how long a process may take to end after the end of its input.
var endGrace = 2 * time.Second

// New returns the format of files with a name, such as picoclaw.json.
func New(name string, o extapi.Options) *Format {
	return &Format{name, &peer.Host{Options: o, EndGrace: endGrace}}
}

// Wait waits until all processes have ended, and their last output is in the log, but not for ever.
// All extensions must have been unloaded.
func (f *Format) Wait() { f.host.Wait() }

// Language implements engine.Runtime.
func (*Format) Language() string { return "picoclaw" }

// Extensions implements engine.Runtime: only the name of the manifest tells an extension.
func (*Format) Extensions() []string { return nil }

// Manifest implements engine.Format.
func (f *Format) Manifest() string { return f.name }

// Header implements engine.Format. The processes may be started, and warn the user. A file has no
// name: it is called by that of its first process.
func (f *Format) Header(src []byte) (scriptfile.Header, error) {
	h := scriptfile.Header{Name: "picoclaw", API: 1, Summary: "hooks of picoclaw"}
	s, err := f.readSettings(src)
	if err != nil {
		return h, err
	}
	h.Off = len(s.processes) == 0
	for i, p := range s.processes {
		if i == 0 {
			h.Name = p.name
		}
		h.Grants = append(h.Grants, peer.Grant(p.Command[0]))
		if p.guards() {
			h.Guards = []string{"*"}
		}
	}
	slices.Sort(h.Grants)
	h.Grants = append(slices.Compact(h.Grants), "ui")
	return h, nil
}

// Files implements engine.Format. Those of a process that runs in a folder elsewhere are not the
// extension's.
func (f *Format) Files(src []byte, in engine.ExtensionFolder) (files []engine.ExtensionFile) {
	s, err := f.readSettings(src)
	if err != nil {
		return nil
	}
	for _, p := range s.processes {
		dir := path.Clean(filepath.ToSlash(p.Dir))
		if filepath.IsAbs(p.Dir) || path.IsAbs(dir) {
			continue
		}
		dir = path.Join(path.Dir(f.name), dir)
		inside := in
		inside.Path = filepath.Join(in.Path, dir)
		inside.Exists = func(name string) bool { return in.Exists(path.Join(dir, name)) }
		for _, file := range peer.Files(p.Command[0], p.Command[1:], inside) {
			file.Name = path.Join(dir, file.Name)
			files = append(files, file)
		}
	}
	return files
}

// Explain tells what of a file is used here, and what has no counterpart: a line each.
func (f *Format) Explain(src []byte) (uses, lacks []string) {
	s, err := f.readSettings(src)
	if err != nil {
		return nil, nil
	}
	for _, p := range s.processes {
		uses = append(uses, fmt.Sprintf("%s: runs %s, asked at %s, told of %s", p.name,
			strings.Join(p.Command, " "), listed(p.Intercept), listed(p.Observe)))
		for _, name := range p.Observe {
			if isElsewhere(name) {
				lacks = append(lacks, p.name+": observe: "+name+" does not happen here")
			}
		}
	}
	if s.builtins {
		lacks = append(lacks, "hooks.builtins: they are part of picoclaw")
	}
	return uses, lacks
}

// listed returns names as text.
func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

var _ engine.Format = (*Format)(nil)
