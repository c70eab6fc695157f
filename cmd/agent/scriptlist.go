// This file lists the scripts for the panel of /scripts, and implements /ext.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/shell"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui"
)

// scripts lists the scripts, except those of the program itself that work.
func (s *screen) scripts() []tui.Script {
	snap := s.app.engine.Scripts.Snapshot()
	out := []tui.Script{}
	for _, i := range s.app.agent.Scripts() {
		if i.Source == scriptfile.SourceBuiltin && i.State == load.StateOK {
			continue
		}
		var g *engine.Generation
		for _, x := range snap.Generations {
			if i.Generation > 0 && x.Number == i.Generation {
				g = x
			}
		}
		out = append(out, scriptOf(i, g, s.app.engine.Mask.Text))
	}
	return out
}

// registered says what a version of a script has registered.
func (s *screen) registered(path string, generation int) tui.Registered {
	for _, g := range s.app.engine.Scripts.Snapshot().Generations {
		if g.Path == path && g.Number == generation {
			return registeredBy(g, s.app.engine.Mask.Text)
		}
	}
	return tui.Registered{}
}

// registeredBy says what g has registered. mask masks secrets.
func registeredBy(g *engine.Generation, mask func(string) string) tui.Registered {
	out := tui.Registered{Commands: len(g.Registry.Commands), Tools: len(g.Registry.Tools),
		Masks: len(g.Registry.Redactors)}
	for _, h := range g.Registry.Handlers {
		if load.IsGuard(h) {
			out.Guards = append(out.Guards, mask(guarded(h)))
		}
	}
	return out
}

// guarded names what a guard guards.
func guarded(h *engine.Handler) string {
	if tools := h.Filter.Tools(); len(tools) > 0 {
		return strings.Join(tools, ", ")
	}
	if writes, reads, only := h.Filter.OnlyPaths(); only {
		switch {
		case reads == "":
			return "writing " + writes
		case writes == "":
			return "reading " + reads
		}
		return "writing " + writes + ", reading " + reads
	}
	return cmp.Or(h.Filter.String(), "any tool")
}

// scriptOf describes a script; g is its version in force, nil if there is none. mask masks secrets.
func scriptOf(i load.Info, g *engine.Generation, mask func(string) string) tui.Script {
	out := tui.Script{Name: i.Name, Path: i.Path, Source: i.Source.String(),
		Summary: mask(i.Header.Summary), State: stateOf(i, g), Guards: i.Guards,
		Fixed: i.Source != scriptfile.SourceUser && i.Source != scriptfile.SourceProject &&
			i.Source != scriptfile.SourceForeign}
	for _, n := range i.Notes {
		out.Notes = append(out.Notes, mask(n))
	}
	if i.Error != nil {
		out.Problem, out.Line = mask(i.Error.Detail()), i.Error.Line
	}
	text := ""
	if g != nil {
		text = string(g.Bytes)
		u := g.Usage()
		out.Since, out.Calls, out.Errors = i.LoadedAt, u.Calls, u.Errors
		out.P50, out.P99 = u.P50, u.P99
		for _, h := range g.Registry.Handlers {
			out.Handlers = append(out.Handlers, tui.ScriptPart{Line: h.Line, Broken: h.Broken(),
				Text: strings.TrimSpace(h.Label() + " " + strings.Join(h.Filter.Tools(), "|"))})
		}
		for _, r := range g.Registry.Redactors {
			out.Handlers = append(out.Handlers, tui.ScriptPart{Line: r.Line,
				Text: "redact " + plain.RevealName(r.Name)})
		}
		for _, k := range g.Registry.KeyTakers {
			out.Handlers = append(out.Handlers, tui.ScriptPart{Line: k.Line, Broken: !k.Works(),
				Text: "keys: takes the editor's keys first"})
		}
		for _, c := range g.Registry.Commands {
			out.Commands = append(out.Commands, c.Name)
		}
		for _, t := range g.Registry.Tools {
			out.Tools = append(out.Tools, t.Name)
		}
	}
	for _, w := range load.Wants(text, i.Header.Grants, i.Header.Grants) {
		out.Grants = append(out.Grants, w.String())
	}
	return out
}

// stateOf returns the state of a script in words.
func stateOf(i load.Info, g *engine.Generation) tui.ScriptState {
	if i.Error != nil && i.Error.Waits {
		return tui.ScriptWaiting
	}
	switch i.State {
	case load.StateDisabled:
		return tui.ScriptDisabled
	case load.StateReplaced:
		return tui.ScriptReplaced
	case load.StateUntrusted, load.StateChanged:
		if i.Waits {
			return tui.ScriptWaiting
		}
		if i.State == load.StateUntrusted {
			return tui.ScriptUntrusted
		}
		return tui.ScriptKept
	case load.StateFailed:
		return tui.ScriptFailed
	}
	if g != nil && slices.ContainsFunc(g.Registry.Handlers, (*engine.Handler).Broken) {
		return tui.ScriptBroken
	}
	if i.State == load.StateOK {
		return tui.ScriptLive
	}
	return tui.ScriptKept
}

const (
	// decisionsShown is how many decisions an unfolded script shows.
	decisionsShown = 5
	// logShown is how many bytes of the end of a script's log are shown.
	logShown = 32 << 10
)

// extHere lists the commands of agent ext that the screen has as well, besides those that install.
func extHere() []string { return []string{"bench", "disable", "doctor", "enable", "help"} }

