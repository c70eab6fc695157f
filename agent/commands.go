// This file holds the slash commands of the agent itself. They work in every mode.

package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/slash"
)

// CommandInfo describes a slash command of the agent.
type CommandInfo struct {
	Name        string // without the slash
	Hint        string // the syntax of its arguments, "" = it has none
	Description string
	Idle        bool // not while the agent works
}

// Usage returns the command as a person types it.
func (c CommandInfo) Usage() string { return slash.Usage(c.Name, c.Hint, nil) }

// ownCmd is a command of the agent. run returns Markdown for the user, or an error.
type ownCmd struct {
	CommandInfo
	// accepted only as the user typed it: a script must not give itself permissions, or write files
	typed bool
	min   int // least number of words
	max   int // greatest number of words; -1 = the rest of the line is one word
	run   func(a *Agent, ctx context.Context, words []string) (string, error)
}

func ownCommands() []ownCmd {
	return []ownCmd{
		{info("compact", "[INSTRUCTIONS]", "summarise the conversation so far", true), false, 0, -1,
			compactCmd},
		{info("new", "", "end this session and start an empty one", true), false, 0, 0,
			newCmd("new")},
		{info("clear", "", "the same as /new", true), false, 0, 0, newCmd("clear")},
		{info("resume", "[ID]", "resume an earlier session; without ID: list them", true),
			false, 0, 1, resumeCmd},
		{info("fork", "[ENTRY [before]]",
			"continue after or before an earlier entry; without ENTRY: list them", true), false,
			0, 2, forkCmd},
		{info("name", "TEXT", "name the session", false), false, 1, -1, nameCmd},
		{info("label", "ENTRY TEXT", "label an entry", false), false, 2, 2, labelCmd},
		{info("export", "[FILE]", "write the session to a file: .md or .json", false), true, 0, -1,
			exportCmd},
		{info("model", "[PROVIDER/ID]", "change the model; without an argument: list them", false),
			false, 0, 1, modelCmd},
		{info("thinking", "[LEVEL]", "set how much the model thinks", false), false, 0, 1,
			thinkingCmd},
		{info("permission", "[MODE]", "change the permission mode", false), true, 0, 1,
			permissionCmd},
		{info("permissions", "[remove N]",
			"list the rules about tool calls, or remove a stored one", false), true, 0, 2,
			rulesCmd},
		{info("agent", "[NAME]", "switch to a kind of agent, or main; without NAME: list them",
			false), true, 0, 1, agentCmd},
		{info("session", "", "show details of this session", false), false, 0, 0, sessionCmd},
		{info("why", "[CALL]", "who decided about a tool call, and why; without CALL: the last one",
			false), true, 0, 1, whyCmd},
		{info("stop", "", "stop after the running tool calls have finished", false), false, 0, 0,
			stopCmd},
	}
}

func info(name, args, description string, idle bool) CommandInfo {
	return CommandInfo{Name: name, Hint: args, Description: description, Idle: idle}
}

// Commands lists the agent's own slash commands. Scripts cannot use their names.
func Commands() []CommandInfo {
	var out []CommandInfo
	for _, c := range ownCommands() {
		out = append(out, c.CommandInfo)
	}
	return out
}

// Refresh looks for new slash commands in files. Call it before listing the engine's commands.
func (a *Agent) Refresh() {
	if a.o.Refresh != nil {
		a.o.Refresh()
	}
}

func ownCommand(name string) *ownCmd {
	cmds := ownCommands()
	if i := slices.IndexFunc(cmds, func(c ownCmd) bool { return c.Name == name }); i >= 0 {
		return &cmds[i]
	}
	return nil
}

// answer runs the command for a.
func (c *ownCmd) answer(ctx context.Context, a *Agent, rest string, typed bool) *End {
	text, err := c.try(ctx, a, rest, typed)
	switch {
	case ctx.Err() != nil:
		return &End{Status: Cancelled}
	case err != nil:
		a.report.Fail("command", "/"+c.Name+": "+plain.Error(err), false)
		return failed(plain.Error(err))
	case text != "":
		a.engine.Notices.Say(a.Envelope(), "agent", text)
	}
	return &End{Status: Handled}
}

func (c *ownCmd) try(ctx context.Context, a *Agent, rest string, typed bool) (string, error) {
	words := c.words(rest)
	switch {
	case a.parent != nil:
		return "", fmt.Errorf("a sub-agent has no commands")
	case c.typed && !typed:
		return "", fmt.Errorf("only the user can do that")
	case len(words) < c.min:
		return "", fmt.Errorf("usage: %s", c.Usage())
	case c.max >= 0 && len(words) > c.max:
		return "", fmt.Errorf("too many words; usage: %s", c.Usage())
	case c.Idle && a.token.taken():
		return "", fmt.Errorf("busy: the agent is at work; wait for it, or press Esc")
	}
	return c.run(a, ctx, words)
}

