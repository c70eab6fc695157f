// This file implements agent trust: what the project brings, and whether the user trusts it; and
// refuses decisions that a running tool may have made in the user's name.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/program"
	"github.com/agentscripts/agent/agent/share"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/protect"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/tui/terminal"
)

// trustWords returns the words that may follow agent trust.
func trustWords() []string { return []string{"add", "never", "restore", "revoke", "show"} }

func runTrust(f *flags, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	verb, args := "", f.words
	if len(args) > 0 {
		verb, args = args[0], args[1:]
	}
	if verb != "" && !slices.Contains(trustWords(), verb) {
		return usageError(stderr, f.unknownCommand())
	}
	p := at.project()
	b := p.Look()
	for _, note := range b.Notes {
		fmt.Fprintf(stderr, "agent: %s\n", plain.Text(note))
	}
	switch {
	case b.Err == nil:
	case len(b.Settings) == 0:
		return failure(stderr, b.Err)
	default: // what waits may be the reason, and the user can decide about it
		fmt.Fprintf(stderr, "agent: %s\n", plain.Error(b.Err))
	}
	if b.SettingsErr != nil {
		fmt.Fprintf(stderr, "agent: settings: %s\n", plain.Error(b.SettingsErr))
	}
	items, err := chosen(b, verb, args)
	all := verb == "revoke" && len(args) == 0
	if err != nil {
		return usageError(stderr, fmt.Errorf("trust %s: %w", verb, err))
	}
	switch verb {
	case "":
		return printBrought(f, b, stdout, stderr)
	case "show":
		return printItems(f, items, stdout, stderr)
	}
	if err := decide(p, verb, items, all); err != nil {
		return failure(stderr, fmt.Errorf("trust %s: %w", verb, err))
	}
	if f.json {
		return printBrought(f, p.Look(), stdout, stderr)
	}
	return printText(stdout, stderr, decided(verb, items))
}

// chosen returns the items that the arguments of agent trust VERB name.
func chosen(b *program.Brought, verb string, args []string) ([]*program.Item, error) {
	var items []*program.Item
	var names []string
	known := append(b.Settings, b.Items...)
	for _, i := range known {
		names = append(names, i.Name)
	}
	for _, arg := range args {
		arg, err := share.WholeName(arg, names)
		if err != nil {
			return nil, err
		}
		n := slices.IndexFunc(known,
			func(i *program.Item) bool { return i.Name == arg || i.Path == arg })
		switch {
		case n >= 0:
		case load.IsSetting(arg):
			return nil, fmt.Errorf("nothing waits of %s", plain.RevealName(arg))
		default:
			return nil, fmt.Errorf("the project brings no %q%s; agent trust lists what it brings",
				plain.Line(arg, toolShown), suggest.DidYouMean(arg, names))
		}
		items = append(items, known[n])
	}
	switch {
	case len(args) > 0:
	case verb == "restore":
		return nil, wantSettings(b.Settings)
	case verb == "never" || verb == "show":
		return nil, errors.New("want NAME; the project brings: " + load.NameSome(names))
	case verb == "add":
		items = b.Addable()
		for _, i := range b.Items {
			if len(items) == 0 && i.Problem != "" {
				return nil, fmt.Errorf("%s cannot be trusted: %s", i.Name, i.Problem)
			}
		}
	case verb == "revoke":
		items = b.Items
	}
	return items, nil
}

// wantSettings is the error of agent trust restore without a name.
func wantSettings(items []*program.Item) error {
	var names []string
	for _, i := range items {
		names = append(names, i.Name)
	}
	if len(names) == 0 {
		return errors.New("none of your settings wait, so there is nothing to put back")
	}
	return errors.New("want NAME; of your settings, these wait: " + load.NameSome(names))
}

// decide stores a decision about items; all says that it is about the whole project.
func decide(p *program.Project, verb string, items []*program.Item, all bool) error {
	if all { // a file may be missing or broken, and come back
		if err := p.RevokeFiles(); err != nil {
			return err
		}
	}
	if len(items) == 0 {
		return nil
	}
	return p.Decide(map[string]program.Decision{"add": program.DecideTrust,
		"never": program.DecideNever, "revoke": program.DecideRevoke,
		"restore": program.DecideRestore}[verb], items...)
}

