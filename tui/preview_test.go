package tui

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/ui"
)

// TestQuestionShowsTheTranscriptsDiff checks that a proposed change is drawn like a finished one,
// line by line.
func TestQuestionShowsTheTranscriptsDiff(t *testing.T) {
	t.Parallel()
	const diff = "@@ -1,2 +1,2 @@\n one\n-two\n+three"
	s := newStage(t, Backend{}, 80, 40)
	s.send("tool_result", fields{"call_id": "c1", "tool": "any", "args": fields{"path": "a.txt"},
		"content": "done",
		"display": fields{"title": "a.txt", "kind": "diff", "text": diff}})
	drawn := func() (lines []string) {
		for _, l := range s.screen {
			if _, after, ok := strings.Cut(l, "│ "); ok {
				lines = append(lines, strings.TrimPrefix(after, "\x1b[m"))
			}
		}
		return lines
	}
	want := drawn()
	s = newStage(t, Backend{}, 80, 40)
	q := aQuestion()
	q.Asks = q.Asks[:1]
	q.Call.Tool, q.Call.Args = "any", fields{"path": "a.txt", "content": "one\nthree\n"}
	q.Preview = &ui.Preview{Note: "replaces a file of 2 lines",
		Display: ui.Display{Title: "a.txt", Kind: "diff", Text: diff}}
	s.ask(q)
	s.has("a.txt: replaces a file of 2 lines", "2 - two", "2 + three")
	s.lacks("content:", "any file")
	if got := drawn(); len(want) != 3 || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q\nthe transcript has %q", got, want)
	}
	q.Preview = &ui.Preview{Note: "new file, 3 lines",
		Display: ui.Display{Title: "a.txt", Kind: "code", Text: "one\n\n\n"}}
	s = newStage(t, Backend{}, 80, 40)
	s.ask(q)
	if got := strings.Count(s.text(), "  │"); got != 3 { // the last newline ends a line
		t.Errorf("%d lines are shown:\n%s", got, s.text())
	}
	for name, p := range map[string]*ui.Preview{
		"this would fail now: no such file": {Fails: "no such file"},
		"a.txt: the file holds just this": {Note: "the file holds just this",
			Display: ui.Display{Title: "a.txt", Kind: "diff"}},
	} {
		s = newStage(t, Backend{}, 80, 40)
		q.Preview = p
		s.ask(q)
		s.has(name, "content:", "three") // the arguments, since there is no diff
	}
}

// TestPreviewShowsControlCharacters checks that the question shows characters that the transcript
// removes.
func TestPreviewShowsControlCharacters(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	q := aQuestion()
	q.Preview = &ui.Preview{Display: ui.Display{Kind: "diff",
		Text: "+x\x1b[8mhidden\r\n+\u202ey"}}
	s.ask(q)
	s.has("+x␛[8mhidden␍", "+<U+202E>y")
}

// TestSessionAnswerNamesWhatItAllows checks that the answer for the session names what it allows:
// edits of any file.
func TestSessionAnswerNamesWhatItAllows(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 100, 40)
	q := aQuestion()
	q.Kind, q.Asks = "edit", q.Asks[2:]
	s.ask(q)
	s.has("Allow edits of any file this session")
}

// TestChangesInAQuestionOfTheProgram checks that changes in the detail of a question are drawn as
// those of tools are, and that nothing around them is lost.
func TestChangesInAQuestionOfTheProgram(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	opened(s, newConfirm(&ui.Dialog{Title: "Load it?", Lang: "lua",
		Detail: "a.lua asks for more\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\nlib/m.lua\n" +
			"@@ -0,0 +1,1 @@\n+four\nthe end"}))
	s.has("a.lua asks for more", "1   one", "2 - two", "2 + three", "lib/m.lua", "1 + four",
		"the end")
	s.lacks("@@")
	s = newStage(t, Backend{}, 80, 40)
	opened(s, newConfirm(&ui.Dialog{Title: "Sure?", Detail: "@@ -x\n-one\n\n two"}))
	s.has("@@ -x", "-one", " two")
}

// TestExitCodeStays checks that an exit code which the title does not have stays in the result.
func TestExitCodeStays(t *testing.T) {
	t.Parallel()
	for failed, want := range map[bool]string{false: "[exit code 2]", true: "ls  exit code 2"} {
		s := newStage(t, Backend{}, 80, 20)
		s.tool("tool_result", "c1", "ls", fields{"content": "said\n[exit code 2]",
			"details": fields{"exit_code": 2}, "is_error": failed})
		s.has("said", want)
	}
}
