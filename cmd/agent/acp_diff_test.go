// This file tests what an editor shows of tool calls, before they run and after.

package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	protocol "github.com/coder/acp-go-sdk"
)

// diffsOf returns the diffs of a call: old and new text, with null if there is no old text.
func diffsOf(content []protocol.ToolCallContent) (list []string) {
	for _, c := range content {
		if c.Diff != nil {
			b, _ := json.Marshal([]any{c.Diff.OldText, c.Diff.NewText})
			list = append(list, string(b))
		}
	}
	return list
}

// resultDiffs returns the diffs of the calls that have ended since shown was last called.
func (e *editor) resultDiffs() (list []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.updates {
		if c := u.ToolCallUpdate; c != nil && c.Status != nil &&
			*c.Status == protocol.ToolCallStatusCompleted {
			list = append(list, diffsOf(c.Content)...)
		}
	}
	return list
}

// TestEditorSeesChanges checks that the question about a change and its result show the file's own
// text.
func TestEditorSeesChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		what, before, call, title, diff string
	}{
		{"a new file", "", `write {"path": "a.txt", "content": "one\n"}`, "Write a.txt",
			`[null,"one\n"]`},
		{"an empty one", "", `write {"path": "a.txt", "content": ""}`, "Write a.txt", `[null,""]`},
		{"a file that is replaced", "one", `write {"path": "a.txt", "content": "two\n"}`,
			"Write a.txt", `["one","two\n"]`},
		{"no newline at the end", "one\ntwo",
			`edit {"path": "a.txt", "edits": [{"old": "two", "new": "2"}]}`, "Edit a.txt",
			`["one\ntwo","one\n2"]`},
		{"lines that end with CRLF", "one\r\ntwo\r\n",
			`edit {"path": "a.txt", "edits": [{"old": "two", "new": "2"}]}`, "Edit a.txt",
			`["one\r\ntwo\r\n","one\r\n2\r\n"]`},
		{"other line ends", "one\r\ntwo\r\n", `write {"path": "a.txt", "content": "one\ntwo\n"}`,
			"Write a.txt", `["one\r\ntwo\r\n","one\ntwo\n"]`},
	} {
		t.Run(test.what, func(t *testing.T) {
			e := newEditor(t, nil)
			e.open()
			if test.before != "" {
				e.write(filepath.Join(e.dir, "a.txt"), test.before)
			}
			e.queueAnswers("once")
			e.prompt("call "+test.call, "say end")
			e.mu.Lock()
			q := e.asked[0].ToolCall
			e.mu.Unlock()
			if got := fmt.Sprint(diffsOf(q.Content)); got != "["+test.diff+"]" ||
				*q.Title != test.title || *q.Kind != protocol.ToolKindEdit {
				t.Errorf("the question is %s %q, shown as %s, want %s %q", *q.Kind, *q.Title, got,
					test.title, test.diff)
			}
			if args, _ := q.RawInput.(map[string]any); args["path"] != "a.txt" ||
				len(q.Locations) != 1 || q.Locations[0].Path != filepath.Join(e.dir, "a.txt") {
				t.Errorf("arguments %v and files %v in the question", q.RawInput, q.Locations)
			}
			if got := fmt.Sprint(e.resultDiffs()); got != "["+test.diff+"]" {
				t.Errorf("the result is shown as %s, want %s", got, test.diff)
			}
		})
	}
}

// TestEditorNewFileOnTheWire checks that the old text of a new file is null in the question and in
// the result.
func TestEditorNewFileOnTheWire(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.start()
	lines := lineReader(e.out)
	send := func(format string, args ...any) { fmt.Fprintf(e.in, format+"\n", args...) }
	id, diffs := "", []string{}
	send(`{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":1}}`)
	send(`{"jsonrpc":"2.0","id":"b","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`,
		e.dir)
	for got := range lines {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Params struct {
				Update, ToolCall struct {
					Content []map[string]json.RawMessage `json:"content"`
				}
			} `json:"params"`
			Result struct {
				SessionID string `json:"sessionId"`
			} `json:"result"`
		}
		_ = json.Unmarshal([]byte(got), &m) // fails for messages, whose content is not a list
		for _, part := range append(m.Params.ToolCall.Content, m.Params.Update.Content...) {
			if string(part["type"]) == `"diff"` {
				diffs = append(diffs, fmt.Sprintf("%s %s", part["oldText"], part["newText"]))
			}
		}
		switch string(m.ID) {
		case `"b"`:
			id = m.Result.SessionID
			send(`{"jsonrpc":"2.0","id":"c","method":"session/prompt","params":{"sessionId":%q,`+
				`"prompt":[{"type":"text","text":"play\ncall write {\"path\": \"a.txt\", `+
				`\"content\": \"one\\n\"}\nsay end"}]}}`, id)
		case "1":
			send(`{"jsonrpc":"2.0","id":1,"result":{"outcome":{"outcome":"selected",` +
				`"optionId":"once"}}}`)
		case `"c"`:
			if got, want := fmt.Sprint(diffs), `[null "one\n" null "one\n"]`; got != want {
				t.Errorf("the diffs are %s, want %s", got, want)
			}
			return
		}
	}
	t.Fatal("the prompt was not answered")
}

// TestEditorSeesWhatItApproves checks that a question shows the whole call, not only its title, and
// masks secrets.
func TestEditorSeesWhatItApproves(t *testing.T) {
	t.Parallel()
	e := newEditor(t,
		map[string]string{"r.lua": `ext.redact{ name = "key", patterns = { "sk-[0-9]+" } }
for _, tool in ipairs{ "read", "ls" } do ext.guard({ tool = tool }, function() return { ask = "look?" } end) end`})
	e.open()
	long := "echo one\\nrm -rf build"
	for call, want := range map[string][]string{
		`bash {"command": "` + long + `"}`: {"echo one … |",
			"```sh\necho one\nrm -rf build\n```"},
		`bash {"command": "make", "cwd": "/tmp"}`: {"make |", `"cwd": "/tmp"`},
		`read {"path": "a.txt", "offset": 3}`: {"Read a.txt |",
			`"offset": 3`},
		`ls {"path": "."}`: {"List . | " +
			"**r.lua:2**: look? |"},
		`write {"path": "a.txt", "content": "k = sk-123"}`: {"Write a.txt |",
			"new file, 1 line", `"" => "k = [redacted:key]"`},
		`edit {"path": "none.txt", "edits": [{"old": "a", "new": "b"}]}`: {"Edit none.txt |",
			"this would fail now: ", "no such file", `"new": "b"`},
	} {
		e.queueAnswers("reject")
		e.prompt("call "+call, "say end")
		asked := e.questions()
		if len(asked) != 1 {
			t.Fatalf("%s: %d questions, want 1", call, len(asked))
		}
		wantTexts(t, asked[0], want...)
		if strings.Contains(asked[0], "sk-123") {
			t.Errorf("%s: a secret is shown: %s", call, asked[0])
		}
	}
}
