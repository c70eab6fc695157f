// This file keeps the scripts that the user has disabled: they are listed and not loaded.

package load

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Disabled is a script that the user has disabled.
type Disabled struct {
	Name string `json:"name"`
	Path string `json:"path"`
	// Guards says that it guarded calls, or masked something, when it was disabled.
	Guards bool `json:"guards,omitempty"`
	// Lasting says that the extension of that name is disabled wherever it is: see Options.Names.
	Lasting bool `json:"lasting,omitempty"`
}

// Is reports whether a script is the disabled one.
func (d Disabled) Is(p Place) bool {
	return d.Path == p.Path || d.Lasting && p.Lasting && d.Name == p.Name
}

func disabledFile(home string) ledger.File[Disabled] {
	return ledger.File[Disabled]{Path: under(home, "state", "disabled.json"), Version: 1}
}

// off holds the disabled scripts. It is used under the loader's lock.
type off struct {
	file ledger.File[Disabled]
	now  map[string]Disabled // by path
	err  error               // why the file cannot be read
}

// readFile reads the list, which another process may have changed. If it cannot be read, what was
// disabled before stays so; at the start nothing is disabled, because a guard may be among them.
func (o *off) readFile() {
	var list []Disabled
	if list, o.err = o.file.Read(); o.err != nil {
		return
	}
	o.now = map[string]Disabled{}
	for _, d := range list {
		o.now[d.Path] = d
	}
}

// at returns the entry of a file, if it is disabled.
func (o *off) at(f *found) (Disabled, bool) {
	d, ok := o.now[f.path]
	if ok || !f.lasting {
		return d, ok
	}
	for _, d = range o.now {
		if d.Is(Place{f.name, f.path, true}) {
			return d, true
		}
	}
	return Disabled{}, false
}

// disabledScript is the file of a disabled script.
type disabledScript struct {
	*found
	header scriptfile.Header
	hash   string
	guards bool // it would guard calls, or mask something
	off    bool // by its manifest, not by the user
}

func (d *disabledScript) whyDisabled() string {
	if d.off {
		return "its manifest switches it off"
	}
	return "you disabled it: agent ext enable " + plain.RevealName(d.name)
}

// separateDisabled returns the files that are not disabled, and lists the others in s. A file that
// the command line names is loaded anyway, and the others are not the user's to disable.
func (p *places) separateDisabled(s *survey, all []*found) []*found {
	if len(p.off.now) == 0 {
		return all
	}
	named := func(path string) bool {
		return slices.ContainsFunc(all,
			func(f *found) bool { return f.path == path && f.source == scriptfile.SourceCLI })
	}
	var rest []*found
	for _, f := range all {
		d, ok := p.off.at(f)
		if !ok || !mayDisable(f.source) || named(f.path) {
			rest = append(rest, f)
			continue
		}
		c := f.read()
		if c.trouble == nil && f.given == nil {
			c.setLibrary(p.builder.library(f, c.bytes))
		}
		x := disabledScript{found: f, hash: c.hash}
		x.header, _ = p.builder.header(f.name, c.bytes)
		x.guards = d.Guards || len(x.header.Guards) > 0 || mentionsProtection(c.text())
		s.disabled = append(s.disabled, x)
	}
	return rest
}

// mayDisable reports whether the user can disable scripts of a source.
func mayDisable(source scriptfile.Source) bool {
	return source == scriptfile.SourceUser || source == scriptfile.SourceProject ||
		source == scriptfile.SourceForeign
}

// mentionsProtection reports whether the text names the API for guards or for masking.
func mentionsProtection(src []byte) bool {
	return mentionsGuards(src) || mentions(src, "ext.redact")
}

// isDisabled reports whether e was found to be disabled.
func (s *survey) isDisabled(e *entry) bool {
	return slices.ContainsFunc(s.disabled,
		func(d disabledScript) bool { return d.path == e.at.path })
}

// disable unloads a script that the user has disabled. Its last good version is kept.
func (b *batch) disable(l *Loader, e *entry) {
	e.settled()
	e.abandon()
	e.disabled = true
	delete(l.entries, e.name)
	b.removed = append(b.removed, e)
}

// switchOff reports whether the manifest of an extension says that it is not to be loaded, for a
// version that does not wait for the user. It lists the extension, and unloads it as if the user
// had deleted its file. An extension that the command line names is loaded anyway.
func (o *off) switchOff(l *Loader, b *batch, e *entry, f *found, c *content) bool {
	if l.builder.format(f.name) == nil || f.source == scriptfile.SourceCLI {
		return false
	}
	header, mistakes := l.builder.header(f.name, c.bytes)
	if len(mistakes) > 0 || !header.Off {
		return false
	}
	b.off = append(b.off, disabledScript{found: f, header: header, hash: c.hash,
		guards: len(header.Guards) > 0, off: true})
	e.settled()
	e.abandon()
	delete(l.entries, e.name)
	known := l.memory.roll.at(f.path) != nil
	if e.gen == nil && e.shadow == nil && !known && l.memory.good.getRecord(f.path) == nil {
		return true
	}
	if e.gen == nil && known {
		b.say(f.name + ": its manifest has switched it off since the last run, so what it " +
			"guarded is NOT GUARDED")
	}
	e.at, e.off = *f, true
	b.removed = append(b.removed, e)
	return true
}

