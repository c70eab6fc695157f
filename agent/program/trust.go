// This file lists what a project brings and needs the user's trust, and stores the decisions.

package program

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/internal/frontmatter"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/trust"
)

// Project is what a project brings. Nothing of it takes effect before the user trusts it. Its
// methods are safe for concurrent use.
type Project struct {
	Scripts *load.Project
	home    string
	session func() string // the id of the session, for the audit log; nil = none
	places  Places
	imports imports
}

// Places are where a user works.
type Places struct {
	Dir  string // the working directory; "" = the project's root
	User string // the user's home directory; "" = none
	// Keeper says which version of the user's decisions is in force; nil = the file itself.
	Keeper *load.Settings
}

// OpenProject looks at the project of dir. home is the user's own folder; from are the hosts whose
// extensions are used where they are: see hosts.All. Nothing is read yet.
func OpenProject(dir, home string, at Places, from []string, runtimes []engine.Runtime) *Project {
	used, _ := hosts.Places("", from)
	p := &load.Project{Root: dir, Home: home, Places: used.Project, Settings: at.Keeper}
	if runtimes != nil {
		p.Runtimes = func() []engine.Runtime { return runtimes }
	}
	at.Dir = cmp.Or(at.Dir, dir)
	return &Project{Scripts: p, home: home, places: at}
}

// Kinds of things that need trust.
const (
	KindScript = "script"
	KindMCP    = "mcp"    // .agent/config.toml or .mcp.json with its MCP servers
	KindImport = "import" // a file outside of the project, in the project's instructions
)

// Item is one thing that needs trust, as of one reading.
type Item struct {
	trust.Item
	Kind     string
	Name     string
	Standing load.Standing
	Problem  string      // why it cannot be trusted; "" if it can be
	Wants    []load.Want // what it asks for
	Servers  []config.MCPServer
	Modules  []string // the files of lib that are trusted with a script
	Text     string   // of the file, with its modules
	Kept     string   // the text that is trusted instead, "" if there is none

	script  *load.ProjectScript  // of KindScript
	setting *load.WaitingSetting // of KindSettings
}

// Waits reports whether the user is to be asked about the item.
func (i *Item) Waits() bool {
	if i.script != nil {
		return i.script.Waits()
	}
	return i.Standing == load.StandingNew
}

// InForce reports whether a version of the item may run.
func (i *Item) InForce() bool {
	if i.script != nil {
		return i.script.Running()
	}
	return i.Standing == load.StandingTrusted
}

// Diff returns the difference between what is trusted and the file, "" if there is none.
func (i *Item) Diff() string {
	if i.Kept == "" || i.Kept == i.Text {
		return ""
	}
	return diff.Whole(i.Kept, i.Text)
}

// Brought is all that a project brings, at one moment.
type Brought struct {
	Root     string
	Items    []*Item
	Settings []*Item  // files of the user's own settings that wait: not of the project
	Texts    []string // files that the model reads: their names within the project
	// hooks, extensions and servers for other programs, which do not run here: their names
	// within the project
	Others []string
	Notes  []string // what could not be looked at
	// what is not known of the user's settings: a list of them is damaged, for example
	SettingsErr error
	// the user's decisions cannot be read: nothing is trusted
	Err error
}

// Waiting returns the items about which the user is to be asked.
func (b *Brought) Waiting() (out []*Item) {
	for _, i := range b.Items {
		if i.Waits() {
			out = append(out, i)
		}
	}
	return out
}

// Addable returns the items that can be trusted and are not.
func (b *Brought) Addable() (out []*Item) {
	for _, i := range b.Items {
		if i.Problem == "" && i.SHA256 != "" && i.Standing != load.StandingTrusted {
			out = append(out, i)
		}
	}
	return out
}

// Look reads what the project brings. Nothing of it runs.
func (p *Project) Look() *Brought {
	root := p.Scripts.Root
	b := &Brought{Root: root}
	b.Settings, b.SettingsErr = p.settingsItems()
	scripts := p.Scripts.Scripts()
	b.Notes = append(b.Notes, scripts.Notes...)
	if err := scripts.Unreadable; err != nil {
		b.Notes = append(b.Notes, plain.Error(err))
	}
	for _, s := range scripts.List {
		b.Items = append(b.Items, scriptItem(s))
	}
	decided, err := p.Scripts.Store().Read()
	if err != nil {
		b.Err = Untrusting(err)
	}
	files, warnings := config.LoadProject(root, p.home)
	for _, w := range warnings {
		b.Notes = append(b.Notes, w.String())
	}
	for _, c := range files {
		if len(c.MCP) > 0 {
			b.Items = append(b.Items, configItem(c, decided))
		}
	}
	b.Items = append(b.Items, p.importItems(decided)...)
	b.Texts, b.Others = texts(root), others(root, p.Scripts.Places)
	return b
}

func scriptItem(s *load.ProjectScript) *Item {
	i := &Item{Item: s.Item, Kind: KindScript, Name: s.Name, Standing: s.Standing,
		Problem: s.Problem, Modules: s.Modules(), Text: s.Text(), Kept: s.Kept(), script: s}
	i.Wants = load.Wants(i.Text, s.Grants, s.Grants)
	return i
}

func configItem(c *config.ProjectFile, decided trust.Decisions) *Item {
	i := &Item{Item: Wish(c), Kind: KindMCP, Name: filepath.Base(c.Path),
		Standing: load.StandingNew, Servers: c.MCP}
	for _, s := range c.MCP {
		i.Wants = append(i.Wants, load.Want{Grant: "mcp:" + s.Name,
			Means: "starts " + strings.Join(s.Lines(), "; ")})
	}
	b, err := regularfile.Read(c.Path) // LoadProject has read this plain, small file
	if err == nil {
		i.Text = c.Hide(string(b))
	}
	i.setStanding(decided)
	return i
}

