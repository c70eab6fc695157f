// This file keeps new versions of scripts that wait for the user: those that a tool may have
// written, and those that ask for more grants than the version in force.

package load

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Held is a version of a script that waits for the user. It stays on disk, so that the next start
// does not load it either.
type Held struct {
	Name   string    `json:"name"`
	Path   string    `json:"path"`
	SHA256 string    `json:"sha256"` // of the script and its modules, hex
	Why    string    `json:"why"`    // what happened, after the name
	Time   time.Time `json:"time"`
	// Parts are the hashes of its files, script and modules, that a tool may have written.
	Parts []string `json:"parts,omitempty"`
	// the user has accepted it, and it is not in force yet
	Accepted bool `json:"accepted,omitempty"`
	// the user keeps the version in force
	Declined bool `json:"declined,omitempty"`
}

// review holds the versions that wait, and those that the user accepted and that are not in force
// yet. It is used under the loader's lock.
type review struct {
	eng     *engine.Engine
	builder *builder
	good    *goodStore
	beacon  *beacon
	file    ledger.File[Held]
	told    func(h Held, decision string)
	now     map[string]Held           // by path
	asked   map[string]*question      // what the user is being asked, by path
	looked  atomic.Pointer[time.Time] // see lastLook
}

func heldFile(home string) ledger.File[Held] {
	return ledger.File[Held]{Path: under(home, "state", "held.json"), Version: 1}
}

func newReview(o *Options, b *builder, good *goodStore) *review {
	r := &review{eng: o.Engine, builder: b, good: good, beacon: newBeacon(o.Home, o.Family),
		told: o.Reviewed, file: heldFile(o.Home),
		now: map[string]Held{}, asked: map[string]*question{}}
	var dirs []string
	for _, dir := range slices.Concat([]string{under(o.Home, "scripts"),
		under(o.Home, "extensions")}, o.Extensions /* or a manifest */, o.Settings.paths()) {
		if real, ok := realpath.Of(dir); ok && dir != "" {
			dirs = append(dirs, real)
		}
	}
	o.Engine.OnChanges(r.beacon.setWorking, dirs...)
	if r.told == nil {
		r.told = func(Held, string) {}
	}
	return r
}

// readFile reads the versions that wait: at the start, and when the user asks for a reload, because
// another process may have accepted some.
func (r *review) readFile() error {
	list, err := r.file.Read()
	if err != nil {
		return fmt.Errorf("the list of script versions that wait for you cannot be read: %w", err)
	}
	clear(r.now)
	for _, h := range list {
		r.now[h.Path] = h
	}
	return nil
}

// refresh reads the user's decisions in another process.
func (r *review) refresh() {
	if len(r.now) == 0 {
		return
	}
	list, _ := r.file.Read() // a broken list has been reported
	for _, h := range list {
		if old, ok := r.now[h.Path]; ok && old.SHA256 == h.SHA256 {
			if h.Declined && !old.Declined {
				r.settled(h.Path)
			}
			r.now[h.Path] = h
		}
	}
}

// putHeld stores the user's decision about a version that waits.
func (r *review) putHeld(h Held) error {
	if r.now[h.Path].SHA256 != h.SHA256 {
		r.settled(h.Path)
	}
	r.now[h.Path] = h
	if r.file.Path == "" {
		return nil
	}
	return r.file.Update(func(list []Held) []Held { return append(withoutHeld(list, h.Path), h) })
}

// addHeld adds a version that starts to wait, and returns the stored version: another agent may
// have stored it before, and the user may have decided about it there. The reason from the agent
// whose tool changed the file is kept.
func (r *review) addHeld(h Held) (Held, error) {
	r.settled(h.Path)
	var err error
	if r.file.Path != "" {
		err = r.file.Update(func(list []Held) []Held {
			for i, old := range list {
				if old.Path == h.Path && old.SHA256 == h.SHA256 {
					if old.Why == byOther {
						list[i].Why = h.Why
					}
					h = list[i]
					return list
				}
			}
			return append(withoutHeld(list, h.Path), h)
		})
	}
	r.now[h.Path] = h
	return h, err
}

// dropHeld removes the version at path from the list.
func (r *review) dropHeld(path string) error {
	if _, ok := r.now[path]; !ok {
		return nil
	}
	delete(r.now, path)
	r.settled(path)
	if r.file.Path == "" {
		return nil
	}
	return r.file.Update(func(list []Held) []Held { return withoutHeld(list, path) })
}

