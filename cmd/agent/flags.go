// This file parses the command line.

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	flag "github.com/spf13/pflag"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/cmd/agent/internal/cli"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

// flags is the parsed command line.
type flags struct {
	print, json, noScripts, require, version, yolo bool
	noSandbox, plain, fullScreen                   bool
	ext                                            []string
	mode                                           string // --permission
	permission                                     event.Permission
	model, thinking                                string
	limits                                         config.Limits
	options                                        []assignment // of scripts, in order
	endLease                                       bool         // of agent ext dev
	session                                        sessionFlags
	author                                         authorFlags
	audit                                          auditFlags
	install                                        installcmd.Options
	// "ext", "session", "permissions", "models", "trust", "sandbox", "doctor", "rpc", "acp",
	// "help", "completion", "man", or ""
	command string
	words   []string // the arguments that are not flags
	help    bool     // on the command
}

// authorFlags are the flags of agent ext new and agent ext add.
type authorFlags struct{ language, kind string }

// sessionFlags select the session.
type sessionFlags struct {
	last   bool   // the project's last one
	resume string // an id or a prefix of one
	pick   bool   // the user chooses
	name   string
}

func (s *sessionFlags) given() bool { return s.last || s.resume != "" || s.pick }

// parseFlags parses a command line without running it. Help is an error.
func parseFlags(args []string) (*flags, error) {
	f, err := &flags{}, error(nil)
	root := f.tree(args, func() error { return nil })
	root.SetHelpFunc(func(*cobra.Command, []string) { err = flag.ErrHelp })
	return f, errors.Join(root.Execute(), err)
}

// tree returns the commands of cobra for a command line. They set the flags, and then do what do
// says.
func (f *flags) tree(args []string, do func() error) *cobra.Command {
	completes := len(args) > 0 && args[0] == cli.Ask
	if !completes {
		args = cli.Normalize(args)
	}
	program := &cli.Program{Set: f.set, Names: existing}
	program.Run = func(c *cobra.Command, words []string) error {
		if err := f.takeWords(c, words); err != nil {
			return err
		}
		return do()
	}
	words, given := cli.Scan(args)
	command := isInstall(args) || isCommand(words, given)
	if command && words[0] == "help" {
		if c, _, ok := cli.Meant(words[1:]); ok {
			args, given["help"] = append(strings.Fields(c.Name), "--help"), true
		}
	}
	f.help = given["help"]
	prompt := !command && !f.help
	if completes { // the last word is not there yet
		before := args[1:max(1, len(args)-1)]
		_, given := cli.Scan(before)
		prompt = given["print"] || slices.Contains(before, "--")
	}
	root := program.New(prompt)
	if completes {
		program.Typed = args[len(args)-1]
		root.SetErr(io.Discard)
	}
	root.SetArgs(args)
	return root
}

// isCommand reports whether the words of a command line are a command, possibly mistyped, not a
// prompt that begins like one.
func isCommand(words []string, given map[string]bool) bool {
	if len(words) == 0 || given["print"] {
		return false
	}
	switch words[0] {
	case "ext":
		return !given["json"] || len(words) > 1 && slices.Contains(extNames(), words[1])
	case "session":
		return true
	case "permissions":
		_, exact := cli.Named(strings.Join(words[:min(len(words), 2)], " "))
		return !given["json"] || len(words) > 1 && exact
	case "rpc", "acp":
		return !given["json"]
	case "models", "doctor":
		return len(words) == 1
	case "trust":
		return isTrust(words)
	case "sandbox":
		return len(words) == 1 || words[1] == "run"
	}
	return isManual(words)
}

// takeWords notes which command was given, with its arguments, and rejects what contradicts itself.
func (f *flags) takeWords(c *cobra.Command, words []string) error {
	if name := strings.Fields(cli.NameOf(c)); len(name) > 0 {
		f.command, f.words = name[0], append(name[1:], words...)
	} else if err := cli.Mistyped(words); err != nil && !f.print && !f.json {
		return err
	} else {
		f.words = words
	}
	if near := cli.Near(words); f.command == "" && f.json && !f.print && len(words) < 4 &&
		strings.Contains(near, " ") {
		return cli.Unknown(words, near)
	}
	if slices.Contains(words, "") && strings.Contains(c.Use, "NAME") {
		return fmt.Errorf("%s: NAME is empty", cli.NameOf(c))
	}
	if f.ownFlagsOnly() {
		if name := cli.Foreign(c); name != "" {
			its := ""
			if names := cli.Listed(c); len(names) > 0 {
				its = "; its flags are " + strings.Join(names, ", ")
			}
			return fmt.Errorf("%s: unknown flag --%s%s", cli.NameOf(c), name, its)
		}
	}
	if err := f.checkModes(); err != nil {
		return err
	}
	if f.session.last && (f.session.resume != "" || f.session.pick) {
		return errors.New("--continue and --resume contradict each other")
	}
	return f.setPermission()
}

// ownFlagsOnly reports whether the command does nothing with the flags of the agent.
func (f *flags) ownFlagsOnly() bool {
	return slices.Contains([]string{"session", "man", "permissions"}, f.command) ||
		f.command == "trust" && !f.json ||
		isInstall(append([]string{f.command}, f.words...))
}

