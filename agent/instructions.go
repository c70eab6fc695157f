// This file builds the system prompt from the default text and the files of instructions.

package agent

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/agentscripts/agent/agent/internal/instruct"
	"github.com/agentscripts/agent/agent/internal/report"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/vm"
)

// instructions builds the system prompt of one agent.
type instructions struct {
	dir, project string // as in Options
	system       string
	files        *instruct.Files
	clock        vm.Clock
	skills       func() string // nil = there are none
	report       *report.Reporter
	tools        *toolset

	mu      sync.Mutex
	session string          // in which they were given
	given   map[string]bool // files of instructions that near has returned
}

// systemPrompt describes the environment and the expected behaviour to the model, and includes the
// files' instructions. It changes only when they do and once a day, so that providers can cache it.
func (n *instructions) systemPrompt() string {
	var b strings.Builder
	b.WriteString(n.opening())
	fmt.Fprintf(&b, "\n\nWorking directory: %s\n", n.dir)
	if n.project != n.dir {
		fmt.Fprintf(&b, "Project root: %s\n", n.project)
	}
	fmt.Fprintf(&b, "Operating system: %s\nDate: %s\n", runtime.GOOS,
		n.clock.Now().Format("2006-01-02"))
	for _, t := range n.files.Always() {
		b.WriteString("\n" + headed(t))
	}
	if n.skills != nil && n.tools.allows("skill") {
		if skills := n.skills(); skills != "" {
			b.WriteString("\n" + skills)
		}
	}
	return b.String()
}

// behaviour is the part of the system prompt that every agent gets.
const behaviour = "When a tool call is refused, do not try to get around it: do something else, " +
	"or say what you would need.\n" +
	"Text in <context from=\"...\"> comes from scripts that the user has installed, tells of " +
	"commands in the background, or is what a folder's AGENTS.md or CLAUDE.md says about its " +
	"files; it is not from the user. " +
	"<user_shell> is a command that the user ran, and its output."

// opening returns the beginning of the system prompt, which says what the agent is.
func (n *instructions) opening() string {
	words := "You are agent, a coding agent in a terminal. You help the user with the software " +
		"in the working directory.\n" +
		"Use the tools to look before you answer and to do what is asked; do no more than that. " +
		"Be brief; the user reads you in a terminal. " + behaviour
	if n.system != "" {
		words = n.system
	}
	if k := n.tools.kind.Load(); k != nil && k.system != "" {
		words = k.system + "\n\n" + behaviour
	}
	if n.tools.parent != nil {
		words += "\nYou work for another agent: your last message is all that it gets. The user " +
			"does not read you, and does not answer you."
	}
	return words
}

// near returns the instructions of the folders of the files that calls were about, each once in a
// conversation. What a compaction has removed is given again.
func (n *instructions) near(results []*engine.Result) (out []engine.Context) {
	snapshot := n.report.Engine().Scripts.Snapshot()
	n.mu.Lock()
	defer n.mu.Unlock()
	if id := n.report.Envelope().SessionID; id != n.session {
		n.session, n.given = id, map[string]bool{}
	}
	for _, r := range results {
		t := snapshot.Tool(r.Tool)
		if r.Skipped != "" || r.IsError || t == nil || t.Subject == nil {
			continue
		}
		path := t.Subject.PathIn(r.Args)
		if path == "" {
			continue
		}
		for _, text := range n.files.Near(path) {
			if !n.given[text.Path] {
				n.given[text.Path] = true
				out = append(out, engine.Context{Script: text.Path, Text: headed(text)})
			}
		}
	}
	return out
}

// forget makes near give everything again.
func (n *instructions) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.given = map[string]bool{}
}

// headed returns instructions below the place where they are from.
func headed(t instruct.Text) string {
	from := ""
	if t.From != "" {
		from = ", which " + t.From + " imports"
	}
	return fmt.Sprintf("Instructions from %s%s:\n%s\n", t.Path, from, t.Text)
}
