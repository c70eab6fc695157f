// This file tells what a script is before it is installed.

package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/diff"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lint"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Preview is what the user decides about: these bytes, in this place.
type Preview struct {
	File
	Header   scriptfile.Header
	Wants    []load.Want    // what it may do
	More     []load.Want    // of these, what the installed version may not do
	Findings []lint.Finding // mistakes, and characters that cannot be seen
	Diff     string         // from the installed version; "" if there is none, or it is the same
	Replaces bool           // there is an installed version
	Edited   bool           // that is not the one that was installed: it has edits
	Same     bool           // that has the same bytes
	// Before is the source that the installed version came from, if it is another one; "" = none.
	Before string

	was    string // the hash of what is in its place, "" = nothing
	old    []byte
	locked *Entry // the entry of the lock file that asks for it; nil = it gets a new one
	merged *File  // what it is, with the user's edits; nil = it has none
	team   string // the lock file of others that asks for it; "" = the user does
	syntax error  // with which it does not compile; nil = it does, or nobody has looked
}

// syntaxTime is how long a script may take to be compiled: the largest one takes less.
const syntaxTime = 5 * time.Second

// Preview describes a script that was fetched, without running it.
func (in *Installer) Preview(f File) (*Preview, error) { return in.preview(f, nil) }

func (in *Installer) preview(f File, going []string) (*Preview, error) {
	if err := in.Fetch.CheckName(f.Name); err != nil {
		return nil, err
	}
	if f.Trouble != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, f.Trouble)
	}
	p := &Preview{File: f, Findings: lint.Source(f.Name, f.Text)}
	p.addSyntax(in)
	p.Header, _ = load.ParseHeader(f.Name, f.Text)
	grants := p.Header.Grants
	p.Wants = load.Wants(string(f.Text), grants, grants)
	p.More = p.Wants
	old, err := in.readInPlace(f.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p, in.twin(f.Name, going)
	case err != nil:
		return nil, err
	}
	was := newFile(f.Name, old, f.From, "")
	p.was, p.old, p.Replaces, p.Same = was.SHA256, old, true, was.SHA256 == f.SHA256
	before, _ := load.ParseHeader(f.Name, old)
	p.More = load.Wants(string(f.Text), load.Widened(before.Grants, grants), grants)
	p.Diff = diff.Whole(string(old), string(f.Text))
	list, err := in.Entries()
	if err != nil {
		return nil, err
	}
	e := entryOf(list, f.Name)
	named, _ := past{in}.entries()
	p.Edited = !hasBytes(e, p.was) && !hasBytes(entryOf(named, f.Name), p.was)
	if e != nil && e.Source != f.From.String() {
		p.Before = e.Source
	}
	return p, nil
}

// hasBytes reports whether an entry names the bytes with that hash.
func hasBytes(e *Entry, sum string) bool { return e != nil && e.SHA256 == sum }

// twin reports a script of the same name in another language, or with other capitals: both would be
// loaded, and some systems take the latter for one file. Those that are going do not count.
func (in *Installer) twin(name string, going []string) error {
	list, err := in.Entries()
	if err != nil {
		return err
	}
	var there []string
	for _, e := range list {
		if strings.EqualFold(e.File, name) {
			there = append(there, e.File)
		}
	}
	files, _ := os.ReadDir(in.Scripts)
	for _, d := range files {
		if in.Fetch.isScript(d.Name()) {
			there = append(there, d.Name())
		}
	}
	for _, other := range there {
		if other != name && !slices.Contains(going, other) &&
			strings.EqualFold(withoutEnding(other), withoutEnding(name)) {
			return fmt.Errorf("%s is there already: both would be loaded; remove one, or install "+
				"this one --as another name", plain.RevealName(other))
		}
	}
	return nil
}

func withoutEnding(name string) string { return strings.TrimSuffix(name, path.Ext(name)) }

// Grants returns the grants of the script as its header writes them.
func (p *Preview) Grants() []string { return p.Header.Grants }

// Wide returns the grants that given does not name. Those of an installed version count as given,
// unless it has edits: the user has agreed to them.
func (p *Preview) Wide(given []string) []string {
	if !p.Replaces || p.Edited {
		return missing(p.Header.Grants, given)
	}
	var more []string
	for _, w := range p.More {
		more = append(more, w.Grant)
	}
	return missing(more, given)
}

func missing(grants, given []string) (left []string) {
	for _, g := range grants {
		if !slices.Contains(given, g) {
			left = append(left, g)
		}
	}
	return left
}

// Hidden reports whether the script has characters that cannot be seen, and may mislead its reader.
func (p *Preview) Hidden() bool {
	return slices.ContainsFunc(p.Findings, func(x lint.Finding) bool {
		return x.Rule == "unicode" && x.Level == lint.Error
	})
}

