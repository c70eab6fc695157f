package tui

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/lineprint"
)

// lineStage is a screen that prints lines.
type lineStage struct {
	*stage
	lines *lineprint.Printer
	out   bytes.Buffer
}

func newLineStage(t testing.TB, b Backend) *lineStage {
	s := &lineStage{stage: newStage(t, b, 0, 0)}
	s.lines = lineprint.New(&lineSource{model: s.model}, &s.out, s.model.now)
	s.send("session_start", fields{"cause": "startup"})
	s.update(nil)
	return s
}

// update passes a message to the screen, and the results of its commands.
func (s *lineStage) update(msg tea.Msg) {
	_, cmd := s.lines.Update(msg)
	for _, msg := range run(cmd) {
		s.lines.Update(msg)
	}
}

// line sends a line of the user, a moment after what was printed.
func (s *lineStage) line(text string) {
	s.clock = s.clock.Add(lineprint.AnswerAfter)
	s.update(lineprint.Line(text))
}

// printed returns what was printed since the last call.
func (s *lineStage) printed() string {
	s.update(nil)
	text := s.out.String()
	s.out.Reset()
	return text
}

// wants checks what was printed since the last check.
func (s *lineStage) wants(want string) {
	s.t.Helper()
	if got := s.printed(); got != want {
		s.t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	var sent []string
	s := newLineStage(t, Backend{Interrupt: func() []string { return []string{"later"} }})
	s.wants("agent 1.0 · ~/project · /help shows keys and commands\n> ")
	s.line("tidy \\")
	s.line("up")
	if sent = append(sent, (<-s.work.submits).text); sent[0] != "tidy \nup" {
		t.Errorf("sent %q", sent)
	}
	s.input("prompt", "tidy \nup")
	s.send("agent_start", fields{"prompt": "tidy \nup"})
	s.wants("> ") // for the second line
	for _, piece := range []string{"I will\nlo", "ok", " fir", "st\n\n- \x1b[31ma", " list"} {
		s.send("message_delta", fields{"message_id": "m1", "kind": "text", "delta": piece})
		s.update(nil)
	}
	s.wants("agent: I will\nlook first\n\n")
	s.send("message_end", fields{"message_id": "m1", "text": "I will\nlook first\n\n- a list"})
	s.tool("tool_start", "c1", "ls -l", nil)
	s.wants("- a list\ntool bash: ls -l\n")
	s.tool("tool_result", "c1", "ls -l", fields{"content": []any{fields{"type": "text",
		"text": "no file\nmore\n[exit code 2]"}}, "details": fields{"exit_code": 2},
		"is_error": true})
	s.tool("tool_end", "c1", "ls -l", fields{"duration_ms": 1.0, "is_error": true})
	s.tool("tool_skipped", "c2", "rm -rf build",
		fields{"cause": "denied", "reason": "refused by guard.lua: no", "script": "guard.lua"})
	s.wants("tool bash failed, exit code 2: no file\ntool bash: rm -rf build, refused: " +
		"refused by guard.lua: no\n")
	s.send("message_delta", fields{"message_id": "m2", "kind": "text", "delta": "the old\n"})
	s.wants("agent: the old\n")
	s.send("message_end", fields{"message_id": "m2", "text": "the new"})
	s.send("notification", fields{"level": "warn", "message": "red", "source": "ci.lua"})
	s.wants("(the answer was changed; this is all of it)\nagent: the new\nwarning: [ci.lua] red\n")
	s.update(lineprint.Break{})
	s.wants("not sent: later\n")
	s.send("agent_end", fields{"status": "cancelled"})
	s.Update(endMsg{"tidy \nup", true})
	s.send("wait_input", fields{"cause": "idle"})
	s.wants("warning: interrupted\n> ")
	s.update(lineprint.Break{})
	s.wants("\nnothing runs; Ctrl+D ends the program\n> ")
	s.input("prompt", "from elsewhere")
	s.wants("\nyou: from elsewhere\n> ")
}

// TestLineQuestions checks that questions are answered by lines, and not by a line that was typed
// before the question.
func TestLineQuestions(t *testing.T) {
	t.Parallel()
	ask := func(d *dialog, lines ...string) (printed string, answer any) {
		s := newLineStage(t, Backend{})
		s.printed()
		s.update(d)
		for _, l := range lines {
			if l == "^C" {
				s.update(lineprint.Break{})
				continue
			}
			s.line(l)
		}
		select {
		case answer = <-d.answer:
		default:
			answer = errors.New("none yet")
		}
		return s.printed(), answer
	}
	choices := []ui.Choice{{Value: "a", Label: "Apple"}, {Value: "b", Description: "a berry"}}
	pick := func(several, other bool) *dialog {
		return newDialog(selecting(&ui.Dialog{Title: "Which?", Script: "x.lua", Choices: choices,
			Other: other}, several))
	}
	for _, test := range []struct {
		name  string
		d     *dialog
		lines []string
		want  string // of the answer
		shows string
	}{
		{"allow", newApproval(aQuestion()), []string{"y"}, `Allow:true,`, "guard.lua:12: Delete"},
		{"call", newApproval(aQuestion()), []string{"y"}, `Allow:true,`, "  rm -rf build \\\n"},
		{"session", newApproval(aQuestion()), []string{"session"}, `Session:true`, ""},
		{"reason", newApproval(aQuestion()), []string{"r not now"}, `Reason:"not now"`, ""},
		{"other text", newApproval(aQuestion()), []string{"yes please", "n"}, `Allow:false`,
			"not an answer; write y, session, n, r"},
		{"empty line", newApproval(aQuestion()), []string{""}, "none yet", "not an answer"},
		{"lasting", newConfirm(&ui.Dialog{Title: "Trust?", Lasting: true}), []string{"y", "yes"},
			`Allow:true`, "yes: Yes"},
		{"interrupt", newConfirm(&ui.Dialog{Title: "Deploy?"}), []string{"^C"}, "<nil>", "Deploy?"},
		{"number", pick(false, false), []string{"2"}, `"b"`, "1: Apple\n2: b, a berry\n"},
		{"letters", pick(false, false), []string{"ber", "2"}, `"b"`, "2: b, a berry\n"},
		{"no such number", pick(false, false), []string{"3"}, "none yet", "no choice has 3"},
		{"several", pick(true, false), []string{"1, 2"}, `{"a", "b"}`, "the numbers"},
		{"none of several", pick(true, false), []string{""}, `[]string{}`, "the numbers"},
		{"own words", pick(false, true), []string{"a pear"}, `"a pear"`, "of your own"},
		{"line", newDialog(newLiner("Name?", "", "old")), []string{""}, `"old"`, "means old"},
		{"text", newDialog(newTexter("Edit", "", "old")), []string{"new", "er", "."}, `"new\ner"`,
			"the text now:\nold\n"},
		{"same text", newDialog(newTexter("Edit", "", "old")), []string{"."}, `"old"`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			printed, answer := ask(test.d, test.lines...)
			got := fmt.Sprintf("%#v", answer)
			if err, ok := answer.(error); ok {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) || !strings.Contains(printed, test.shows) {
				t.Errorf("answered %s, want %s, and printed\n%s\nwant\n%s", got, test.want, printed,
					test.shows)
			}
		})
	}
	s := newLineStage(t, Backend{})
	s.update(newApproval(aQuestion()))
	s.clock = s.clock.Add(lineprint.AnswerAfter - time.Millisecond)
	s.update(lineprint.Line("y"))
	if s.overlays.dialogs.front() == nil || (<-s.work.submits).text != "y" {
		t.Error("a line that was typed before the question answers it")
	}
}

