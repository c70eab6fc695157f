// Package cli holds the table of the program's commands and flags, and what is made of it: the
// commands of cobra, which read the command line, help, the completion of shells, and the manual
// page.
//
// The table says which flags there are and what they are about; the program sets its variables, and
// the commands check their arguments. It is built at each start, and nothing of it before.
package cli

import (
	"slices"
	"strings"
)

// Kind is what a word or the value of a flag is, for completion.
type Kind int

// The kinds. Names of what exists come from a Source.
const (
	Text   Kind = iota // nothing is known about it
	File               // a path
	Script             // a script of the user's, or of the project's
	Disabled
	Trashed // a script in the trash
	Gallery // an example script
	Session
	Model
	Brought // a file of the project that needs trust
	Topic   // a page of the documents
)

// Flag is a flag of a command.
type Flag struct {
	Short string // one letter, or ""
	Name  string
	About string   // with what its value is called in backquotes; without one, it has no value
	Kind  Kind     // of its value
	Words []string // the values that it may have, if they are few
}

// Command is a command of the program.
type Command struct {
	Name  string // its words, such as "ext install"; "" = the agent itself
	Args  string // its arguments, as they are written in help, without its flags
	About string // what it does, in a few words
	More  string // the rest, for its own help; may be ""
	// command lines for its help, one a line; may be ""
	Example string
	Group   string // its heading in the overview
	Flags   []Flag
	Kind    Kind     // of its arguments
	Words   []string // the first argument may be one of these
}