// notes returns what the user must be told again at each start.
func (o *off) notes(s *survey) (out []string) {
	if o.err != nil {
		out = append(out, "the list of disabled scripts cannot be read, so those that are not "+
			"running are enabled: "+plain.Error(o.err))
	}
	var names []string
	for _, d := range s.disabled {
		if d.guards && !d.off {
			names = append(names, d.name)
		}
	}
	if len(names) > 0 {
		out = append(out, fmt.Sprintf("disabled, so what it guards is NOT GUARDED: %s; /scripts "+
			"or agent ext enable NAME enables it", NameSome(names)))
	}
	return out
}

// holdDisabled notes versions of disabled scripts that a tool may have written, so that they wait
// for the user when the script is enabled. Nothing is asked before.
func (r *review) holdDisabled(b *batch, list []disabledScript) {
	quiet := &batch{cause: b.cause, now: b.now, first: b.first}
	for _, d := range list {
		if c := d.read(); c.trouble == nil && d.given == nil {
			e := &entry{name: d.name}
			lib := r.builder.library(d.found, c.bytes)
			e.modules = lib.paths
			c.setLibrary(lib)
			r.hold(quiet, e, d.found, &c)
		}
	}
	b.notices = append(b.notices, quiet.notices...)
}

// Enable stores whether the script at path is to be loaded, and puts that in force before it
// returns.
func (l *Loader) Enable(ctx context.Context, path string, on bool) error {
	i := slices.IndexFunc(l.Scripts(), func(i Info) bool { return i.Path == path })
	if i < 0 {
		return fmt.Errorf("%s: no such script", plain.RevealName(path))
	}
	info := l.Scripts()[i]
	if !mayDisable(info.Source) {
		return fmt.Errorf("%s: it cannot be disabled here (%s)", plain.RevealName(info.Name),
			info.Source)
	}
	_, lasting := l.o.Names[path]
	err := setEnabled(l.off.file, Disabled{info.Name, path, info.Guards, lasting}, on)
	if err != nil {
		return err
	}
	decision := "disable"
	if on {
		decision = "enable"
	}
	l.review.told(Held{Name: info.Name, Path: path, SHA256: info.Hash}, decision)
	l.settle(ctx, batch{cause: "manual"})
	if on && info.Header.Off {
		return fmt.Errorf("%s: its manifest switches it off: change that in %s",
			plain.RevealName(info.Name), plain.RevealName(path))
	}
	return nil
}

// setEnabled stores whether the script d is to be loaded.
func setEnabled(file ledger.File[Disabled], d Disabled, on bool) error {
	if !utf8.ValidString(d.Path) {
		return fmt.Errorf("%s: its name is not valid UTF-8: rename it", plain.RevealName(d.Name))
	}
	return file.Update(func(list []Disabled) []Disabled {
		list = slices.DeleteFunc(list,
			func(x Disabled) bool { return x.Is(Place{d.Name, d.Path, d.Lasting}) })
		if on {
			return list
		}
		return append(list, d)
	})
}

// ListDisabled returns the scripts that are disabled, for a program that shows them without a
// Loader.
func ListDisabled(home string) ([]Disabled, error) { return disabledFile(absolute(home)).Read() }

// SetEnabled stores whether scripts are to be loaded: the next start does that, and running agents
// when they look at their scripts next. A script must exist to be disabled.
func SetEnabled(home string, runtimes []engine.Runtime, on bool, places ...Place) error {
	for _, p := range places {
		if !on && !realpath.Exists(p.Path) {
			return fmt.Errorf("%s: no such file", plain.RevealName(p.Path))
		}
	}
	for _, p := range places {
		d := Disabled{Name: p.Name, Path: absolute(p.Path), Lasting: p.Lasting}
		if b, err := regularfile.Read(d.Path); err == nil {
			header, _ := HeaderOf(runtimes, d.Name, b)
			d.Guards = len(header.Guards) > 0 || mentionsProtection(b) ||
				formatOf(runtimes, d.Name) != nil // nothing tells that it does not guard
		}
		err := setEnabled(disabledFile(absolute(home)), d, on)
		if err != nil {
			return err
		}
	}
	return nil
}
