package protect

import (
	"path"
	"slices"
	"strings"
)

// decides returns why a command decides in the user's place what of a project is trusted; "" = it
// does not. It reads the words of the text: a command that hides them is not found, and only a
// fence around it helps.
func decides(command string) string {
	words := slices.DeleteFunc(strings.FieldsFunc(command, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n;|&()<>'\"`", r)
	}), func(word string) bool { return strings.HasPrefix(word, "-") })
	for i := 0; i+2 < len(words); i++ {
		program := path.Base(strings.ReplaceAll(words[i], `\`, "/"))
		if strings.TrimSuffix(program, ".exe") != "agent" {
			continue
		}
		switch verb, what := words[i+1], words[i+2]; {
		case verb == "trust" && slices.Contains([]string{"add", "never", "revoke"}, what),
			verb == "ext" && slices.Contains([]string{"accept", "dev"}, what):
			return settings + ": agent " + verb + " " + what + " is for you to decide"
		}
	}
	return ""
}
