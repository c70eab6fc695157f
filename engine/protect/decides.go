package protect

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/shell"
)

// decisions are the commands of the agent with which a user decides what runs.
var decisions = [][2]string{{"trust", "add"}, {"trust", "never"}, {"trust", "revoke"},
	{"trust", "restore"},
	{"ext", "accept"}, {"ext", "dev"}, {"ext", "disable"}, {"ext", "enable"}, {"ext", "forget"},
	{"ext", "import"}, {"ext", "install"}, {"ext", "pin"}, {"ext", "remove"}, {"ext", "restore"},
	{"ext", "sync"}, {"ext", "unpin"}, {"ext", "update"}}

// Decides reports whether a user decides with this command of the agent what runs.
func Decides(command, sub string) bool {
	return slices.Contains(decisions, [2]string{command, sub})
}

// decides returns why a command decides in the user's place what runs; "" = it does not. It reads
// the words of the text, and the commands that the text runs, as far as they are known. A program
// that does the same is not found, but the agent refuses that while a tool runs.
func decides(command string) string {
	words := withoutFlags(strings.FieldsFunc(command, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|&()<>'\"`", r)
	}))
	for i, word := range words {
		if why := decision(words[i+1:]); why != "" && isAgent(word) {
			return why
		}
	}
	for _, c := range shell.Parse(command).Commands {
		why := ""
		switch {
		case len(c.Argv) == 0:
		case !c.Static[0]: // it may be the agent
			why = decision(withoutFlags(c.Argv[1:]))
		case isAgent(c.Name):
			why = laterDecision(c.Argv[1:], c.Static[1:])
		}
		if why != "" {
			return why
		}
	}
	return ""
}

func isAgent(program string) bool {
	program = path.Base(strings.ReplaceAll(program, `\`, "/"))
	return strings.TrimSuffix(program, ".exe") == "agent"
}

func withoutFlags(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words),
		func(word string) bool { return strings.HasPrefix(word, "-") })
}

// decision returns why words decide that begin with a command of the agent.
func decision(words []string) string {
	if len(words) < 2 || !Decides(words[0], words[1]) {
		return ""
	}
	return settings + ": agent " + words[0] + " " + words[1] + " is for you to decide"
}

// laterDecision returns why the arguments of the agent decide, wherever their command is among
// flags with values; static says which arguments are known.
func laterDecision(args []string, static []bool) string {
	for i := range args {
		for j := i + 1; j < len(args); j++ {
			for _, d := range decisions {
				if (static[i] || static[j]) && (!static[i] || args[i] == d[0]) &&
					(!static[j] || args[j] == d[1]) {
					return decision(d[:])
				}
			}
		}
	}
	return ""
}