// gone reports whether a file was removed from a folder that exists.
func gone(path string) bool {
	return !realpath.Exists(path) && realpath.IsDir(filepath.Dir(path))
}

// dropGone removes the versions whose files the user has deleted: no tool may have removed them to
// bring them back later.
func (r *review) dropGone(b *batch) {
	for path := range r.now {
		if !gone(path) {
			continue
		}
		f := &found{path: path}
		byTool := r.byTool(f, &entry{})
		if !byTool {
			b.holding(r.dropHeld(path))
		}
	}
}

// inForce removes versions that have come into force from the list, also under other paths that
// lead to the same file.
func (r *review) inForce(b *batch) {
	for _, e := range b.records {
		if e.gen == nil {
			continue
		}
		for path, h := range r.now {
			if h.SHA256 == e.gen.Hash &&
				(!realpath.Exists(path) || realpath.Same(path, e.at.path)) {
				b.holding(r.dropHeld(path))
			}
		}
	}
}

// settled removes a script from the question about it, and cancels the question if no scripts are
// left.
func (r *review) settled(path string) {
	if q := r.asked[path]; q != nil {
		delete(r.asked, path)
		if q.open--; q.open == 0 {
			q.cancel()
		}
	}
}

func withoutHeld(list []Held, path string) []Held {
	return slices.DeleteFunc(list, func(h Held) bool { return h.Path == path })
}

// hold returns the reason why a version must wait for the user; nil if it may be loaded.
func (r *review) hold(b *batch, e *entry, f *found, c *content) *trouble {
	switch f.source {
	case scriptfile.SourceUser, scriptfile.SourceCLI, scriptfile.SourceForeign:
	default:
		return nil
	}
	h, waits := r.now[f.path]
	waits = waits && h.SHA256 == c.hash
	inForce := e.gen != nil && e.gen.Hash == c.hash
	if waits && h.Accepted && !inForce {
		return nil
	}
	why, parts := h.Why, h.Parts
	switch {
	case inForce:
		why = ""
	case !waits:
		why, parts = r.whyHeld(b, e, f, c)
	}
	if why != "" && !inForce && r.wasInForce(f, c) { // the user has accepted it in another agent
		why = ""
	}
	if why == "" {
		b.holding(r.dropHeld(f.path))
		return nil
	}
	fresh := !waits
	if fresh {
		var err error
		h, err = r.addHeld(Held{Name: f.name, Path: f.path, SHA256: c.hash, Why: why, Parts: parts,
			Time: b.now.UTC().Truncate(time.Second)})
		b.holding(err)
		if h.Accepted {
			return nil
		}
		why = h.Why
		r.told(h, "waits")
	}
	if fresh && !h.Declined || b.force {
		b.held = append(b.held, heldVersion{e, *f, *c, why})
	}
	return &trouble{message: why + ", so this version waits for you", held: true,
		moved: e.gen == nil && r.waitsElsewhere(f.path, parts),
		hint:  "agent ext accept shows it, and agent ext accept " + f.name + " accepts it"}
}

// holding reports that the list of waiting versions could not be written, so that the next start
// would load them.
func (b *batch) holding(err error) {
	if err != nil {
		b.say("the list of script versions that wait for you could not be stored: " +
			"" + plain.Error(err))
	}
}

// byOther is the reason for a version that a tool of another agent may have written.
const byOther = "was changed while " + otherTool + " was running"

// whyHeld returns the reason why a new version waits, and the hashes of its files that a tool may
// have written; "" if it does not wait. Changes before the start count as the user's, unless the
// version already waited, or a tool was running of an agent that was killed before it checked the
// file.
func (r *review) whyHeld(b *batch, e *entry, f *found, c *content) (why string, parts []string) {
	if why = r.carried(e, f, c); why != "" {
		return why, r.freshParts(e, f, c)
	}
	changed := func() time.Time { return changedAt(f.written(e)) }
	if b.first {
		if who := r.beacon.others(changed, 0); who != "" {
			return "was changed while " + who + " was running", r.freshParts(e, f, c)
		}
		return "", nil
	}
	who, user := r.changer(f, e, r.since(e, c))
	if who == "" {
		who = r.beacon.others(changed, mutationWindow)
	}
	if who != "" && !user {
		return "was changed while " + who + " was running", r.freshParts(e, f, c)
	}
	if e.gen == nil || !e.hadText {
		return "", nil // it is new, or was made as an empty file first, as some editors do
	}
	if wants := r.moreWants(e, f.name, c); len(wants) > 0 {
		means := make([]string, len(wants))
		for i, w := range wants {
			means[i] = "it " + w.String()
		}
		return widens + ": " + strings.Join(means, "; "), nil
	}
	return "", nil
}

