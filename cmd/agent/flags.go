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
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/suggest"
)

const usage = `usage: agent [flags] [prompt]            open the screen, with a first prompt
       agent -p [flags] [prompt]         run one prompt and print the answer; stdin is added to it
       agent --json [flags] [prompt]     the same, every event as one line of JSON
       agent rpc [flags]                 serve another program: JSON-RPC 2.0 on stdin and stdout
       agent acp [flags]                 serve an editor: Agent Client Protocol on stdin and stdout
       agent session list [--json]       the sessions of this project
       agent session export ID [FILE]    a session as Markdown, or as JSON if FILE ends in .json
       agent session copy ID             a new session with all of that one; prints its id
       agent permissions list            the rules about tool calls that apply in this project
       agent permissions remove N        remove a rule that the answer "always" stored
       agent trust [--json]              the project's scripts and settings, and which are trusted
       agent trust show NAME             its text, and what has changed since it was trusted
       agent trust add [NAME...]         trust the bytes of NAME; without NAME: all
       agent trust revoke [NAME...]      revoke that
       agent trust never NAME...         do not ask about these bytes again
       agent sandbox [--json]            what programs may do that the agent runs
       agent sandbox run -- PROGRAM...   run a program in the sandbox
       agent doctor [--json]             find problems of this installation, with advice
       agent models [--json]             the models of all providers, with prices per million tokens
       agent ext emit EVENT [JSON]       run the scripts' handlers of one event
       agent ext run FILE /COMMAND ARGS  run a script's command, without other scripts
       agent ext new NAME [--lua|--js|--ts] [--kind guard|tool|command|status|provider]
                                         create a script from a template
       agent ext list [--json]           your scripts: state, version, grants, where they are from
       agent ext install SOURCE          show a script from a path, URL, gist or git repository, and
                                         install it if you agree
       agent ext update [NAME...]        the same for newer versions of what is installed
       agent ext remove NAME...          remove scripts; agent ext restore NAME brings one back
       agent ext pin NAME...             leave out NAME when others are updated, until ext unpin
       agent ext verify [--json]         compare what is installed with the lock file
       agent ext sync                    install what the lock file has and this machine has not
       agent ext share NAME              a script as a text that others can install from
       agent ext logs NAME [-f]          what a script has written with ext.log
       agent ext gallery                 list example scripts
       agent ext add NAME [--force]      copy one to your scripts (--force: replace a script)
       agent ext accept [NAME...]        show or accept versions of scripts that wait for you
       agent ext disable [NAME...]       do not load scripts, or list those that are disabled
       agent ext enable NAME...          load them again
       agent ext forget NAME             do not report NAME, which you deleted, as missing
       agent ext dev [--end] FILE        load a project's script as you save it, until HEAD moves
       agent ext test [FILE...] [--json]   run the tests of scripts; without FILE: of your scripts
       agent ext check [FILE...] [--json]  find mistakes in scripts without running them
       agent ext why [CALL] [--json]     who decided about a call; without CALL: the last one
       agent ext audit [--script NAME] [--since 1h] [--verify] [--json]
                                         the log of all decisions
       agent ext replay SESSION [--json]  the tool calls that would be decided differently now
       agent ext docs                    the guide for script authors on one page, also for models
       agent ext types                   write type definitions of ext, for editors

flags:
  -p, --print          run one prompt and exit
      --json           print every event as one line of JSON; implies -p
  -c, --continue       continue the last session of this project
  -r, --resume ID      continue a session; ID may be the beginning of an id; without ID: pick one
      --name NAME      name the session
      --no-sandbox     programs that the agent runs have all your rights
      --fullscreen     take the whole screen of the terminal, as /fullscreen does
      --plain          print lines only, for screen readers; the default with TERM=dumb
  -e, --ext PATH       load a script, or a folder of them; repeatable
      --no-scripts     do not load ~/.agent/scripts; -e still loads
      --require-scripts  with -p, --json: exit with 3 if a script is not in force
      --permission M   default, accept-edits, auto, plan or yolo
      --yolo           the same as --permission yolo: only guards ask
      --model P/ID     model to use, or its ID alone; without a key: the offline model
      --thinking L     how much the model thinks: off, low, medium or high
      --limit KIND=N   end a prompt after turns=N, cost=N (US dollars), tokens=N or time=N
                       (seconds); repeatable
      --set S.NAME=V   an option of the script S; repeatable
      --version        print the version
  -h, --help           print this

exit codes: 0 done, 1 error, 2 usage, 3 --require-scripts, 4 the prompt or a call refused (1 wins)
environment: AGENT_HOME (default ~/.agent)`

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
	// "ext", "session", "permissions", "models", "trust", "sandbox", "rpc", "acp", or
	// ""
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
	args = joinResume(args)
	var permission string
	var yolo bool
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
	fs.StringVar(&permission, "permission", "", "")
	fs.BoolVar(&yolo, "yolo", false, "")
	fs.StringVar(&f.model, "model", "", "")
	fs.BoolVar(&f.version, "version", false, "")
	f.author.define(fs)
	f.audit.define(fs)
	for len(args) > 0 { // flags may follow words; after "--" all are words
		if err := fs.Parse(args); err != nil {
			return nil, flagError(fs, err)
		}
		rest := fs.Args()
		if n := len(args) - len(rest); n > 0 && args[n-1] == "--" {
			f.words = append(f.words, rest...)
			break
		}
		if len(rest) == 0 {
			break
		}
		f.words, args = append(f.words, rest[0]), rest[1:]
	}
	if len(f.words) > 0 && !f.print && (f.isExt() || f.words[0] == "session" ||
		f.words[0] == "permissions" && !f.json || f.words[0] == "models" && len(f.words) == 1 ||
		f.isTrust() || f.isSandbox() || f.isDoctor() ||
		(f.words[0] == "rpc" || f.words[0] == "acp") && !f.json) {
		f.command, f.words = f.words[0], f.words[1:]
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

// flagError adds a did-you-mean hint to the flag package's message.
func flagError(fs *flag.FlagSet, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !ok {
		if name, ok := strings.CutPrefix(err.Error(), "flag needs an argument: -"); ok {
			return fmt.Errorf("%s needs a value", dashed(name))
		}
		if _, rest, ok := strings.Cut(err.Error(), "invalid boolean flag "); ok {
			_, why, _ := strings.Cut(rest, ": ")
			return errors.New(why)
		}
		if rest, ok := strings.CutPrefix(err.Error(), "invalid boolean value "); ok {
			value, rest, _ := strings.Cut(rest, " for -")
			name, _, _ := strings.Cut(rest, ":")
			return fmt.Errorf("%s: got %s, want true, false or no value", dashed(name), value)
		}
		if _, rest, ok := strings.Cut(err.Error(), " for flag -"); ok {
			return errors.New("--" + rest)
		}
		return err
	}
	var names []string
	fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return fmt.Errorf("unknown flag --%s%s", strings.TrimPrefix(name, "-"),
		suggest.DidYouMean(strings.TrimPrefix(name, "-"), names))
}

// dashed returns a flag as it is written on the command line.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func usageError(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "agent: %s\nTry: agent --help\n", plain.Error(err))
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