// unknownCommand returns the error about a second word that no command has.
func (f *flags) unknownCommand() error {
	words := append([]string{f.command}, f.words...)
	return cli.Unknown(words, cli.Near(words))
}

// set sets a flag.
func (f *flags) set(name, text string) error {
	if text == "" && slices.Contains([]string{"ext", "model", "permission"}, name) {
		return fmt.Errorf("--%s needs a value", name)
	}
	if to := f.switches()[name]; to != nil {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("got %.80q, want true, false or no value", text)
		}
		*to = on
		return nil
	}
	switch name {
	case "ext":
		f.ext = append(f.ext, text)
	case "resume":
		f.session.resume, f.session.pick = text, text == ""
	case "name":
		f.session.name = text
	case "thinking":
		f.thinking = text
		return config.CheckThinking(text)
	case "limit":
		return f.limits.Parse(text)
	case "set":
		return f.addSet(text)
	case "permission":
		f.mode = text
	case "model":
		f.model = text
	case "script":
		f.audit.script = text
	case "since":
		f.audit.since = text
	case "lua", "js", "ts":
		return f.author.setLanguage(name)
	case "kind":
		return f.author.setKind(text)
	default:
		return f.install.Set(name, text)
	}
	return nil
}

// switches returns the flags without a value.
func (f *flags) switches() map[string]*bool {
	return map[string]*bool{"print": &f.print, "json": &f.json, "continue": &f.session.last,
		"no-sandbox": &f.noSandbox, "fullscreen": &f.fullScreen, "plain": &f.plain,
		"no-scripts": &f.noScripts, "require-scripts": &f.require, "yolo": &f.yolo,
		"version": &f.version, "end": &f.endLease, "verify": &f.audit.verify,
		"yes": &f.install.Yes, "strict": &f.install.Strict, "force": &f.install.Force,
		"follow": &f.install.Follow, "check": &f.install.Check, "project": &f.install.Project}
}

// checkModes rejects --require-scripts in modes without a meaningful exit code, and --plain and
// --fullscreen without a screen.
func (f *flags) checkModes() error {
	if f.plain && (f.command != "" || f.print || f.json) {
		return errors.New("--plain is about the screen, which is not shown here")
	}
	if f.fullScreen && (f.command != "" || f.print || f.json || f.plain) {
		return errors.New("--fullscreen is about the screen, which is not shown here")
	}
	if f.require && (f.command != "" || !f.print && !f.json) {
		return errors.New("--require-scripts needs -p or --json")
	}
	return nil
}

// isTrust reports whether the words are agent trust, possibly mistyped, and not a prompt that
// begins like it.
func isTrust(words []string) bool {
	return len(words) == 1 || slices.Contains(trustWords(), words[1]) ||
		len(words) == 2 && suggest.DidYouMean(words[1], trustWords()) != ""
}

// isInstall reports whether the words are a command of package installcmd.
func isInstall(words []string) bool {
	return len(words) > 1 && words[0] == "ext" && slices.Contains(installcmd.Names(), words[1])
}

func (f *flags) setPermission() error {
	mode, yolo := f.mode, f.yolo
	if yolo && mode != "" && mode != string(event.PermissionYolo) {
		return fmt.Errorf("--yolo and --permission %s contradict each other", mode)
	}
	if yolo {
		mode = string(event.PermissionYolo)
	}
	if mode == "" {
		return nil
	}
	names := event.PermissionNames()
	if slices.Contains(names, mode) {
		f.permission = event.Permission(mode)
		return nil
	}
	return fmt.Errorf("--permission: got %.80q, want one of %s%s", mode, strings.Join(names, ", "),
		suggest.DidYouMean(mode, names))
}

// mostOfPath is how many bytes of a path an error shows.
const mostOfPath = 300

// checkPaths rejects a -e that does not exist: a typo would leave out a guard.
func (f *flags) checkPaths() error {
	for _, p := range f.ext {
		if _, err := os.Stat(p); err != nil {
			return fmt.Errorf("-e %s: %w", plain.Line(p, mostOfPath), errors.Unwrap(err))
		}
	}
	return nil
}

// usageError reports a wrong command line. If the error begins with the name of a command, the help
// on that is named.
func usageError(stderr io.Writer, err error) int {
	help := "agent --help"
	about, _, _ := strings.Cut(err.Error(), ":")
	if c, ok := cli.Named(about); ok && about != "" {
		help = "agent help " + c.Name
	}
	fmt.Fprintf(stderr, "%s %s\nTry: %s\n", agentMark(stderr), shownError(err), help)
	return exitUsage
}

// printText prints the requested text. It reports an error if it cannot.
func printText(stdout, stderr io.Writer, text string) int {
	if _, err := fmt.Fprintln(stdout, text); err != nil {
		return unwritten(stderr, err)
	}
	return exitOK
}

// unwritten reports that standard output cannot be written.
func unwritten(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "agent: standard output: %s\n", plain.Error(err))
	return exitError
}