// TestLinesOfSession checks that a loaded session is printed, and that many scripts are one line.
func TestLinesOfSession(t *testing.T) {
	t.Parallel()
	s := &lineStage{stage: newStage(t, Backend{}, 0, 0)}
	s.lines = lineprint.New(&lineSource{model: s.model}, &s.out, s.model.now)
	for range 5 {
		s.send("script_load", fields{"script": "a.lua", "handlers": 1, "ms": 1.0, "cause": "start"})
	}
	s.wants("")
	s.send("session_start", fields{"cause": "startup"})
	s.wants("agent 1.0 · ~/project · /help shows keys and commands\n" +
		"5 scripts loaded: 5 handlers, 5 ms\n> ")
	s.update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "what is here?"},
		{Kind: ItemAssistant, Text: "I **look**."},
		{Kind: ItemTool, Tool: "bash", Args: fields{"command": "ls"}}}})
	s.wants("\nagent 1.0 · ~/project · /help shows keys and commands\nyou: what is here?\n" +
		"agent: I **look**.\ntool bash: ls\n> ")
}

// TestLinesOfTheFirstStart checks that the page of the first start is printed, and takes no lines.
func TestLinesOfTheFirstStart(t *testing.T) {
	t.Parallel()
	var added []string
	var sent []string
	b := greeter(&added)
	b.Send = func(text, _ string) error { sent = append(sent, text); return nil }
	s := newLineStage(t, b)
	s.update(greetMsg{facts: b.Welcome(), opens: true})
	if got := s.printed(); !strings.Contains(got, "agent ext add NAME") ||
		!strings.Contains(got, "careful: Refuses rm -r") {
		t.Errorf("printed %s", got)
	}
	s.line("1")
	if len(added) > 0 || s.overlays.panels.front() != nil {
		t.Errorf("a line added %q", added)
	}
	s.line("/welcome")
	if got := s.printed(); !strings.Contains(got, "/welcome prints this again.") {
		t.Errorf("printed %s", got)
	}
}

// TestMarksAreWordsInLines checks that a screen reader hears words where the screen has marks, and
// that a prompt has images.
func TestMarksAreWordsInLines(t *testing.T) {
	t.Parallel()
	s := newLineStage(t, Backend{})
	s.printed()
	s.update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "look", Images: []chat.Block{
		{Type: "image", MimeType: "image/png", Data: aPNG(t, 2, 2)},
		{Type: "image", MimeType: "image/png", Data: aPNG(t, 3, 2)}}},
		{Kind: ItemAssistant, Reasoning: "hm", Text: "yes"}}})
	s.send("subagent_start", fields{"subagent_id": "a1", "name": "reader", "task": "read it"})
	s.send("subagent_end", fields{"subagent_id": "a1", "status": "completed"})
	got := s.printed()
	for _, want := range []string{"you: look\n[2 images]\n", "thinking: hm\n",
		"sub-agent: reader"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not printed:\n%s", want, got)
		}
	}
	if strings.ContainsAny(got, "›∴◆") {
		t.Errorf("a mark is printed:\n%s", got)
	}
}

// TestListBeforeTheMark checks that what a line brings, such as a list, is printed before the mark
// at which the user types.
func TestListBeforeTheMark(t *testing.T) {
	t.Parallel()
	s := newLineStage(t, Backend{Choices: func(string) (string, []ui.Choice) {
		return "Choose a model", []ui.Choice{{Value: "a"}, {Value: "b"}}
	}})
	s.update(commandsMsg{{Name: "model", Picks: true}})
	s.printed()
	s.line("/model")
	s.wants("Choose a model\n1: a\n2: b\n" +
		"write a number, or letters to shorten the list; Ctrl+C cancels\n> ")
	s.line("")
	s.wants("not an answer: write a number; Ctrl+C cancels\n> ")
}