// Named returns the command with a name.
func Named(name string) (Command, bool) {
	all := Commands()
	i := slices.IndexFunc(all, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return all[i], true
}

// Under returns the commands below the one with a name: those of "ext" are "ext list" and so on.
func Under(name string) (list []Command) {
	for _, c := range Commands() {
		if rest, ok := strings.CutPrefix(c.Name, name+" "); ok && !strings.Contains(rest, " ") ||
			name == "" && c.Name != "" && !strings.Contains(c.Name, " ") {
			list = append(list, c)
		}
	}
	return list
}

// Find returns the longest command that words begin with, and the words after it.
func Find(words []string) (Command, []string) {
	root, _ := Named("")
	found, rest := root, words
	for n := 1; n <= min(2, len(words)); n++ {
		if c, ok := Named(strings.Join(words[:n], " ")); ok {
			found, rest = c, words[n:]
		}
	}
	return found, rest
}

const ending = "Exit codes: 0 done, 1 error, 2 usage, 3 --require-scripts, 4 the prompt or a " +
	"call refused (1 wins).\nEnvironment: AGENT_HOME (default ~/.agent)."

// The headings of the commands.
const (
	groupStart  = "start"
	groupState  = "sessions, trust and settings"
	groupKeep   = "scripts: get them, and keep them in order"
	groupWrite  = "scripts: write them, and see what they do"
	groupManual = "help"
)

func groups() []string {
	return []string{groupStart, groupState, groupKeep, groupWrite, groupManual}
}

var (
	jsonFlag = Flag{Name: "json", About: "print lines of JSON"}
	// flags of several commands that install
	installFlags = []Flag{
		{Name: "yes", About: "do not ask; grants must be named with --grant"},
		{Name: "grant", About: "a `GRANT` that --yes may give; repeatable"},
		{Name: "project", About: "the scripts of the project instead of yours"}}
	projectFlag = installFlags[2:]
)

// Commands returns the table.
func Commands() []Command {
	return slices.Concat([]Command{{Name: "", Args: "[prompt]", Group: groupStart,
		About: "a coding agent for the terminal, extended with one-file scripts",
		More: "Without -p and --json it opens the screen, with a first prompt if there is one. " +
			"agent help COMMAND says more about a command, and agent help TOPIC prints a page of " +
			"the documents.\n\n" + ending,
		Example: "agent \"why does the build fail?\"\n" +
			"agent -p \"what changed?\" < notes.txt\n" +
			"agent --json \"list the packages\"",
		Flags: flagsOfAll()}},
		startCommands(), stateCommands(), keepCommands(), writeCommands(), manualCommands())
}

func startCommands() []Command {
	return []Command{
		{Name: "rpc", Group: groupStart,
			About: "serve another program: JSON-RPC 2.0 on stdin and stdout",
			More:  "agent ext help rpc describes the methods."},
		{Name: "acp", Group: groupStart,
			About: "serve an editor: Agent Client Protocol on stdin and stdout",
			More:  "agent ext help acp describes it."},
	}
}

func stateCommands() []Command {
	return []Command{
		{Name: "session", Group: groupState, About: "list, export and copy sessions"},
		{Name: "session list", Flags: []Flag{jsonFlag}, Group: groupState,
			About: "list the sessions of this project"},
		{Name: "session export", Args: "ID [FILE]", Kind: Session, Group: groupState,
			About: "print or write a session as Markdown, or as JSON if FILE ends in .json"},
		{Name: "session copy", Args: "ID", Kind: Session, Group: groupState,
			About: "copy a session into a new one, and print the id of that"},
		{Name: "permissions", Group: groupState, About: "the rules about tool calls"},
		{Name: "permissions list", Group: groupState,
			About: "list the rules about tool calls that apply in this project"},
		{Name: "permissions remove", Args: "N", Group: groupState,
			About: `remove rule N of the list, which the answer "always" stored`},
		{Name: "trust", Flags: []Flag{jsonFlag}, Group: groupState,
			About: "list the project's scripts and settings, and which are trusted"},
		{Name: "trust show", Args: "NAME", Kind: Brought, Group: groupState,
			About: "show the text of NAME, and what has changed since it was trusted"},
		{Name: "trust add", Args: "[NAME...]", Kind: Brought, Group: groupState,
			About: "trust NAME as it is now; without NAME: all of the list"},
		{Name: "trust revoke", Args: "[NAME...]", Kind: Brought, Group: groupState,
			About: "trust NAME no more; without NAME: nothing of the project"},
		{Name: "trust restore", Args: "NAME...", Kind: Brought, Group: groupState,
			About: "put settings of yours back that a tool may have changed"},
		{Name: "trust never", Args: "NAME...", Kind: Brought, Group: groupState,
			About: "do not ask again about NAME as it is now"},
		{Name: "sandbox", Flags: []Flag{jsonFlag}, Group: groupState,
			About: "show what programs may do that the agent runs"},
		{Name: "sandbox run", Args: "PROGRAM [ARGUMENTS]", Kind: File, Group: groupState,
			About: "run a program in the sandbox"},
		{Name: "doctor", Flags: []Flag{jsonFlag}, Group: groupState,
			About: "find problems of this installation, with advice"},
		{Name: "models", Flags: []Flag{jsonFlag}, Group: groupState,
			About: "list the models of all providers, with prices per million tokens"},
	}
}

func manualCommands() []Command {
	return []Command{
		{Name: "help", Args: "[COMMAND | TOPIC]", Kind: Topic, Group: groupManual,
			About: "help on a command, or a page of the documents"},
		{Name: "completion", Args: "SHELL", Words: Shells(), Group: groupManual,
			About: "the completion of bash, zsh, fish or powershell",
			More: "The file is _agent in a folder of $fpath for zsh. In a running bash, " +
				"source <(agent completion bash) does it at once.",
			Example: "agent completion bash > " +
				"~/.local/share/bash-completion/completions/agent\n" +
				"agent completion zsh > _agent\n" +
				"agent completion fish > ~/.config/fish/completions/agent.fish\n" +
				"agent completion powershell >> $PROFILE"},
		{Name: "man", Group: groupManual, About: "the manual page, as man reads it",
			Example: "agent man | man -l -\nagent man > ~/.local/share/man/man1/agent.1"},
	}
}

// flagsOfAll returns the flags of the agent itself, which its commands take as well.
func flagsOfAll() []Flag {
	return []Flag{
		{Short: "p", Name: "print", About: "run one prompt and exit; stdin is added to it"},
		{Name: "json", About: "print every event as one line of JSON; implies -p"},
		{Short: "c", Name: "continue", About: "continue the last session of this project"},
		{Short: "r", Name: "resume", Kind: Session, About: "continue the session `ID`, " +
			"or whose id begins with it; without ID: pick one"},
		{Name: "name", About: "give the session a `NAME`"},
		{Name: "no-sandbox", About: "programs that the agent runs have all your rights"},
		{Name: "fullscreen", About: "take the whole screen of the terminal, as /fullscreen does"},
		{Name: "plain",
			About: "print lines only, for screen readers; the default with TERM=dumb"},
		{Short: "e", Name: "ext", Kind: File,
			About: "load the script `PATH`, or a folder of them; repeatable"},
		{Name: "no-scripts", About: "do not load ~/.agent/scripts; -e still loads"},
		{Name: "require-scripts",
			About: "with -p, --json: exit with 3 if a script is not in force"},
		{Name: "permission",
			About: "permission `MODE`: default, accept-edits, auto, plan or yolo",
			Words: []string{"default", "accept-edits", "auto", "plan", "yolo"}},
		{Name: "yolo", About: "the same as --permission yolo: only guards ask"},
		{Name: "model", Kind: Model,
			About: "use the model `P/ID`, or ID alone; without a key: the offline model"},
		{Name: "thinking", About: "how much the model thinks, a `LEVEL`: off, low, medium or high",
			Words: []string{"off", "low", "medium", "high"}},
		{Name: "limit", Words: []string{"turns=", "cost=", "tokens=", "time="},
			About: "end a prompt after `KIND=N`: turns, cost (US dollars), tokens or time " +
				"(seconds); repeatable"},
		{Name: "set", About: "set an option of a script, `SCRIPT.NAME=VALUE`; repeatable"},
		{Name: "version", About: "print the version"},
	}
}