// ext implements /ext COMMAND...: a command of agent ext, which asks in a dialog.
func (s *screen) ext(line string) {
	var out bytes.Buffer
	words, err := extWords(line, s.app.at.user)
	if err == nil {
		err = s.runExt(words, &out)
	}
	if text := strings.TrimSpace(out.String()); text != "" {
		s.app.engine.Notices.Say(nil, "agent", "```\n"+text+"\n```")
	}
	if err != nil {
		s.app.engine.Notices.Notify(nil, "agent", ui.Notice{Text: plain.Error(err),
			Level: "error"})
	}
}

// extWords splits what is typed after /ext into words, as a shell would. ~ is home, unless that is
// "".
func extWords(line, home string) ([]string, error) {
	words, err := shell.Split(line)
	switch {
	case err != nil:
		return nil, fmt.Errorf("/ext: %w; put a word that has special characters or blanks "+
			"into single quotes", err)
	case len(words) == 0:
		return nil, errors.New("/ext: want a command, such as list")
	}
	for i, w := range words {
		if rest, ok := realpath.CutHome(w); ok && home != "" {
			words[i] = filepath.Join(home, rest)
		}
	}
	return words, nil
}

func (s *screen) runExt(words []string, out *bytes.Buffer) error {
	at := s.app.at
	name, args := words[0], words[1:]
	if slices.Contains(extHere(), name) {
		said := &strings.Builder{}
		switch {
		case name == "bench" && (len(args) < 1 || len(args) > 2):
			return errors.New("ext bench: want NAME, of a script, and optionally the id of a " +
				"SESSION")
		case name == "bench":
			line, err := at.bench(context.Background(), args)
			if err != nil {
				return err
			}
			fmt.Fprintln(out, plain.Text(line.text()))
		case name == "help":
			extHelp(nil, args, out, said)
		case name == "doctor" && len(args) == 0:
			s.doctor(out)
		case name == "doctor":
			return errors.New("ext doctor: want no arguments")
		case len(args) == 0:
			return fmt.Errorf("ext %s: want NAME, of a script; /scripts lists them", name)
		case at.setEnabled(&flags{}, args, name == "enable", out, said) == exitOK:
			s.app.agent.Reload(context.Background())
		}
		if text := plain.FirstLine(strings.TrimPrefix(said.String(), "agent: ")); text != "" {
			return errors.New(text)
		}
		return nil
	}
	if !slices.Contains(installcmd.Names(), name) {
		names := append(extHere(), installcmd.Names()...)
		slices.Sort(names)
		return fmt.Errorf("/ext %s: the screen has %s; agent ext in a shell has more%s", name,
			strings.Join(names, ", "), suggest.DidYouMean(name, names))
	}
	f, err := parseFlags(append([]string{"ext", name}, args...))
	if err != nil {
		return err
	}
	if f.install.Follow {
		return errors.New("/ext logs: -f is for a shell; /scripts follows a log, by the key l")
	}
	log := audit.New(audit.Options{Dir: audit.Dir(at.home)})
	c := at.installCommand(f, log)
	c.Stdin, c.Stdout, c.Copy = strings.NewReader(""), out, func(string) {}
	c.Ask = func(question string) (yes, ok bool) {
		detail := out.String()
		out.Reset()
		yes, err := s.ui.Confirm(context.Background(), &ui.Dialog{Kind: "confirm", Title: question,
			Detail: detail})
		return yes, err == nil
	}
	err = c.Run(context.Background(), name, f.words[1:])
	return errors.Join(err, log.Flush())
}

// scriptPast returns the last decisions of a script, and the end of its log.
func (s *screen) scriptPast(path string, log bool) (past tui.ScriptPast) {
	name := load.NameOf(readers(), path)
	for _, i := range s.app.agent.Scripts() {
		if i.Path == path {
			name = i.Name
		}
	}
	if !log {
		records, err := audit.Read(audit.Dir(s.app.home), audit.Query{Kind: audit.Decision,
			Script: name, Limit: decisionsShown})
		if err != nil {
			past.Decisions = append(past.Decisions, "the audit log: "+plain.Error(err))
		}
		for _, r := range records {
			past.Decisions = append(past.Decisions, s.app.engine.Mask.Text(r.Brief()))
		}
		return past
	}
	text, err := tail(filepath.Join(s.app.home, "logs", scriptfile.LogName(name)), logShown)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		text = plain.Error(err)
	}
	if text != "" {
		past.Log = strings.Split(s.app.engine.Mask.Text(strings.TrimSuffix(text, "\n")), "\n")
	}
	return past
}

// tail returns the last whole lines of a file, in at most size bytes.
func tail(path string, size int64) (string, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	from := max(0, info.Size()-size)
	b, err := io.ReadAll(io.NewSectionReader(f, from, size))
	if from > 0 {
		_, after, _ := strings.Cut(string(b), "\n")
		return after, err
	}
	return string(b), err
}

// editorCommand returns the command of $VISUAL or $EDITOR for a file, at a line if the editor is
// one that takes it.
func editorCommand(path string, line int) (*exec.Cmd, error) {
	words := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR")))
	if len(words) == 0 {
		return nil, errors.New("set $VISUAL or $EDITOR to the editor that you want, such as vim")
	}
	if strings.HasPrefix(path, scriptfile.BuiltinPath) {
		return nil, errors.New("this script is part of the program")
	}
	at := strconv.Itoa(max(1, line))
	switch filepath.Base(words[0]) {
	case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "kak", "micro", "joe", "mg", "ne":
		words = append(words, "+"+at, path)
	case "code", "codium", "cursor":
		words = append(words, "--wait", "--goto", path+":"+at)
	case "hx", "helix", "subl", "zed":
		words = append(words, path+":"+at)
	default:
		words = append(words, path)
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd, nil
}