// decided says what was decided.
func decided(verb string, items []*program.Item) string {
	var all, next, now, rest []string // settings that are in force later and at once, and the rest
	for _, i := range items {
		all = append(all, i.Name)
		switch {
		case i.Kind != program.KindSettings:
			rest = append(rest, i.Name)
		case strings.HasSuffix(i.Name, ".json"): // stored rules and trust
			now = append(now, i.Name)
		default:
			next = append(next, i.Name)
		}
	}
	list := load.NameSome(all)
	switch {
	case verb == "revoke" && len(items) == 0:
		return "nothing of this project is trusted"
	case len(items) == 0:
		return "there is nothing to trust"
	case verb == "add":
		var lines []string
		add := func(what string, names []string) {
			if len(names) > 0 {
				lines = append(lines, what+": "+load.NameSome(names))
			}
		}
		add("trusted", rest)
		add("in force from the next start", next)
		add("in force at once", now)
		return strings.Join(lines, "\n")
	case verb == "restore":
		return "put back: " + list
	case verb == "never":
		return "not asked about again: " + list
	}
	return "not trusted any more: " + list
}

// printBrought prints everything that the project brings.
func printBrought(f *flags, b *program.Brought, stdout, stderr io.Writer) int {
	if f.json {
		return printJSON(stdout, stderr, map[string]any{"root": b.Root, "items": jsonItems(b.Items),
			"settings": jsonItems(b.Settings),
			"texts":    append([]string{}, b.Texts...),
			"others":   append([]string{}, b.Others...)})
	}
	switch {
	case len(b.Settings)+len(b.Items)+len(b.Texts)+len(b.Others) > 0:
	case b.SettingsErr != nil: // it has been printed
		return exitError
	default:
		return printText(stdout, stderr, "this project asks for nothing")
	}
	text := b.Describe()
	if n := len(b.Waiting()); n > 0 {
		text += "\nagent trust show NAME shows it, agent trust add [NAME...] trusts these bytes, " +
			"agent trust never NAME does not ask again"
	}
	return printText(stdout, stderr, text)
}

// printItems prints the text of each item, or the difference to the trusted version.
func printItems(f *flags, items []*program.Item, stdout, stderr io.Writer) int {
	if f.json {
		list := jsonItems(items)
		for n, i := range items {
			list[n]["text"], list[n]["diff"] = i.Text, i.Diff()
		}
		return printJSON(stdout, stderr, map[string]any{"items": list})
	}
	for _, i := range items {
		if code := printText(stdout, stderr, i.Describe()+"\n\n"+
			strings.TrimRight(i.Show(), "\n")); code != exitOK {
			return code
		}
	}
	return exitOK
}

func jsonItems(items []*program.Item) []map[string]any {
	list := []map[string]any{}
	for _, i := range items {
		list = append(list, map[string]any{"name": i.Name, "kind": i.Kind, "path": i.Path,
			"state": i.Standing, "sha256": i.SHA256, "problem": i.Problem,
			"size": len(i.Text), "lines": strings.Count(i.Text, "\n"),
			"grants":  append([]load.Want{}, i.Wants...),
			"modules": append([]string{}, i.Modules...)})
	}
	return list
}

func printJSON(stdout, stderr io.Writer, v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return failure(stderr, err)
	}
	return printText(stdout, stderr, string(b))
}

// mayDecide returns an error if the command decides what may run while a tool of an agent is
// running, and was not entered at a terminal of the user: the tool may have started it.
func mayDecide(f *flags, stdin io.Reader) error {
	switch {
	case len(f.words) < 1 || !protect.Decides(f.command, f.words[0]):
		return nil
	case f.words[0] == "disable" && len(f.words) == 1: // a list
		return nil
	}
	at, err := place{}.withDefaults()
	switch {
	case err != nil: // an unknown home is an error later
		return nil
	case terminal.IsTerminal(stdin) && !load.StartedByTool(at.home):
		return nil
	case !load.ToolAtWork(at.home):
		return nil
	}
	return fmt.Errorf("%s %s: a tool of an agent is at work, which may have started this: enter "+
		"it at a terminal of your own, or when the tool has ended", f.command, f.words[0])
}

// mayStart returns an error if a tool of an agent has started a program that asks questions, or one
// without the user's scripts: the tool would answer the questions itself, through rpc, acp or a
// terminal that it has made, and no guard would see what the program does.
func mayStart(f *flags) error {
	asks := f.command == "rpc" || f.command == "acp" || f.command == "" && !f.print && !f.json
	if f.command != "" && !asks || !asks && !f.noScripts {
		return nil
	}
	at, err := place{}.withDefaults()
	switch {
	case err != nil || !load.StartedByTool(at.home):
		return nil
	case asks:
		return errors.New("a tool of an agent has started this, and would answer its questions, " +
			"which only you may do: use -p or --json, or another AGENT_HOME")
	}
	return errors.New("a tool of an agent has started this: your scripts must be in force in it, " +
		"too, so --no-scripts is for you alone")
}