// widens begins the reason for a version that waits because of its grants.
const widens = "asks for more than the version in force"

// moreWants describes the grants that a version adds to those of the version in force.
func (r *review) moreWants(e *entry, name string, c *content) []Want {
	header, _ := r.builder.header(name, c.bytes)
	var old []string
	if g := e.gen; g != nil {
		old = g.Header.Grants
	}
	return Wants(string(c.bytes), Widened(old, header.Grants), header.Grants)
}

// Waits is a version that waits, with the current state of its file.
type Waits struct {
	Held
	Differences string // from the version in force; may be long
	// Asks says what it may do, in addition to the version in force, unless Why says that: see
	// WantsText.
	Asks    string
	Trouble string // why it cannot be accepted: its file has changed, for example
}

// Waiting returns the versions of scripts that wait for the user, for a program that shows them
// without a Loader.
func Waiting(home string, runtimes []engine.Runtime) (out []Waits, err error) {
	home = absolute(home)
	list, err := heldFile(home).Read()
	good := newGoodStore(home)
	for _, h := range list {
		old := good.getRecord(h.Path)
		if gone(h.Path) || h.Accepted && old != nil && old.Hash == h.SHA256 {
			continue // a running agent, or the next one, drops it
		}
		c := readHeld(h, runtimes)
		if old == nil {
			old = &record{}
		}
		w := Waits{Held: h}
		switch {
		case c.trouble != nil:
			w.Trouble = "the file " + c.trouble.message
		case c.hash != h.SHA256:
			w.Trouble = "the file has changed since: a running agent, or the next one, checks " +
				"it again"
		default:
			w.Differences = old.differences(&c)
			now, _ := HeaderOf(runtimes, h.Name, c.bytes)
			before, _ := HeaderOf(runtimes, h.Name, old.bytes)
			if !strings.HasPrefix(h.Why, widens) {
				w.Asks = WantsText(Wants(string(c.bytes), Widened(before.Grants, now.Grants),
					now.Grants), len(old.bytes) > 0)
			}
		}
		out = append(out, w)
	}
	return out, err
}

// readHeld reads the file of a version that waits.
func readHeld(h Held, runtimes []engine.Runtime) content {
	f := found{name: h.Name, path: h.Path, dir: filepath.Dir(h.Path),
		source: scriptfile.SourceUser, part: partAt(runtimes, h.Path)}
	c := f.read()
	if c.trouble != nil {
		return c
	}
	c.setLibrary(libraryAt(runtimes, h.Path, c.bytes))
	return c
}

// Accept accepts versions that wait: running agents load them, and so does the next start.
func Accept(home string, held ...Held) error {
	var missing []string
	err := heldFile(absolute(home)).Update(func(list []Held) []Held {
		for _, h := range held {
			i := slices.IndexFunc(list,
				func(x Held) bool { return x.Path == h.Path && x.SHA256 == h.SHA256 })
			if i < 0 {
				missing = append(missing, h.Name)
			} else {
				list[i].Accepted = true
			}
		}
		return list
	})
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("%s: a newer version waits by now", strings.Join(missing, ", "))
	}
	return err
}

// AcceptAhead accepts a version of a script before its file is written: agents that are running
// load it then, although it may ask for more than the version in force.
func AcceptAhead(home string, runtimes []engine.Runtime, path string, text []byte) error {
	c := content{bytes: text}
	c.setLibrary(libraryAt(runtimes, path, text))
	h := Held{Name: NameOf(runtimes, path), Path: path, SHA256: c.hash,
		Why: "was installed", Time: time.Now().UTC().Truncate(time.Second), Accepted: true}
	return heldFile(absolute(home)).Update(func(list []Held) []Held {
		return append(withoutHeld(list, path), h)
	})
}