// addSyntax adds what keeps the script from being compiled.
func (p *Preview) addSyntax(in *Installer) {
	if in.Syntax == nil || len(p.mistakes()) > 0 { // the header is read first
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), syntaxTime)
	defer stop()
	p.syntax = in.Syntax(ctx, p.Name, p.File.Text)
	var at *fault.ScriptError
	if errors.As(p.syntax, &at) {
		p.Findings = append(p.Findings, lint.Finding{Line: at.Line, Column: at.Column,
			Level: lint.Error, Rule: "load", Message: at.Message, Hint: at.Hint})
		lint.Sort(p.Findings)
	}
}

// Fails returns why the script cannot be installed, whatever the user says; nil = it may load.
func (p *Preview) Fails() error {
	if bad := p.mistakes(); len(bad) > 0 {
		return &LoadError{p.Name, errors.New(bad[0].Message)}
	}
	if p.syntax != nil {
		return &LoadError{p.Name, p.syntax}
	}
	return nil
}

// mistakes returns the findings that keep the script from loading.
func (p *Preview) mistakes() (list []lint.Finding) {
	for _, x := range p.Findings {
		if x.Level == lint.Error && x.Rule == "header" {
			list = append(list, x)
		}
	}
	return list
}

// offered returns the script as its source offers it.
func (p *Preview) offered() File {
	if p.Merged() {
		return *p.merged
	}
	return p.File
}

// entry is what the lock file will say of the script.
func (p *Preview) entry(in *Installer) Entry {
	f, header := p.offered(), p.Header
	if p.Merged() {
		header, _ = load.ParseHeader(f.Name, f.Text)
	}
	name := header.Name
	if name == f.Name { // its header does not say
		name = withoutEnding(name)
	}
	return Entry{File: f.Name, Name: name, Source: f.From.String(),
		Resolved: f.Resolved, SHA256: f.SHA256, Version: header.Version,
		Grants: slices.Clone(header.Grants), Installed: in.now(), Team: p.team}
}

// asks says what the script may do, and before that, what of it the installed version may not.
func (p *Preview) asks() string {
	all := load.WantsText(p.Wants, false)
	switch {
	case !p.Replaces || len(p.Wants) == 0:
		return all
	case len(p.More) == 0:
		return "it asks for no more than the installed version\n" + all
	case len(p.More) == len(p.Wants):
		return load.WantsText(p.More, true)
	}
	return load.WantsText(p.More, true) + all
}

// mostFindings is how many findings a description lists.
const mostFindings = 20

// Describe describes the script for a person: header, grants, findings, and the difference.
func (p *Preview) Describe() string {
	var b strings.Builder
	title := plain.RevealName(p.Name)
	if p.Header.Version != "" {
		title += " " + plain.RevealName(p.Header.Version)
	}
	fmt.Fprintf(&b, "%s: %s\n", title,
		cmp.Or(plain.RevealLine(p.Header.Summary), "(it says nothing about itself)"))
	fmt.Fprintf(&b, "  from    %s\n", plain.RevealName(p.From.String()))
	if p.Resolved != p.From.At && p.Resolved != p.From.String() {
		fmt.Fprintf(&b, "  that is %s\n", plain.RevealName(p.Resolved))
	}
	fmt.Fprintf(&b, "  sha256  %s\n  size    %s in %s\n", p.SHA256,
		plain.Count(len(p.File.Text), "byte"),
		plain.Count(bytes.Count(bytes.TrimSuffix(p.File.Text, []byte("\n")), []byte("\n"))+1,
			"line"))
	fmt.Fprintf(&b, "%s\n", plain.Text(strings.TrimRight(p.asks(), "\n")))
	for _, x := range p.Findings[:min(len(p.Findings), mostFindings)] {
		x.File = plain.RevealName(p.Name)
		fmt.Fprintf(&b, "%s\n", plain.Text(x.String()))
	}
	if more := len(p.Findings) - mostFindings; more > 0 {
		fmt.Fprintf(&b, "and %s\n", plain.Count(more, "more finding"))
	}
	if p.Before != "" {
		fmt.Fprintf(&b, "the installed version came from %s\n", plain.RevealName(p.Before))
	}
	switch {
	case p.Merged() && p.Same:
		b.WriteString("your version has all that is new already\n")
	case p.Merged():
		fmt.Fprintf(&b, "it is the newer version, sha256 %s, with your edits:\n%s\n",
			p.merged.SHA256, plain.Reveal(strings.TrimRight(p.Diff, "\n")))
	case p.Same:
		b.WriteString("these bytes are installed already\n")
	case p.Replaces:
		b.WriteString("it replaces the installed version")
		if p.Edited {
			b.WriteString(", WHICH HAS YOUR EDITS (they go to the trash)")
		}
		fmt.Fprintf(&b, ":\n%s\n", plain.Reveal(strings.TrimRight(p.Diff, "\n")))
	}
	return strings.TrimRight(b.String(), "\n")
}
