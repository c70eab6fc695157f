// This file reads the scripts of a project and determines which of them the user trusts. It never
// runs anything: only the header of untrusted bytes is parsed.

package load

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/trust"
)

const (
	// maxProjectScripts is the maximal number of scripts of a project that are read: a repository
	// with more is a mistake or an attack, and no user would review them.
	maxProjectScripts = 200
	// maxProjectBytes is the maximal total size that is read at each scan.
	maxProjectBytes = 16 << 20
	// maxProjectFiles is the maximal total size of the files that the extensions of a project run:
	// some large programs. They are read once for each change.
	maxProjectFiles = 512 << 20
)

// Standing is what the user has decided about a script of a project.
type Standing string

const (
	StandingNew     Standing = "new"     // not decided
	StandingTrusted Standing = "trusted" // the file has the trusted bytes
	StandingOnce    Standing = "once"    // trusted until the program ends
	StandingEdited  Standing = "edited"  // under an edit lease: see trust.Lease
	StandingChanged Standing = "changed" // the trusted bytes are kept, the file has other bytes
	StandingDeleted Standing = "deleted" // the trusted bytes are kept, the file is missing
	StandingRefused Standing = "refused" // the user is not asked again
	// the trusted bytes are neither in the file nor kept
	StandingLost     Standing = "lost"
	StandingUnusable Standing = "unusable" // it cannot be trusted: Problem says why
)

// ProjectScript is a script of a project, as it was read. It has not been run.
type ProjectScript struct {
	trust.Item // the file as it is now; SHA256 is "" if it is missing or cannot be read
	Name       string
	Standing   Standing
	Problem    string // why the file cannot be trusted; "" if it can be
	Mistakes   []HeaderError
	Header     scriptfile.Header // of the file as it is now

	file  content  // as it is now
	kept  *content // the trusted bytes, if the file has others
	paths []string // where its modules are, or would be
	ended bool     // its edit lease has ended
	never bool     // the user does not want to be asked about the file's current content
	// its bytes are trusted, and other ones were in force before
	renewed bool
}

// Running reports whether a version of it may run.
func (s *ProjectScript) Running() bool { return s.inForce() != nil }

// inForce returns the bytes that may run, nil if none may.
func (s *ProjectScript) inForce() *content {
	switch s.Standing {
	case StandingTrusted, StandingOnce, StandingEdited:
		return &s.file
	case StandingChanged, StandingDeleted:
		return s.kept
	}
	return nil
}

// Waits reports whether the user should be asked about the file's current content.
func (s *ProjectScript) Waits() bool {
	return s.SHA256 != "" && s.Problem == "" && !s.never && (s.Standing == StandingNew ||
		s.Standing == StandingChanged || s.Standing == StandingLost)
}

// Refused reports whether the user does not want to be asked about the file's current content.
func (s *ProjectScript) Refused() bool { return s.never }

// Text returns the text of the file with its modules, each below a line with its name.
func (s *ProjectScript) Text() string { return s.file.shown() }

// Kept returns the text that is trusted instead of Text, "" if there is none.
func (s *ProjectScript) Kept() string {
	if s.kept == nil {
		return ""
	}
	return s.kept.shown()
}

// Modules lists the files of lib that are trusted together with the script.
func (s *ProjectScript) Modules() []string {
	var names []string
	for _, m := range modulesOf(s.file.library) {
		names = append(names, m.File)
	}
	return names
}

func (c *content) shown() string {
	text := string(c.bytes)
	for _, m := range modulesOf(c.library) {
		text = strings.TrimRight(text, "\n") + "\n\n==== " + m.File + " ====\n" + string(m.bytes)
	}
	return text
}

// Project reads the scripts of a project. Its methods are safe for concurrent use. Its Loader puts
// each decision in force before the method returns.
type Project struct {
	Root     string
	Home     string                  // the user's own folder, which holds what is trusted
	Runtimes func() []engine.Runtime // the languages that there are; nil = the loader's
	Settings *Settings               // which decisions are in force; nil = those of the file
	// Places are slash-separated paths in the project of more folders with extensions of other
	// hosts, or of manifests: see Options.Extensions.
	Places []string

	loader  *Loader // nil: nothing is in force
	mu      sync.Mutex
	once    map[string]*ProjectScript // trusted until the program ends, by path
	decided trust.Decisions           // as read last
	unread  bool                      // they could not be read the last time
	seen    map[string]*ProjectScript // what a lease let load last, by path
	renewed map[string]string         // hashes of what renew put in force last, by path
	files   *extensionFiles           // nil: not yet used, and nothing is in force
}

