package tui

import (
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/tui/internal/feed"
)

func rewriteOf(r engine.Rewrite) *engine.Rewrite {
	r.By = []engine.Author{{Script: "change.lua", Line: 3, Changed: []string{"args"}}}
	return &r
}

// TestRewritesAreVisible checks that rewrites are visible in the question, in the transcript and in
// a resumed session.
func TestRewritesAreVisible(t *testing.T) {
	t.Parallel()
	rewritten := rewriteOf(engine.Rewrite{Args: fields{"command": "npm test"}})
	result := rewriteOf(engine.Rewrite{})
	s := newStage(t, Backend{}, 80, 40)
	q := aQuestion()
	q.Asks, q.Call.Args, q.Rewritten = q.Asks[:1], fields{"command": "pnpm test"}, rewritten
	s.ask(q)
	s.has("rewritten by change.lua:3", "-npm test", "+pnpm test", "│ pnpm test")
	s.press("n")

	said := "the tests failed"
	s.tool("tool_start", "c1", "pnpm test", fields{"rewritten": rewritten.Value()})
	told := *result
	told.Content = &said
	s.tool("tool_result", "c1", "pnpm test", fields{"rewritten": rewritten.Value(),
		"content": "all is well", "result_rewritten": told.Value()})
	s.has("rewritten by change.lua:3", "-npm test", "+pnpm test",
		"result rewritten by change.lua:3 (ctrl+o", "all is well")
	s.lacks(said)
	s.press("ctrl+o")
	s.has("-the tests failed", "+all is well")

	s.tool("tool_approval", "c2", "ls", fields{"decision": "allow", "source": "script",
		"script": "allow.lua", "line": 7})
	s.has("allowed by allow.lua:7")
	s.tool("tool_result", "c3", "ls", fields{"answered_by": "answer.lua", "answered_line": 9,
		"content": "x"})
	s.has("answered by answer.lua:9")

	s = newStage(t, Backend{}, 80, 40)
	s.Update(feed.Batch{loadMsg{{Kind: ItemTool, Tool: "bash", Args: fields{"command": "pnpm test"},
		Rewritten: rewritten, ResultRewritten: result, Why: "answered by x.lua:1"}}})
	s.has("rewritten by change.lua:3", "-npm test", "+pnpm test",
		"result rewritten by change.lua:3", "answered by x.lua:1")
	s.lacks("ctrl+o")
}

// TestRewriteOfAnotherTool checks that the called tool is named, and that the user's changes are
// attributed to the user.
func TestRewriteOfAnotherTool(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 80, 40)
	r := engine.Rewrite{By: []engine.Author{{}}, Tool: "bash", Args: fields{"command": "cat x"}}
	s.send("tool_start", fields{"call_id": "c1", "tool": "read", "args": fields{"path": "x"},
		"rewritten": r.Value()})
	s.has("rewritten by you", "-bash", "-cat x", "+read", `+path: "x"`)
}

// TestRewrittenAnswerNamesTheAuthor checks the notice below a message, when it is new and when it
// is resumed.
func TestRewrittenAnswerNamesTheAuthor(t *testing.T) {
	t.Parallel()
	r := rewriteOf(engine.Rewrite{})
	s := newStage(t, Backend{}, 80, 40)
	s.send("message_end", fields{"message_id": "m1", "text": "hello", "rewritten": r.Value()})
	s.has("hello", "the answer was rewritten by change.lua:3")
	s = newStage(t, Backend{}, 80, 40)
	s.Update(feed.Batch{loadMsg{{Kind: ItemAssistant, Text: "hello", Rewritten: r}}})
	s.has("hello", "the answer was rewritten by change.lua:3")
}
