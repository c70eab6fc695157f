// Package load finds scripts, loads them, watches them, and keeps the last good version of each.
//
//	l := load.New(load.Options{Engine: e, Home: home, Watch: true})
//	l.Start(ctx)            // loads all scripts, then each save
//	defer l.Close()
//	for _, s := range l.Scripts() { ... }
//
// It promises: a file is loaded completely or not at all; a change of the current set is one Swap,
// so that either the old or the new version is always in force; after a failure the last good
// version stays in force, also after a restart; calls that a file would guard that looks like a
// guard and never worked ask the user; no script can make a method of Loader fail. It runs scripts
// of a project only if the user trusts their bytes: see Project.
package load

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/fsnotify/fsnotify"
)

const (
	// maxScript is the largest file that is loaded: 1 MB is a hundred times the size of a long
	// script; a larger file is probably misplaced data.
	maxScript = 1 << 20
	// goneAfter is how long a file must be absent before it counts as deleted: several editors, and
	// git, save by deleting the file and creating it again.
	goneAfter = 250 * time.Millisecond
	// mutationWindow is the time after a tool's end in which a change of a file is attributed to
	// it: background processes of a tool usually end within that time, and the polling interval is
	// shorter.
	mutationWindow = 2 * time.Second
	// settleRounds is how often Rescan and Reload check files again that are being written or were
	// just deleted: longer than an editor needs; after that the watcher continues.
	settleRounds = 8
)

// Builtin is a script that is part of the program.
type Builtin struct {
	Name  string
	Bytes []byte
}

// Options says where scripts are. Engine is required.
type Options struct {
	Engine *engine.Engine
	// ~/.agent: scripts in Home/scripts, last good versions in Home/state/good; "" = none
	Home    string
	Managed string // /etc/agent/scripts; "" = none
	// root of the project, whose scripts run if the user trusts their bytes; "" = none
	Project string
	Extra   []string // -e PATH: files or folders
	// Extensions are where there are extensions of other hosts besides Home/extensions: folders
	// with a folder for each, or the manifests of formats that have them in one folder only.
	Extensions []string
	User       string // the user's own folder, from which those manifests are named
	// Names are other names of such manifests, by their paths: NAME/MANIFEST. The path may change
	// with each version of an extension, and what the user has decided by the name stays.
	Names map[string]string
	// Trust reads the scripts of the project; nil = the user's decisions in Home count.
	Trust *Project
	// Known is the folder, outside of Home, for a second copy of the list of scripts that guarded
	// something: with it, they are reported as missing at the next start even if Home was emptied.
	// "" = no copy.
	Known     string
	NoScripts bool      // only managed ones, built-in ones and Extra
	Builtin   []Builtin // earlier ones first
	// Joined is called for each generation loaded after the start, in a new goroutine. May be nil.
	Joined func(g *engine.Generation)
	// Confirm asks the user a yes-or-no question; nil if no one can answer. It must return when ctx
	// ends.
	Confirm func(ctx context.Context, d *ui.Dialog) (bool, error)
	// Reviewed is called for new versions of scripts that wait for the user ("waits"), and for the
	// user's decisions ("accept", "keep the old version"). It must not block. May be nil.
	Reviewed func(h Held, decision string)
	// Settings are the user's settings, which are checked as scripts are; nil = there are none.
	// HideSettings replaces secrets in their texts; may be nil.
	Settings     *Settings
	HideSettings func(text string) string
	// Family knows what tools have left running; nil = it is not known.
	Family *process.Family
	// Watch keeps watching after Start: a save is live within 60 ms.
	Watch bool
}

// Loader owns the set of current generations of its engine: nothing else may call Scripts.Swap. Its
// methods are safe for concurrent use.
type Loader struct {
	o       Options
	eng     *engine.Engine
	memory  memory
	off     *off
	review  *review
	builder *builder
	places  *places
	project *Project
	watcher *watcher // nil: not watching
	mounts  mounts
	newFS   func() (*fsnotify.Watcher, error)
	// how long the event of a probe may take
	probeWait time.Duration

	// life ends at Close. It is the parent context of work without a caller: watching, questions.
	life context.Context
	end  context.CancelFunc
	busy sync.WaitGroup

	infos atomic.Pointer[[]Info] // result of Scripts

	mu       sync.Mutex // guards all below; it is not held while a script runs
	last     *survey
	started  bool
	closed   bool
	entries  map[string]*entry   // by name
	problems map[string]*problem // by path
	shadows  []*engine.Handler   // as given to the last Swap
	teller   teller
}

