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

// madeUp is a conversation with calls as models make them up, and as other servers name them; each
// result tells the id that its call had.
func madeUp() *chat.Request {
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

// TestCallsThatServersTake: no id and no name of a call is such that a server would refuse the
// conversation; each result still belongs to its call.
func TestCallsThatServersTake(t *testing.T) {
	req := madeUp()
	before, _ := json.Marshal(req.Messages)
	got := callable(req, true)
	name := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	id := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	seen := map[string]bool{}
	for i := 1; i < len(got.Messages); i += 2 {
		u, result := got.Messages[i].ToolCalls[0], got.Messages[i+1]
		if !name.MatchString(u.Tool) || !id.MatchString(u.ID) || seen[u.ID] {
			t.Errorf("got the call %q of %q, want an id of its own, and a name", u.ID, u.Tool)
		}
		seen[u.ID] = true
		if result.CallID != u.ID {
			t.Errorf("the result of %q says %q", u.ID, result.CallID)
		}
	}
	if !seen["functions_ls_0"] || got.Messages[5].ToolCalls[0].ID != "functions_ls_0" {
		t.Error("an id that was good was changed")
	}
	if after, _ := json.Marshal(req.Messages); string(after) != string(before) {
		t.Error("the conversation itself was changed")
	}
	if again := callable(req, true); !reflect.DeepEqual(again, got) {
		t.Error("it is not the same each time")
	}
	if callable(got, true) != got {
		t.Error("what is good was written anew")
	}
}

// TestCallsOnTheWire: who makes ids of its own wants them back; names are such as every server
// takes.
func TestCallsOnTheWire(t *testing.T) {
	s, claude := claudeServer(t)
	if _, _, err := heard(t, claude, madeUp()); err != nil {
		t.Fatal(err)
	}
	fits(t, s, "functions.ls:0", false)
	f := serve(t)
	if _, _, err := heard(t, newChat(local(f), Options{}), madeUp()); err != nil {
		t.Fatal(err)
	}
	fits(t, f.Server, "functions.ls:0", true)
	if _, _, err := heard(t, newResponses(local(f), Options{}), madeUp()); err != nil {
		t.Fatal(err)
	}
	fits(t, f.Server, "functions.ls:0", false)
}

// fits looks whether the last request holds an id, and no name that is refused.
func fits(t *testing.T, s *llmtest.Server, id string, holds bool) {
	t.Helper()
	all := s.Requests()
	last := all[len(all)-1]
	if body := text(last); strings.Contains(body, `"`+id+`"`) != holds {
		t.Errorf("%s: the id %s is there: %v, want %v: %s", last.Path, id, !holds, holds, body)
	}
	if body := text(last); strings.Contains(body, `"repo.ls"`) ||
		strings.Contains(body, `"name":""`) {
		t.Errorf("%s: got a name that is none: %s", last.Path, body)
	}
}
