package llm

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// oddCalls returns a conversation with call names and ids as models invent them, and as other
// servers generate them. Each result contains the id of its call.
func oddCalls() *chat.Request {
	long := strings.Repeat("x", 70)
	req := ask("m")
	for _, u := range []chat.ToolUse{{ID: "functions.ls:0", Tool: "repo.ls"},
		{ID: "functions ls:0", Tool: ""}, {ID: "functions_ls_0", Tool: "ls"},
		{ID: long + "1", Tool: long}, {ID: long + "2", Tool: "lesen ü"}} {
		req.Messages = append(req.Messages, &chat.Message{Role: "assistant",
			ToolCalls: []chat.ToolUse{u}},
			&chat.Message{Role: "tool", CallID: u.ID, Tool: u.Tool,
				Content: engine.TextResult("of " + u.ID).Content})
	}
	return req
}

// TestCallNamesAreValid checks that every id and name of a call is valid, and that each result
// still belongs to its call.
func TestCallNamesAreValid(t *testing.T) {
	req := oddCalls()
	before, _ := json.Marshal(req.Messages)
	got := callable(req, true)
	name := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	id := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	seen := map[string]bool{}
	for i := 1; i < len(got.Messages); i += 2 {
		u, result := got.Messages[i].ToolCalls[0], got.Messages[i+1]
		if !name.MatchString(u.Tool) || !id.MatchString(u.ID) || seen[u.ID] {
			t.Errorf("got the call %q of %q, want a unique id and a valid name", u.ID, u.Tool)
		}
		seen[u.ID] = true
		if result.CallID != u.ID {
			t.Errorf("the result of %q says %q", u.ID, result.CallID)
		}
	}
	if !seen["functions_ls_0"] || got.Messages[5].ToolCalls[0].ID != "functions_ls_0" {
		t.Error("a valid id was changed")
	}
	if after, _ := json.Marshal(req.Messages); string(after) != string(before) {
		t.Error("the conversation itself was changed")
	}
	if again := callable(req, true); !reflect.DeepEqual(again, got) {
		t.Error("the result is not deterministic")
	}
	if callable(got, true) != got {
		t.Error("a valid conversation was copied")
	}
}

// TestCallsOnTheWire checks that ids are sent back unchanged to a server that generates its own,
// and that names are valid for every server.
func TestCallsOnTheWire(t *testing.T) {
	s, claude := claudeServer(t)
	if _, _, err := heard(t, claude, oddCalls()); err != nil {
		t.Fatal(err)
	}
	checkCalls(t, s, "functions.ls:0", false)
	f := serve(t)
	if _, _, err := heard(t, newChat(local(f), Options{}), oddCalls()); err != nil {
		t.Fatal(err)
	}
	checkCalls(t, f.Server, "functions.ls:0", true)
	if _, _, err := heard(t, newResponses(local(f), Options{}), oddCalls()); err != nil {
		t.Fatal(err)
	}
	checkCalls(t, f.Server, "functions.ls:0", false)
}

// checkCalls checks whether the last request contains an id, and that it contains no invalid name.
func checkCalls(t *testing.T, s *llmtest.Server, id string, holds bool) {
	t.Helper()
	all := s.Requests()
	last := all[len(all)-1]
	if body := text(last); strings.Contains(body, `"`+id+`"`) != holds {
		t.Errorf("%s: contains the id %s: %v, want %v: %s", last.Path, id, !holds, holds, body)
	}
	if body := text(last); strings.Contains(body, `"repo.ls"`) ||
		strings.Contains(body, `"name":""`) {
		t.Errorf("%s: got an invalid name: %s", last.Path, body)
	}
}
