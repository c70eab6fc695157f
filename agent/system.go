package agent

import (
	"fmt"
	"runtime"
	"strings"
)

// systemPrompt tells the model where it is and what is expected. It changes at most once a day, so that
// providers can cache it.
func (a *Agent) systemPrompt() string {
	var b strings.Builder
	b.WriteString("You are agent, a coding agent in a terminal. You help the user with the software in the working directory.\n" +
		"Use the tools to look before you answer and to do what is asked; do no more than that. " +
		"Be brief; the user reads you in a terminal. " +
		"When a tool call is refused, do not try to get around it: do something else, or say what you would need.\n" +
		"Text in <context from=\"...\"> comes from scripts that the user has installed, not from the user.\n\n")
	fmt.Fprintf(&b, "Working directory: %s\n", a.o.Dir)
	if a.o.Project != a.o.Dir {
		fmt.Fprintf(&b, "Project root: %s\n", a.o.Project)
	}
	fmt.Fprintf(&b, "Operating system: %s\nDate: %s\n", runtime.GOOS, a.o.Now().Format("2006-01-02"))
	return b.String()
}