// words splits the rest of the line; the last word gets the remaining text if the command takes a
// text.
func (c *ownCmd) words(rest string) []string {
	switch {
	case rest == "":
		return nil
	case c.max < 0:
		return []string{rest}
	case c.Name == "label":
		entry := strings.Fields(rest)[0]
		if text := strings.TrimSpace(rest[len(entry):]); text != "" {
			return []string{entry, text}
		}
		return []string{entry}
	}
	return strings.Fields(rest)
}

func word(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}

// changeSetting changes a setting. It returns what the command says if it was as it is before: a
// change is an event, which is shown already.
func changeSetting(a *Agent, to service.Settings, shown func() string) (string, error) {
	before := shown()
	if err := a.Set(to, "user"); err != nil || shown() != before {
		return "", err
	}
	return before, nil
}

func modelCmd(a *Agent, _ context.Context, words []string) (string, error) {
	current := func() string { return "Model: `" + a.Model() + "`\n" }
	if len(words) > 0 {
		return changeSetting(a, service.Settings{Model: words[0]}, current)
	}
	var b strings.Builder
	b.WriteString(current())
	for _, m := range a.Catalog().List() {
		fmt.Fprintf(&b, "- `%s/%s`\n", m.Provider, m.ID)
	}
	return b.String(), nil
}

func thinkingCmd(a *Agent, _ context.Context, words []string) (string, error) {
	current := func() string {
		return "Thinking: " + cmp.Or(a.settings.Level(), "the model's default") + " (" +
			strings.Join(chat.ThinkingLevels(), ", ") + ")"
	}
	if len(words) > 0 {
		return changeSetting(a, service.Settings{Thinking: words[0]}, current)
	}
	return current(), nil
}

func permissionCmd(a *Agent, _ context.Context, words []string) (string, error) {
	current := func() string {
		return fmt.Sprintf("Permission mode: %s (%s)", a.report.Permission(),
			strings.Join(event.PermissionNames(), ", "))
	}
	if len(words) > 0 {
		return changeSetting(a, service.Settings{Permission: event.Permission(words[0])}, current)
	}
	return current(), nil
}

// StandingRules are rules that the user can list and remove: see package permission.
type StandingRules interface {
	engine.Rules
	Markdown() string
	// Remove removes the stored rule with that number in Markdown's list, and returns it.
	Remove(n int) (rule string, err error)
}

func rulesCmd(a *Agent, _ context.Context, words []string) (string, error) {
	rules, ok := a.o.Rules.(StandingRules)
	switch {
	case !ok:
		return "", errors.New("there are no rules here")
	case len(words) == 0:
		return rules.Markdown(), nil
	}
	n, err := strconv.Atoi(word(words, 1))
	if words[0] != "remove" || err != nil {
		return "", errors.New("usage: /permissions, or /permissions remove N")
	}
	rule, err := rules.Remove(n)
	if err != nil {
		return "", err
	}
	return "Removed: `" + rule + "`", nil
}

func agentCmd(a *Agent, _ context.Context, words []string) (string, error) {
	if len(words) == 0 {
		return a.tools.kinds.markdown(), nil
	}
	if err := a.handoff.to(words[0]); err != nil {
		return "", err
	}
	return "Agent: `" + a.Envelope().Agent + "`, model `" + a.Model() + "`", nil
}

// Kinds returns the arguments of /agent, with descriptions.
func (a *Agent) Kinds() []slash.Completion {
	out := []slash.Completion{{Value: mainKind, Description: usualAgent}}
	for _, k := range a.tools.kinds.list() {
		out = append(out, slash.Completion{Value: k.name, Description: k.description})
	}
	return out
}

func whyCmd(a *Agent, _ context.Context, words []string) (string, error) {
	text, err := a.Why(word(words, 0))
	if err != nil {
		return "", err
	}
	return plain.Fenced("text", text), nil
}

// Why says in words who decided about a tool call, and why, from the audit log: about the last call
// of the session if call is empty, else about the one with that id, or with an id that begins so.
// Calls of the session have priority over those of others.
func (a *Agent) Why(call string) (string, error) {
	as := a.shared.main.assembly
	if as == nil || as.audit == nil {
		return "", errors.New("there is no audit log here")
	}
	if err := as.audit.Flush(); err != nil {
		return "", err
	}
	dir := audit.Dir(a.o.Home)
	r, err := audit.Find(dir, call, a.Envelope().SessionID)
	if err != nil && call != "" {
		r, err = audit.Find(dir, call, "") // the session may be a fork
	}
	if err != nil {
		return "", err
	}
	text, err := audit.Why(dir, r)
	return as.engine.Mask.Text(text), err
}

func stopCmd(a *Agent, _ context.Context, _ []string) (string, error) {
	if !a.token.taken() {
		return "", fmt.Errorf("nothing is worked on")
	}
	a.Interrupt("graceful")
	return "", nil
}