func (p *Project) attach(l *Loader) {
	if p.loader, p.files = l, l.builder.files; p.Runtimes == nil {
		p.Runtimes = l.eng.Scripts.Runtimes
	}
}

// enforce puts a decision in force, unless it could not be stored.
func (p *Project) enforce(err error) error {
	l := p.loader
	if err != nil || l == nil {
		return err
	}
	l.mu.Lock()
	started := l.started
	l.mu.Unlock()
	if started {
		l.Rescan(l.life)
	}
	return nil
}

// Dir returns the folder of scripts.
func (p *Project) Dir() string { return under(p.Root, ".agent", "scripts") }

// extensions returns the folder of extensions of other hosts.
func (p *Project) extensions() string { return under(p.Root, ".agent", "extensions") }

// folders returns the folders of scripts and extensions.
func (p *Project) folders() []string {
	all := []string{p.Dir()}
	if len(p.formats()) == 0 {
		return all
	}
	all = append(all, p.extensions())
	for _, place := range p.Places {
		if formatOf(p.Runtimes(), place) == nil {
			all = append(all, under(p.Root, filepath.FromSlash(place)))
		}
	}
	return all
}

// Store returns the store of the user's decisions.
func (p *Project) Store() *trust.Store { return trust.New(p.Home, p.Settings) }

// ProjectScripts holds all scripts of a project, as they were read.
type ProjectScripts struct {
	List       []*ProjectScript // by name
	Notes      []string         // scripts that could not be read
	Watched    []string         // files that decide as well
	Escapes    []string         // folders that lead out of the project
	Unreadable error            // why a folder cannot be read
	Untrusty   error            // the user's decisions cannot be read: nothing is trusted
}