// setStanding sets the standing of an item of which no version is kept.
func (i *Item) setStanding(decided trust.Decisions) {
	switch trusted, never := decided.Of(i.Item); {
	case trusted:
		i.Standing = load.StandingTrusted
	case never:
		i.Standing = load.StandingRefused
	}
}

// texts lists the files of a project that the model reads: instructions, skills and commands.
func texts(root string) (out []string) {
	for _, name := range []string{"AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md",
		"CLAUDE.local.md"} {
		if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
			out = append(out, name)
		}
	}
	for _, kind := range []string{"agents", "skills", "commands"} {
		for _, folder := range frontmatter.Folders(kind, "", "", root) {
			list, err := os.ReadDir(folder.Path)
			rel, rerr := filepath.Rel(root, folder.Path)
			if err != nil || rerr != nil || len(list) == 0 {
				continue
			}
			out = append(out, fmt.Sprintf("%s (%d)", filepath.ToSlash(rel), len(list)))
		}
	}
	return out
}

// others lists what a project brings for other programs of this kind, which would run it, except
// what is used here.
func others(root string, used []string) (out []string) {
	for _, name := range []string{".claude/settings.json", ".claude/settings.local.json",
		".claude/hooks", ".zot/extensions", ".picoclaw"} {
		from := name
		if name == ".claude/hooks" { // what the hooks of the settings run
			from = ".claude/settings.json"
		}
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); err == nil &&
			!slices.Contains(used, from) {
			out = append(out, name)
		}
	}
	return out
}

// Decision is what the user says of items.
type Decision string

const (
	DecideTrust  Decision = "trust"
	DecideOnce   Decision = "once" // until the program ends; only of a running program
	DecideNever  Decision = "never"
	DecideRevoke Decision = "revoke"
)

// Decide stores a decision about items, puts it in force where scripts run, and writes it to the
// audit log.
func (p *Project) Decide(d Decision, items ...*Item) error {
	var scripts []*load.ProjectScript
	var others []trust.Item
	for _, i := range items {
		switch {
		case i.setting != nil:
			if err := p.decideSettings(d, i); err != nil {
				return err
			}
		case i.script != nil:
			scripts = append(scripts, i.script)
		default:
			others = append(others, i.Item)
		}
	}
	p.imports.decide(d, items)
	store := p.Scripts.Store()
	var errs [2]error
	if len(others) > 0 {
		switch d {
		case DecideTrust:
			errs[0] = store.Trust(others...)
		case DecideNever:
			errs[0] = store.Refuse(others...)
		case DecideRevoke:
			for _, i := range others {
				errs[0] = errors.Join(errs[0], store.Revoke(i.Root, i.Path))
			}
		}
	}
	if len(scripts) > 0 && errs[0] == nil {
		switch d {
		case DecideTrust, DecideOnce:
			errs[1] = p.Scripts.Trust(d == DecideOnce, scripts...)
		case DecideNever:
			errs[1] = p.Scripts.Refuse(scripts...)
		case DecideRevoke:
			errs[1] = p.Scripts.Revoke(scripts...)
		}
	}
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	return p.record(d, items)
}

// RevokeFiles forgets all decisions about the project's files with servers and about imports, which
// may be missing or broken.
func (p *Project) RevokeFiles() error {
	root, store := p.Scripts.Root, p.Scripts.Store()
	decided, err := store.Read()
	if err != nil {
		return err
	}
	paths := config.ProjectPaths(root)
	for _, i := range decided.In(root) {
		if isImport(i) {
			paths = append(paths, i.Path)
		}
	}
	for _, path := range paths {
		err = errors.Join(err, store.Revoke(root, path))
	}
	return err
}

// Lease begins or ends an edit lease of a script of the project: while it lasts, the file loads as
// it is saved. It returns the name of the script.
func (p *Project) Lease(file string, end bool) (name string, err error) {
	d := Decision("lease")
	if end {
		d = "lease end"
		name, err = p.Scripts.EndLease(file)
	} else {
		name, err = p.Scripts.BeginLease(file)
	}
	if err != nil {
		return "", err
	}
	return name, p.record(d, []*Item{{Item: trust.Item{Root: p.Scripts.Root,
		Path: filepath.Join(p.Scripts.Dir(), name)}}})
}

// record writes a decision to the audit log.
func (p *Project) record(d Decision, items []*Item) error {
	session := ""
	if p.session != nil {
		session = p.session()
	}
	log := audit.New(audit.Options{Dir: audit.Dir(p.home)})
	for _, i := range items {
		data := map[string]any{"decision": string(d), "project": i.Root, "path": i.Path,
			"sha256": i.SHA256}
		if len(i.Grants) > 0 {
			data["grants"] = slices.Clone(i.Grants)
		}
		log.Add(audit.Trust, session, data)
	}
	if err := log.Flush(); err != nil {
		return fmt.Errorf("the decision is in force, but the audit log cannot be written: %w", err)
	}
	return nil
}

// Wish returns the request in a project's file, as an item to trust.
func Wish(p *config.ProjectFile) trust.Item {
	i := trust.Item{Root: p.Root, Path: p.Path, SHA256: p.SHA256}
	for _, s := range p.MCP {
		i.Grants = append(i.Grants, "mcp:"+s.Name)
	}
	return i
}

// Untrusting returns the error of an unusable trust store.
func Untrusting(err error) error {
	if load.IsLost(err) {
		return fmt.Errorf("%w: nothing of a project is trusted", err)
	}
	return fmt.Errorf("%w: nothing of a project is trusted; fix or remove the file", err)
}