// New makes a loader. Nothing is read before Start.
func New(o Options) *Loader {
	for _, p := range []*string{&o.Home, &o.Managed, &o.Project, &o.Known, &o.User} {
		*p = absolute(*p)
	}
	for _, list := range []*[]string{&o.Extra, &o.Extensions} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i] = absolute((*list)[i])
		}
	}
	l := &Loader{o: o, eng: o.Engine, newFS: fsnotify.NewWatcher, probeWait: probeWait,
		memory:  memory{good: newGoodStore(o.Home), roll: newRoll(o.Home, o.Known)},
		builder: &builder{eng: o.Engine, files: &extensionFiles{}}, teller: teller{eng: o.Engine},
		entries: map[string]*entry{}, problems: map[string]*problem{}}
	l.memory.roll.names = o.Names
	l.off = &off{file: disabledFile(l.o.Home)}
	l.review = newReview(&l.o, l.builder, l.memory.good)
	l.project = l.o.Trust
	if l.project == nil {
		l.project = &Project{Root: l.o.Project, Home: l.o.Home}
	}
	l.project.attach(l)
	l.places = &places{o: &l.o, off: l.off, builder: l.builder, readOK: map[string]bool{},
		project: l.project,
		listed:  func(name string) bool { return l.entries[name] != nil },
		times: func(real string) int {
			if l.watcher == nil {
				return 0
			}
			return l.watcher.times(real)
		}}
	l.life, l.end = context.WithCancel(context.Background())
	l.o.Settings.attach(l)
	l.infos.Store(&[]Info{})
	return l
}

func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// Start loads all scripts for the first time and, with Options.Watch, starts to watch. Scripts
// cannot make it fail: failures are in Scripts and Errors, and fire script_error. ctx bounds only
// the first load; watching ends with Close. Start may be called once.
func (l *Loader) Start(ctx context.Context) error {
	l.mu.Lock()
	if l.started || l.closed {
		l.mu.Unlock()
		return nil
	}
	l.started = true
	if l.o.Watch {
		l.watcher = newWatcher(l.newFS)
		l.mounts = openMounts()
	}
	l.mu.Unlock()
	l.settle(ctx, batch{cause: "start"})
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watcher != nil && !l.closed {
		l.busy.Add(2)
		test := l.watcher.beginProbe(under(l.o.Home, "state"), l.probeWait)
		go func() {
			defer l.busy.Done()
			l.watch(l.life, test)
		}()
		go func() {
			defer l.busy.Done()
			l.mounts.watchList(l.life, l.watcher.kick)
		}()
	} else {
		l.mounts.close()
	}
	return ctx.Err()
}

// Reload reads and loads every file again, changed or not, as the user's /reload. A script that was
// kept in force although its file is missing is unloaded. It returns when all is done.
func (l *Loader) Reload(ctx context.Context) { l.settle(ctx, batch{cause: "manual", force: true}) }

// Rescan looks for changed files and loads them, as after an event of the file system. It returns
// when all is done; a file that has just vanished takes goneAfter.
func (l *Loader) Rescan(ctx context.Context) { l.settle(ctx, batch{cause: "save"}) }

// settle scans until no file is being written or has just vanished.
func (l *Loader) settle(ctx context.Context, b batch) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(l.life, cancel)()
	for range settleRounds {
		next, loading := l.scan(ctx, b)
		for _, done := range loading {
			select {
			case <-done:
			case <-ctx.Done():
			}
		}
		if next.IsZero() && ctx.Err() == nil {
			return
		}
		b.force = false
		select {
		case <-time.After(time.Until(next)):
			continue
		case <-ctx.Done():
		}
		break
	}
	l.kick() // leave the rest to the watcher
}

// Close stops watching, cancels questions, and waits for running work. The generations stay with
// the engine; close the loader before the engine.
func (l *Loader) Close() {
	l.end()
	l.mu.Lock()
	if !l.closed && l.last != nil && l.eng.AnyChange() {
		files := l.places.survey().files
		if l.o.NoScripts { // the next start may load them
			l.project.Scripts()
			s := &survey{closed: map[string]bool{}, homes: map[string]homeID{}}
			files = append(files, l.places.folder(s, l.places.userDir(), scriptfile.SourceUser)...)
			for _, place := range l.places.extensionPlaces() {
				files = append(files, l.places.extensions(s, place)...)
			}
		}
		l.review.holdRest(files, l.entries)
		l.o.Settings.endWatch()
	}
	l.closed = true
	w := l.watcher
	l.mu.Unlock()
	l.busy.Wait()
	if w != nil {
		w.close()
	}
}
