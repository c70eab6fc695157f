// This file holds the agent's own slash commands about the session.

package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/suggest"
)

// listed is how many sessions, or prompts, a command lists: a screenful.
const listed = 20

func compactCmd(a *Agent, ctx context.Context, words []string) (string, error) {
	if err := a.Compact(ctx, word(words, 0)); err != nil {
		return "", err
	}
	c := a.Session().Compaction()
	// the session has been switched meanwhile, or the screen shows the summary
	if c == nil || a.Envelope().Mode == "tui" {
		return "", nil
	}
	return fmt.Sprintf(
		"%d messages were replaced by a summary, %d stay; the conversation has about %d tokens, "+
			"before it had %d.",
		c.Dropped, c.Kept, c.TokensAfter, c.TokensBefore), nil
}

func newCmd(cause string) func(*Agent, context.Context, []string) (string, error) {
	return func(a *Agent, ctx context.Context, _ []string) (string, error) {
		return "", a.NewSession(ctx, cause, "")
	}
}

func resumeCmd(a *Agent, ctx context.Context, words []string) (string, error) {
	if len(words) > 0 {
		return "", a.ResumeID(ctx, words[0])
	}
	infos, err := a.Sessions(listed)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("Sessions of this project; resume one with /resume ID:\n")
	for _, i := range infos {
		fmt.Fprintf(&b, "- `%s` %s %s\n", i.ID, i.Modified.Local().Format("2006-01-02 15:04"),
			i.Title())
	}
	if len(infos) == 0 {
		return "There is no earlier session of this project.", nil
	}
	return b.String(), nil
}

func forkCmd(a *Agent, ctx context.Context, words []string) (string, error) {
	if before := word(words, 1); before != "" && before != "before" {
		return "", fmt.Errorf("got %q, want before or nothing%s", before,
			suggest.DidYouMean(before, []string{"before"}))
	}
	if len(words) > 0 {
		return "", a.Fork(ctx, words[0], len(words) > 1)
	}
	var lines []string
	for _, e := range a.Session().Entries() {
		if e.Message != nil && e.Message.Role == "user" {
			lines = append(lines, fmt.Sprintf("- `%s` %s", e.ID, clip(e.Text(), treeText)))
		}
	}
	if len(lines) == 0 {
		return "", errors.New("there is nothing to go back to yet")
	}
	text := "Continue after one of these with /fork ENTRY, or before it with /fork ENTRY " +
		"before:\n" + strings.Join(lines[max(0, len(lines)-listed):], "\n")
	for i, b := range a.Session().Branches() {
		if prompts := b.Prompts(); len(prompts) > 0 && i < listed {
			text += fmt.Sprintf("\n- `%s` the end of another branch: %s", b.Last().ID,
				clip(prompts[0].Text(), treeText))
		}
	}
	return text, nil
}

func nameCmd(a *Agent, _ context.Context, words []string) (string, error) {
	name, err := a.Name(words[0])
	return "Session name: " + name, err
}

func labelCmd(a *Agent, _ context.Context, words []string) (string, error) {
	return "", a.journal.label(words[0], words[1])
}

// exportCmd writes the session to a new file. It never overwrites a file.
func exportCmd(a *Agent, _ context.Context, words []string) (string, error) {
	s := a.Session()
	path := word(words, 0)
	if path == "" {
		path = "session-" + s.ID() + ".md"
	}
	path = realpath.Typed(path, a.o.Dir, a.o.User)
	if err := (session.Export{Mask: a.engine.Mask.Value}).File(path, s); err != nil {
		return "", err
	}
	return "The session was written to `" + path + "`", nil
}

func sessionCmd(a *Agent, _ context.Context, _ []string) (string, error) {
	s := a.Session()
	var b strings.Builder
	fmt.Fprintf(&b, "- Session: `%s`\n", s.ID())
	if name := s.Name(); name != "" {
		fmt.Fprintf(&b, "- Name: %s\n", name)
	}
	if path := s.Path(); path != "" {
		fmt.Fprintf(&b, "- File: `%s`\n", path)
	} else {
		b.WriteString("- It is not written down\n")
	}
	t := s.Used(false)
	fmt.Fprintf(&b, "- Model: `%s`\n- Turns: %d, tool calls: %d\n", a.Model(), t.Turns, t.ToolCalls)
	fmt.Fprintf(&b, "- Tokens: %d in, %d out, %d read from cache, %d written to it\n",
		t.Tokens.Input, t.Tokens.Output, t.Tokens.CacheRead, t.Tokens.CacheWrite)
	switch {
	case t.Requests == 0:
	case t.Unpriced == 0:
		fmt.Fprintf(&b, "- Cost: $%.4f\n", t.Cost)
	case t.Unpriced == t.Requests:
		b.WriteString("- Cost: unknown\n")
	default:
		fmt.Fprintf(&b, "- Cost: $%.4f and %d of %d requests of unknown price\n", t.Cost,
			t.Unpriced, t.Requests)
	}
	return b.String(), nil
}
