// This file lists what the user picks from: sessions, prompts, models, levels and modes.

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui"
)

// pickers maps the agent's commands that offer a list when they are sent without arguments to the
// titles of their lists.
var pickers = map[string]string{
	"resume":     "Resume a session",
	"fork":       "Go back to before a prompt and edit it",
	"model":      "Choose a model",
	"thinking":   "Choose how much the model thinks",
	"permission": "Permission mode",
}

// sessionsOffered is the largest number of sessions offered: a project's last few weeks.
const sessionsOffered = 200

// choices lists the possible arguments of a command. It reports errors to the user.
func (s *screen) choices(command string) (title string, out []ui.Choice) {
	switch command {
	case "resume":
		out = s.sessions()
	case "fork":
		if out = s.prompts(); len(s.branches(time.Now())) > 0 {
			return "Go back to before a prompt, or on with another branch", out
		}
	case "model":
		out, _ = s.models()
		go s.findModels()
	case "thinking":
		for _, l := range chat.ThinkingLevels() {
			out = append(out, ui.Choice{Value: l})
		}
	case "permission":
		for _, p := range event.Permissions() {
			out = append(out, ui.Choice{Value: string(p), Description: permits(p)})
		}
	}
	return pickers[command], out
}

// current returns the choice that is set now, "" if there is none.
func (s *screen) current(command string) string {
	switch a := s.app.agent; command {
	case "model":
		return a.Model()
	case "thinking":
		return a.Thinking()
	case "permission":
		return string(a.Envelope().Permission)
	}
	return ""
}

// ownArgs lists the possible arguments of one of the agent's own commands.
func (s *screen) ownArgs(command string) (out []tui.Completion) {
	var choices []ui.Choice
	switch command {
	case "model":
		choices, _ = s.models() // those that are known: only the list asks servers
	case "agent":
		for _, k := range s.app.agent.Kinds() {
			out = append(out, tui.Completion(k))
		}
	case "permissions":
		return []tui.Completion{{Value: "remove ", Description: "remove a stored rule"}}
	default:
		if pickers[command] != "" {
			_, choices = s.choices(command)
		}
	}
	for _, c := range choices {
		about := c.Description
		if c.Label != "" {
			about = strings.TrimSuffix(plain.FirstLine(c.Label)+" · "+about, " · ")
		}
		out = append(out, tui.Completion{Value: c.Value, Description: about})
	}
	return out
}

func (s *screen) sessions() (out []ui.Choice) {
	infos, err := s.app.agent.Sessions(sessionsOffered)
	if err != nil {
		s.app.engine.Notices.Notify(nil, "agent", ui.Notice{Text: plain.Error(err),
			Level: "error"})
	}
	now := time.Now()
	for _, i := range infos {
		if i.ID == s.app.agent.Session().ID() {
			continue
		}
		messages := fmt.Sprintf("%d messages", i.Messages)
		switch {
		case i.More:
			messages = "more than " + messages
		case i.Messages == 1:
			messages = "1 message"
		}
		out = append(out, ui.Choice{Label: i.Title(), Value: i.ID,
			Description: age(now.Sub(i.Modified)) + ", " + messages})
	}
	return out
}

// prompts returns the user's prompts, newest first.
func (s *screen) prompts() (out []ui.Choice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forks = map[string]string{}
	now := time.Now()
	for _, e := range slices.Backward(s.app.agent.Session().Entries()) {
		if e.Message == nil || e.Message.Role != "user" {
			continue
		}
		text := chat.PlainText(e.Message.Content)
		if _, _, shell := shellItem(text); shell {
			continue
		}
		value := e.ID + " before"
		s.forks[value] = text
		out = append(out, ui.Choice{Label: text, Value: value,
			Description: age(now.Sub(e.Time))})
	}
	return append(out, s.branches(now)...)
}

// branches returns the other branches of the session: the conversation goes on at their end.
func (s *screen) branches(now time.Time) (out []ui.Choice) {
	for _, b := range s.app.agent.Session().Branches() {
		prompts := b.Prompts()
		if len(prompts) == 0 {
			continue
		}
		about := "another branch, "
		if n := len(prompts); n > 1 {
			about += fmt.Sprintf("%d prompts, ", n)
		}
		out = append(out, ui.Choice{Label: prompts[0].Text(), Value: b.Last().ID,
			Description: about + age(now.Sub(b.Last().Time))})
	}
	return out
}

// forked returns the prompt before which a /fork line went back, which the user may then edit, or
// "" if there is none.
func (s *screen) forked(line string) string {
	value, ok := strings.CutPrefix(line, "/fork ")
	if !ok {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.forks[value]
}

// age formats how long ago something was, for people.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d/time.Minute))
	case d < day:
		return fmt.Sprintf("%d h ago", int(d/time.Hour))
	case d < 2*day:
		return "1 day ago"
	}
	return fmt.Sprintf("%d days ago", int(d/day))
}

// window formats the size of a model's window, "" if it is unknown.
func window(tokens int) string {
	if tokens <= 0 {
		return ""
	}
	return fmt.Sprintf("%dk tokens", tokens/1000)
}

// permits says what a permission mode allows.
func permits(p event.Permission) string {
	return map[event.Permission]string{
		event.PermissionPlan:        "read only: other tools are refused",
		event.PermissionDefault:     "read-only tools run, all others ask",
		event.PermissionAcceptEdits: "edits in the project run too",
		event.PermissionAuto:        "sandboxed calls run too, without network",
		event.PermissionYolo:        "only guards, rules and protected paths ask",
	}[p]
}
