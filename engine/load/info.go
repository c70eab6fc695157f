// This file lists the state of each script.

package load

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// State is the state of a script.
type State string

const (
	StateOK       State = "ok"
	StateLastGood State = "error"  // the file fails; its last good version is in force
	StateFailed   State = "failed" // no version is in force; see Info.Protected
	// the file was deleted; its last version is in force until the user decides
	StateGone      State = "gone"
	StateUntrusted State = "untrusted" // a project's: listed, not run
	// a project's: the file has changed, the trusted version is in force
	StateChanged  State = "changed"
	StateReplaced State = "replaced" // a file of the same name is used instead: Info.By
	StateDisabled State = "disabled" // by the user, see Loader.Enable, or by its manifest
)

// Info describes one script, or one path without a script.
type Info struct {
	Name       string
	Path       string
	Source     scriptfile.Source
	State      State
	By         string    // StateReplaced: path of the file that is used
	Hash       string    // sha256 of the bytes in force, otherwise of those that failed
	Generation int       // 0 = none in force
	LoadedAt   time.Time // of the generation in force
	Handlers   int       // of the generation in force
	Tools      int
	Commands   int
	Providers  int
	Waits      bool               // a project's: the user is to be asked about the file as it is
	Refused    bool               // a project's: the user does not want to be asked about it
	Guards     bool               // it guards calls or masks something, or would if it was loaded
	Protected  bool               // calls that it may guard ask: no version is in force
	Error      *fault.ScriptError // of the last attempt; nil if it succeeded
	Header     scriptfile.Header  // of the version in force, otherwise of the last attempt
	Notes      []string           // for people
}

// Scripts lists all scripts found, in the order of handlers, including those that are not in force.
// It never blocks, not even while a script is being loaded.
func (l *Loader) Scripts() []Info { return slices.Clone(*l.infos.Load()) }

// Errors returns the current failures, in the order of Scripts.
func (l *Loader) Errors() []*fault.ScriptError {
	var out []*fault.ScriptError
	for _, i := range *l.infos.Load() {
		if i.Error != nil {
			out = append(out, i.Error)
		}
	}
	return out
}

// publish updates the result of Scripts.
func (l *Loader) publish() {
	var infos []Info
	for _, e := range l.sorted() {
		if e.tried == "" && e.gen == nil {
			continue // it is still being written
		}
		infos = append(infos, e.describe())
	}
	if s := l.last; s != nil {
		for _, r := range s.replaced {
			infos = append(infos, Info{Name: r.name, Path: r.path, Source: r.source,
				State: StateReplaced, By: r.by})
		}
		for _, f := range s.untrusted {
			infos = append(infos, Info{Name: f.Name, Path: f.Path, Source: scriptfile.SourceProject,
				State: StateUntrusted, Waits: f.Waits(),
				Refused: f.Refused(), Hash: f.SHA256, Header: f.Header,
				Notes: []string{f.Standing.note(f)}})
		}
		for _, d := range s.disabled {
			i := Info{Name: d.name, Path: d.path, Source: d.source, State: StateDisabled,
				Hash: d.hash, Header: d.header, Guards: d.guards,
				Notes: []string{d.whyDisabled()}}
			if d.guards {
				i.Notes = append(i.Notes, "what it guards is NOT GUARDED")
			}
			infos = append(infos, i)
		}
		for _, p := range l.problems {
			infos = append(infos, Info{Name: p.name, Path: p.path, Source: p.source,
				State: StateFailed, Error: p.err, Protected: p.shadow != nil})
		}
	}
	sort.SliceStable(infos, func(i, j int) bool {
		a, b := &infos[i], &infos[j]
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Path, b.Path)) < 0
	})
	l.infos.Store(&infos)
}

func (e *entry) describe() Info {
	i := Info{Name: e.name, Path: e.at.path, Source: e.at.source, State: StateOK, Hash: e.hash,
		Header: e.header, Error: e.err, Protected: e.shadow != nil}
	if e.err != nil {
		i.State = StateFailed
	}
	if g := e.gen; g != nil && (e.err == nil || !g.Registry.Hollow()) {
		i.Hash, i.Header, i.Generation, i.LoadedAt = g.Hash, g.Header, g.Number, g.LoadedAt
		i.Handlers, i.Tools, i.Commands, i.Providers = len(g.Registry.Handlers),
			len(g.Registry.Tools),
			len(g.Registry.Commands), len(g.Registry.Providers)
		i.Guards = protects(g)
		i.Notes = append(i.Notes, g.Warnings...)
		if e.err != nil {
			i.State = StateLastGood
			i.Notes = append(i.Notes, "the last good version is in force")
		}
		if g.Path != e.at.path {
			i.Notes = append(i.Notes, "in force is the version of "+g.Path)
		}
	}
	if p := e.at.project; p != nil && e.gen != nil {
		i.Waits, i.Refused = p.Waits(), p.Refused()
		switch p.Standing {
		case StandingChanged:
			i.State = StateChanged
		case StandingDeleted:
			i.State = StateGone
		}
		if note := p.Standing.note(p); note != "" {
			i.Notes = append(i.Notes, note)
		}
	}
	if e.orphan != notOrphan && e.gen != nil {
		i.State = StateGone
		i.Notes = append(i.Notes, e.orphan.note())
	}
	return i
}
