// Package installcmd implements the commands of agent ext that install scripts from elsewhere, and
// keep what is installed in order.
package installcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/plain"
)

// Command is one run of such a command. All fields are required.
type Command struct {
	In     *share.Installer
	Stdin  io.Reader
	Stdout io.Writer
	// Ask asks a question that one key answers; ok is false if there is nobody to ask.
	Ask func(question string) (yes, ok bool)
	// Copy puts a text on the clipboard, where there is one.
	Copy func(text string)
	// Record notes a decision of the user in the audit log.
	Record func(decision string, fields map[string]any)
	// Disabled returns the files of the disabled scripts, Waiting those with a version that waits.
	Disabled, Waiting func() ([]string, error)
	// Extensions returns the extensions of other hosts.
	Extensions func() ([]share.Status, error)
	// Hosts returns what other hosts have, and UseHosts writes into the settings that it is used;
	// it returns their path.
	Hosts    func() ([]Host, error)
	UseHosts func(names []string) (path string, err error)
	// Managed returns the scripts for all users; Err is set for those that are not used.
	Managed func() ([]share.Status, error)
	// Calls returns, by the names of scripts, in how many of the newest recorded calls each took
	// part.
	Calls func() (map[string]int, error)
	// LogPath returns the path of a script's log.
	LogPath func(file string) string

	Options
}

// Options are the flags of the commands.
type Options struct {
	As, From                                         string
	Only, Grants                                     []string
	Yes, Strict, Force, Follow, Check, JSON, Project bool
}

// Set sets a flag that has a value.
func (o *Options) Set(flag, value string) error {
	switch flag {
	case "as":
		o.As = value
	case "from":
		o.From = value
	case "only":
		o.Only = append(o.Only, value)
	case "grant":
		o.Grants = append(o.Grants, value)
	default:
		return fmt.Errorf("there is no flag --%s", flag)
	}
	return nil
}

// UsageError is the error of a wrong command line.
type UsageError struct{ error }

// Usage returns a UsageError.
func Usage(err error) error { return UsageError{err} }

// verb is a command, and what it does.
type verb struct {
	name string
	run  func(c *Command, ctx context.Context, words []string) error
}

func verbs() []verb {
	return []verb{
		{"import", importHosts},
		{"install", (*Command).install},
		{"list", (*Command).list},
		{"lock", (*Command).lockTeam},
		{"logs", (*Command).logs},
		{"pin", func(c *Command, _ context.Context, words []string) error {
			return c.pin(words, true)
		}},
		{"remove", (*Command).removeScripts},
		{"restore", (*Command).restore},
		{"share", (*Command).share},
		{"sync", (*Command).sync},
		{"unpin", func(c *Command, _ context.Context, words []string) error {
			return c.pin(words, false)
		}},
		{"update", (*Command).updateScripts},
		{"verify", (*Command).verify},
	}
}

// Names returns the names of the commands, in order.
func Names() (names []string) {
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}

// Run runs the command with that name and its arguments.
func (c *Command) Run(ctx context.Context, name string, words []string) error {
	i := slices.IndexFunc(verbs(), func(v verb) bool { return v.name == name })
	if i < 0 {
		return UsageError{fmt.Errorf("unknown command: ext %s", name)}
	}
	_ = c.In.Finish() // what stays unfinished, the next change tells
	fetch, end := c.In.Fetch.Together()
	defer end()
	c.In.Fetch = fetch
	if err := verbs()[i].run(c, ctx, words); err != nil {
		var usage UsageError
		if errors.As(err, &usage) {
			return UsageError{fmt.Errorf("ext %s: %w", name, usage.error)}
		}
		return fmt.Errorf("ext %s: %w", name, err)
	}
	return nil
}

// agree asks whether a script is to be installed. An error means that it is not.
func (c *Command) agree(p *share.Preview) error {
	if err := p.Fails(); err != nil {
		return err
	}
	if c.Yes {
		return c.mayInstall(p)
	}
	return c.askKey("install " + plain.RevealName(p.Name) + "?")
}

// askKey asks a question. An error means that the answer was not yes.
func (c *Command) askKey(question string) error {
	if c.JSON {
		return errors.New("--json asks no question: add --yes")
	}
	yes, ok := c.Ask(question)
	switch {
	case !ok:
		return errors.New("there is no terminal to ask at: --yes asks no question")
	case !yes:
		return errors.New("nothing was changed")
	}
	return nil
}

// mayInstall returns an error if --yes is not enough for a script.
func (c *Command) mayInstall(p *share.Preview) error {
	if p.Hidden() {
		return fmt.Errorf("--yes does not install %s: it has characters that cannot be seen; look "+
			"at it, and install it at a terminal", p.Name)
	}
	if p.Edited && !p.Same && !p.Merged() && !c.Force {
		return fmt.Errorf("--yes does not replace %s, which has your edits: agent ext remove %s "+
			"puts it into the trash first, and --as installs this one under another name", p.Name,
			p.Name)
	}
	missing := p.Wide(c.Grants)
	if len(missing) > 0 {
		return fmt.Errorf("--yes does not grant what %s asks for: add --grant %s", p.Name,
			strings.Join(missing, " --grant "))
	}
	return nil
}

// wants says in a few words what a script asks for.
func wants(grants []string) string {
	if len(grants) == 0 {
		return "no grants"
	}
	return strings.Join(grants, " ")
}

// file returns the file of the script that a word names.
func (c *Command) file(word string) (share.Status, error) {
	all, err := c.In.List()
	if err != nil {
		return share.Status{}, err
	}
	return statusNamed(c, word, all)
}

// fileOrExtension is like file, and also finds extensions of other hosts, by their folders.
func fileOrExtension(c *Command, word string) (share.Status, error) {
	all, err := c.In.List()
	if err != nil {
		return share.Status{}, err
	}
	extensions, err := c.Extensions()
	if err != nil {
		return share.Status{}, err
	}
	return statusNamed(c, word, append(all, extensions...))
}

func statusNamed(c *Command, word string, all []share.Status) (share.Status, error) {
	var names []string
	for _, s := range all {
		names = append(names, s.File)
	}
	file, err := share.WholeName(word, names)
	if err != nil {
		return share.Status{}, err
	}
	i := slices.Index(names, file)
	if i >= 0 {
		return all[i], nil
	}
	forAll, err := c.Managed()
	if err != nil {
		return share.Status{}, err
	}
	if err := ManagedError(word, forAll); err != nil {
		return share.Status{}, err
	}
	return share.Status{}, fmt.Errorf("there is no script %s in %s%s", plain.RevealName(word),
		c.In.Scripts, share.DidYouMean(word, names))
}

// ManagedError is the error of a command about one of the scripts for all users; nil = the word
// names none of them.
func ManagedError(word string, managed []share.Status) error {
	var names []string
	for _, s := range managed {
		names = append(names, s.File)
	}
	file, _ := share.WholeName(word, names)
	i := slices.Index(names, file)
	if i < 0 {
		return nil
	}
	return fmt.Errorf("%s is for all users of this machine, and nobody but root changes it: %s",
		plain.RevealName(file), managed[i].Path)
}