// Scripts reads all scripts and the user's decisions. A project without scripts costs nothing but
// looking for the folder.
func (p *Project) Scripts() *ProjectScripts {
	out := &ProjectScripts{}
	if p.Root == "" || p.Home == "" || realpath.Same(p.Dir(), under(p.Home, "scripts")) {
		return out
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	root, names := p.names(out)
	if root != nil {
		defer root.Close()
	}
	decided, err := p.Store().Read()
	if out.Untrusty = err; err != nil {
		decided = p.decided // scripts that were trusted before stay in force
	}
	p.decided, p.unread = decided, err != nil
	var leased leases
	if len(names) > 0 {
		leased = p.leases()
		out.Untrusty = cmp.Or(out.Untrusty, leased.err)
		out.Watched = append(out.Watched, leased.head.Files...)
	}
	seen := map[string]bool{}
	rest := projectRest{text: maxProjectBytes, files: maxProjectFiles}
	for _, name := range names {
		s := p.script(root, name, &rest)
		p.setStanding(s, decided, &leased)
		seen[s.Path] = true
		// the kept content was deleted
		if s.Standing == StandingTrusted && !p.kept().has(s.SHA256) {
			if err := p.kept().keepContent(&s.file); err != nil {
				out.Notes = append(out.Notes, "the trusted versions of scripts cannot be stored: "+
					plain.Error(err))
			}
		}
		out.List = append(out.List, s)
	}
	for _, path := range p.trustedPaths(decided) {
		if name := p.nameOf(path); !seen[path] && name != "" {
			s := &ProjectScript{Name: name,
				Item: trust.Item{Root: p.Root, Path: path}}
			if p.setStanding(s, decided, &leased); s.Standing != StandingNew {
				out.List = append(out.List, s)
			}
		}
	}
	slices.SortFunc(out.List, func(a, b *ProjectScript) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// trustedPaths lists the paths that have trusted bytes.
func (p *Project) trustedPaths(decided trust.Decisions) (paths []string) {
	for _, i := range decided.In(p.Root) {
		paths = append(paths, i.Path)
	}
	for path := range p.once {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// setStanding sets the standing of a script and finds the trusted bytes.
func (p *Project) setStanding(s *ProjectScript, decided trust.Decisions, leased *leases) {
	usable := s.Problem == "" && s.SHA256 != ""
	trusted, never := decided.Of(s.Item)
	trusted = trusted && (!usable || p.renew(s, decided))
	s.never = never
	edited := usable && !trusted && p.edited(s, leased)
	once := p.once[s.Path]
	last, kept := decided.Trusted(s.Root, s.Path)
	switch {
	case usable && trusted:
		s.Standing = StandingTrusted
	case usable && once != nil && once.Same(s.Item):
		s.Standing = StandingOnce
	case edited:
		s.Standing = StandingEdited
	case once != nil && p.canRun(s, &once.file):
		s.kept = &once.file
	case kept:
		s.kept = p.kept().content(last.SHA256, filesAt(p.Runtimes(), s.Path))
		if s.kept == nil || !p.canRun(s, s.kept) {
			s.kept, s.Standing = nil, StandingLost
		}
	case !usable && s.Problem != "":
		s.Standing = StandingUnusable
	case usable && never:
		s.Standing = StandingRefused
	default:
		s.Standing = StandingNew
	}
	if s.kept != nil {
		s.Standing = StandingChanged
		if s.SHA256 == "" && s.Problem == "" {
			s.Standing = StandingDeleted
		}
	}
}

// renew reports whether trusted bytes of a script may replace others that were in force last. They
// may, for example after a change of the branch, but not if a tool may have written them, because a
// tool could remove the guards of a newer version in this way. Under p.mu.
func (p *Project) renew(s *ProjectScript, decided trust.Decisions) bool {
	l := p.loader
	last, _ := decided.Trusted(s.Root, s.Path)
	s.renewed = p.renewed[s.Path] == s.SHA256
	switch {
	case l == nil, last.Same(s.Item) && !decided.Held(s.Root, s.Path):
		return true
	case !last.Same(s.Item) && l.review.byTool(&found{path: s.Path}, &entry{modules: s.paths}):
		// if it cannot be stored, the next scan has the same result, while this program runs
		_ = p.Store().Hold(s.Item)
		return false
	}
	if s.renewed = !last.Same(s.Item); s.renewed {
		if p.renewed == nil {
			p.renewed = map[string]string{}
		}
		p.renewed[s.Path] = s.SHA256
	}
	_ = p.Store().Renew(s.Item) // otherwise the next scan tries again
	return true
}

func (p *Project) kept() contentStore {
	return contentStore{under(p.Home, "state", "trusted")}
}

// Trust trusts scripts with the bytes that were read, and keeps these bytes, so that they stay in
// force if the files change. With once they are trusted until the program ends.
func (p *Project) Trust(once bool, scripts ...*ProjectScript) error {
	var items []trust.Item
	for _, s := range scripts {
		if s.Problem != "" || s.SHA256 == "" {
			return fmt.Errorf("%s cannot be trusted: %s", s.Name,
				cmp.Or(s.Problem, "there is no file"))
		}
		items = append(items, s.Item)
	}
	if once {
		p.trustOnce(scripts)
		return p.enforce(nil)
	}
	for _, s := range scripts {
		if err := p.kept().keepContent(&s.file); err != nil {
			return err
		}
	}
	return p.enforce(p.Store().TrustAlso(items...))
}

func (p *Project) trustOnce(scripts []*ProjectScript) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.once == nil {
		p.once = map[string]*ProjectScript{}
	}
	for _, s := range scripts {
		p.once[s.Path] = s
	}
}

// Refuse records that the user does not want to be asked about these bytes again.
func (p *Project) Refuse(scripts ...*ProjectScript) error {
	var items []trust.Item
	for _, s := range scripts {
		if s.SHA256 == "" {
			return fmt.Errorf("%s has no bytes to refuse: %s", s.Name,
				cmp.Or(s.Problem, "there is no file"))
		}
		items = append(items, s.Item)
	}
	p.forgetOnce(scripts)
	return p.enforce(p.Store().Refuse(items...))
}

// Revoke deletes all decisions about scripts.
func (p *Project) Revoke(scripts ...*ProjectScript) error {
	var paths []string
	for _, s := range scripts {
		paths = append(paths, s.Path)
	}
	p.forgetOnce(scripts)
	if err := p.Store().Revoke(p.Root, paths...); err != nil {
		return err
	}
	if decided, err := p.Store().Read(); err == nil {
		p.kept().sweep(decided, time.Now())
	}
	return p.enforce(nil)
}

func (p *Project) forgetOnce(scripts []*ProjectScript) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range scripts {
		delete(p.once, s.Path)
		delete(p.seen, s.Path)
	}
}
