// This file parses the command line.

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/cmd/agent/internal/cli"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

// flags is the parsed command line.
type flags struct {
	print, json, noScripts, require, version, help bool
	noSandbox, plain, fullScreen                   bool
	ext                                            []string
	permission                                     event.Permission
	model, thinking                                string
	limits                                         config.Limits
	set                                            []assignment // of script options, in order
	endLease                                       bool         // of agent ext dev
	session                                        sessionFlags
	author                                         authorFlags
	audit                                          auditFlags
	// "ext", "session", "permissions", "models", "trust", "sandbox", "doctor", "rpc", "acp",
	// "help", "completion", "man", or ""
	command string
	words   []string // the arguments that are not flags
}

// authorFlags are the flags of agent ext new and agent ext add.
type authorFlags struct {
	language, kind string
	force          bool
	first          string // one of the given flags; "" = none
}

// sessionFlags select the session.
type sessionFlags struct {
	last   bool   // the project's last one
	resume string // an id or a prefix of one
	pick   bool   // the user chooses
	name   string
}

func (s *sessionFlags) given() bool { return s.last || s.resume != "" || s.pick }

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

func parseFlags(args []string) (*flags, error) {
	f := &flags{}
	var permission string
	var yolo bool
	var err error
	if f.words, err = cli.Parse(f.flagSet(&permission, &yolo), joinResume(args)); err != nil {
		return nil, err
	}
	if len(f.words) > 0 && !f.print && (f.isExt() || f.words[0] == "session" ||
		f.words[0] == "permissions" && !f.json || f.words[0] == "models" && len(f.words) == 1 ||
		f.isTrust() || f.isSandbox() || f.isDoctor() || f.isManual() ||
		(f.words[0] == "rpc" || f.words[0] == "acp") && !f.json) {
		f.command, f.words = f.words[0], f.words[1:]
	} else if err := cli.Mistyped(f.words); err != nil && !f.print && !f.json {
		return nil, err
	}
	if err := errors.Join(f.belongs(f.author.first, "new", "add"),
		f.belongs(f.audit.first, "audit"), f.checkModes()); err != nil {
		return nil, err
	}
	if f.session.last && (f.session.resume != "" || f.session.pick) {
		return nil, errors.New("--continue and --resume contradict each other")
	}
	return f, f.setPermission(permission, yolo)
}

// flagSet returns the flags of all commands except those of installcmd, which has its own.
func (f *flags) flagSet(permission *string, yolo *bool) *flag.FlagSet {
	fs := flag.NewFlagSet("agent", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	for _, name := range []string{"p", "print"} {
		fs.BoolVar(&f.print, name, false, "")
	}
	for _, name := range []string{"e", "ext"} {
		fs.Var((*list)(&f.ext), name, "")
	}
	for _, name := range []string{"h", "help"} {
		fs.BoolVar(&f.help, name, false, "")
	}
	for _, name := range []string{"c", "continue"} {
		fs.BoolVar(&f.session.last, name, false, "")
	}
	for _, name := range resumeFlags {
		fs.Func(name, "", func(id string) error {
			f.session.resume, f.session.pick = id, id == ""
			return nil
		})
	}
	fs.StringVar(&f.session.name, "name", "", "")
	fs.Func("thinking", "", func(s string) error {
		f.thinking = s
		return config.CheckThinking(s)
	})
	fs.Func("limit", "", f.limits.Parse)
	fs.Func("set", "", f.addSet)
	fs.BoolVar(&f.json, "json", false, "")
	fs.BoolVar(&f.noScripts, "no-scripts", false, "")
	f.defineModes(fs)
	fs.StringVar(permission, "permission", "", "")
	fs.BoolVar(yolo, "yolo", false, "")
	fs.StringVar(&f.model, "model", "", "")
	fs.BoolVar(&f.version, "version", false, "")
	f.author.define(fs)
	f.audit.define(fs)
	return fs
}

// belongs rejects a flag of some agent ext commands with any other one; "" means that it was not
// given.
func (f *flags) belongs(flag string, commands ...string) error {
	if flag == "" || f.command == "ext" && len(f.words) > 0 &&
		slices.Contains(commands, f.words[0]) {
		return nil
	}
	return fmt.Errorf("--%s is a flag of agent ext %s", flag,
		strings.Join(commands, " and agent ext "))
}

// defineModes defines the flags that checkModes validates.
func (f *flags) defineModes(fs *flag.FlagSet) {
	fs.BoolVar(&f.require, "require-scripts", false, "")
	fs.BoolVar(&f.plain, "plain", false, "")
	fs.BoolVar(&f.fullScreen, "fullscreen", false, "")
	fs.BoolVar(&f.noSandbox, "no-sandbox", false, "")
	fs.BoolVar(&f.endLease, "end", false, "")
}

// checkModes rejects --require-scripts in modes without a meaningful exit code, --plain and
// --fullscreen without a screen, and --end without its command.
func (f *flags) checkModes() error {
	if f.endLease {
		return f.belongs("end", "dev")
	}
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

// isExt reports whether the words are an agent ext command, not a prompt that begins like one.
func (f *flags) isExt() bool {
	return f.words[0] == "ext" && (!f.json || len(f.words) > 1 &&
		slices.ContainsFunc(extCommands(), func(c extCommand) bool { return c.name == f.words[1] }))
}

// isTrust reports whether the words are agent trust, possibly mistyped, and not a prompt that
// begins like it.
func (f *flags) isTrust() bool {
	return f.words[0] == "trust" && (len(f.words) == 1 ||
		slices.Contains(trustWords(), f.words[1]) ||
		len(f.words) == 2 && suggest.DidYouMean(f.words[1], trustWords()) != "")
}

// resumeFlags take an optional id.
var resumeFlags = [...]string{"r", "resume"}

// joinResume joins -r ID to one word, and turns -r without an ID into one with an empty id: the
// flag package does not support optional values.
func joinResume(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		name := strings.TrimLeft(args[i], "-")
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case name == args[i] || !slices.Contains(resumeFlags[:], name):
			out = append(out, args[i])
		case i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			i++
			out = append(out, "-"+name+"="+args[i])
		default:
			out = append(out, "-"+name+"=")
		}
	}
	return out
}

func (f *flags) setPermission(mode string, yolo bool) error {
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
	return fmt.Errorf("--permission: got %q, want one of %s%s", mode, strings.Join(names, ", "),
		suggest.DidYouMean(mode, names))
}

// checkPaths rejects a -e that does not exist: a typo would leave out a guard.
func (f *flags) checkPaths() error {
	for _, p := range f.ext {
		if _, err := os.Stat(p); err != nil {
			return fmt.Errorf("-e %s: %w", p, errors.Unwrap(err))
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
		fmt.Fprintf(stderr, "agent: standard output: %s\n", plain.Error(err))
		return exitError
	}
	return exitOK
}
