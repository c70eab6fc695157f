// This file lists what the user picks from: sessions, prompts, models, levels and modes.

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/cmd/agent/internal/installcmd"
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
		var branches bool
		if out, branches = s.prompts(); branches {
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

// ownArgs lists the possible arguments of one of the agent's own commands, of which typed is there.
func (s *screen) ownArgs(command, typed string) (out []tui.Completion) {
	var choices []ui.Choice
	switch command {
	case "model":
		if !s.loaded() { // scripts have models, too
			return nil
		}
		choices, _ = s.models() // those that are known: only the list asks servers
	case "agent":
		for _, k := range s.app.agent.Kinds() {
			out = append(out, tui.Completion(k))
		}
	case "ext":
		return s.extArgs(typed)
	case "help":
		for _, name := range topics() {
			out = append(out, tui.Completion{Value: name})
		}
		return out
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

// extArgs lists what the last word typed after /ext may become: a command of agent ext that the
// screen has, or one of its arguments, as a shell completes them.
func (s *screen) extArgs(typed string) (out []tui.Completion) {
	words := strings.Split(typed, " ")
	before := typed[:len(typed)-len(words[len(words)-1])]
	list, _ := s.completer().Complete(append([]string{"ext"}, words...))
	for _, c := range list {
		name, end := words[0], ""
		if before == "" {
			name, end = c.Text, " "
		}
		if slices.Contains(extHere(), name) || slices.Contains(installcmd.Names(), name) {
			out = append(out, tui.Completion{Value: before + c.Text + end, Description: c.About})
		}
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

// prompts lists the prompts of the session, the newest first, and below each the branches that
// leave the current one after it. It reports whether there are branches. It notes the texts of the
// prompts, which the user may edit.
func (s *screen) prompts() (list []ui.Choice, branches bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forks = map[string]string{}
	all := s.app.agent.Session()
	t := promptTree{branches: branchesOf(all.Branches()), now: time.Now()}
	for _, e := range all.Entries() {
		t.follow(e)
		if text, ok := promptText(e); ok {
			s.forks[e.ID+" before"] = text
		}
	}
	return t.choices(), len(t.branches) > 0
}

// promptText returns the text of a prompt of the user; false for other entries.
func promptText(e *session.Entry) (string, bool) {
	if e.Message == nil || e.Message.Role != "user" {
		return "", false
	}
	text := chat.PlainText(e.Message.Content)
	_, _, shell := shellItem(text)
	return text, !shell
}

// branch is a branch that the conversation has left. Its first entries may be those of another one
// that was written later: it then leaves that one.
type branch struct {
	leaves  string           // the entry after which it begins
	own     map[string]bool  // its entries
	prompts []*session.Entry // of these
	last    *session.Entry
	depth   int // of branches that it leaves
}

// branchesOf returns the branches with prompts.
func branchesOf(list []session.Branch) (out []branch) {
	depths := map[string]int{} // of the branches that have an entry
	for _, b := range list {
		own := slices.DeleteFunc(slices.Clone(b.Own),
			func(e *session.Entry) bool { return depths[e.ID] > 0 })
		if len(own) == 0 {
			continue
		}
		made := branch{leaves: own[0].Parent, own: map[string]bool{}, last: b.Last(),
			depth: depths[own[0].Parent]}
		for _, e := range own {
			made.own[e.ID] = true
			depths[e.ID] = made.depth + 1
			if _, ok := promptText(e); ok {
				made.prompts = append(made.prompts, e)
			}
		}
		if len(made.prompts) > 0 {
			out = append(out, made)
		}
	}
	return out
}

// promptTree is the prompts of a session, and the branches that leave them.
type promptTree struct {
	branches []branch
	now      time.Time
	placed   map[int]bool  // branches
	groups   [][]ui.Choice // of a prompt and what leaves after it; the first has no prompt
}

// follow adds an entry of the current branch, the oldest first.
func (t *promptTree) follow(e *session.Entry) {
	if len(t.groups) == 0 {
		t.groups, t.placed = make([][]ui.Choice, 1), map[int]bool{}
	}
	if text, ok := promptText(e); ok {
		mark := ""
		if len(t.branches) > 0 {
			mark = "● "
		}
		t.groups = append(t.groups, []ui.Choice{{Label: mark + text, Value: e.ID + " before",
			Description: age(t.now.Sub(e.Time))}})
	}
	last := &t.groups[len(t.groups)-1]
	for i, b := range t.branches {
		if b.leaves == e.ID && b.depth == 0 {
			t.placed[i] = true
			*last = append(*last, t.limb(i)...)
		}
	}
}

// limb returns a branch, and those that leave it.
func (t *promptTree) limb(i int) []ui.Choice {
	b := t.branches[i]
	about := "another branch, "
	if n := len(b.prompts); n > 1 {
		about += fmt.Sprintf("%d prompts, ", n)
	}
	out := []ui.Choice{{Label: strings.Repeat("──", b.depth) + " " + b.prompts[0].Text(),
		Value: b.last.ID, Description: about + age(t.now.Sub(b.last.Time))}}
	for k, other := range t.branches {
		if other.depth == b.depth+1 && b.own[other.leaves] {
			out = append(out, t.limb(k)...)
		}
	}
	return out
}

// choices returns the tree, the newest prompt first. At the end are the branches that begin before
// the first prompt.
func (t *promptTree) choices() (out []ui.Choice) {
	for n, group := range slices.Backward(t.groups) {
		for i, c := range group {
			switch {
			case i == 0 && n > 0:
			case n > 1:
				c.Label = "├" + c.Label
			case n == 1:
				c.Label = "╰" + c.Label
			default:
				c.Label = "○" + c.Label
			}
			out = append(out, c)
		}
	}
	for i, b := range t.branches {
		if b.depth == 0 && !t.placed[i] {
			for _, c := range t.limb(i) {
				c.Label = "○" + c.Label
				out = append(out, c)
			}
		}
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
	const million = 1_000_000
	if tokens >= million {
		return strconv.FormatFloat(float64(tokens/100_000)/10, 'f', -1, 64) + "M tokens"
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
