// This file stores the results of a scan and reports them.

package load

import (
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// memory is the state on disk: the last good versions, and the scripts that guarded something.
type memory struct {
	good *goodStore
	roll *roll
}

// keep updates the records on disk with the versions now in force.
func (m *memory) keep(b *batch) {
	var failed error
	var gens []*engine.Generation
	for _, e := range b.records {
		if e.gen == nil {
			continue
		}
		gens = append(gens, e.gen)
		if e.at.source == scriptfile.SourceProject { // see contentStore
			continue
		}
		err := m.good.put(&record{Name: e.name, Path: e.gen.Path, Hash: e.gen.Hash,
			Modules: modulesOf(e.gen.Library), bytes: e.gen.Bytes})
		if err != nil {
			failed = err
		}
	}
	var gone []string
	for _, e := range b.removed {
		if e.disabled {
			continue
		}
		if err := m.good.remove(e.at.path); err != nil {
			failed = err
		}
		gone = append(gone, e.at.path)
	}
	if err := m.roll.keep(gens, gone); err != nil {
		failed = err
	}
	if failed != nil {
		b.say(fmt.Sprintf("the last good versions of scripts cannot be stored for the next "+
			"start: %v",
			failed))
	}
}

// tell shows the notices of this batch, and standing notices that are new.
func (l *Loader) tell(b *batch) {
	for _, text := range b.notices {
		l.teller.notify(text)
	}
	standing := append([]string(nil), l.eng.Scripts.Snapshot().Notices...)
	if l.last != nil {
		standing = append(standing, l.last.notes...)
		standing = append(standing, l.off.notes(l.last)...)
	}
	for _, e := range l.sorted() {
		if e.gen != nil {
			for _, w := range e.gen.Warnings {
				standing = append(standing, e.name+": "+strings.TrimPrefix(w, e.name+": "))
			}
		}
	}
	if l.watcher != nil {
		if why := l.watcher.why(); why != "" {
			standing = append(standing, why)
		}
	}
	l.teller.notifyNew(standing)
}

// teller shows notices about scripts.
type teller struct {
	eng      *engine.Engine
	standing map[string]bool // notices that apply now and have been shown
}

// notifyNew shows the standing notices that did not apply before.
func (t *teller) notifyNew(standing []string) {
	said := map[string]bool{}
	for _, text := range standing {
		if !t.standing[text] && !said[text] {
			t.notify(text)
		}
		said[text] = true
	}
	t.standing = said
}

func (t *teller) notify(text string) {
	t.eng.Notices.Notify(nil, "agent", ui.Notice{Text: text, Level: "warn"})
}

func (t *teller) loadEvent(g *engine.Generation, cause string) *event.Event {
	ev := event.ScriptLoad{Script: g.Name, Path: g.Path, Generation: g.Number, Cause: cause,
		Handlers: len(g.Registry.Handlers), MS: float64(g.LoadTime.Microseconds()) / 1e3,
		Version: g.Hash}
	if len(g.Header.Grants) > 0 {
		ev.Grants = value.TextList(g.Header.Grants)
	}
	return t.eng.Events.New(nil, ev)
}

func (t *teller) unloadEvent(g *engine.Generation, cause string) *event.Event {
	return t.eng.Events.New(nil, event.ScriptUnload{Script: g.Name, Path: g.Path,
		Generation: g.Number, Cause: cause, Handlers: len(g.Registry.Handlers),
		Version: g.Hash})
}
