// This file tests what an editor is asked with forms, and what of a session holds when it is opened
// again.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	protocol "github.com/coder/acp-go-sdk"
)

// forming is a script that asks for text, for one of several, and for several.
const forming = `-- ==Agent==
-- @grant ui
-- ==/Agent==
local function said(v, err)
  if err then return err.code or tostring(err) end
  if type(v) == "table" then return table.concat(v, "+") end
  return tostring(v)
end
ext.command{ name = "ask", run = function()
  local name = said(ext.ui.input("your name?", { default = "nobody" }))
  local one = said(ext.ui.select("which?", { "red", { value = "blue", label = "Sky" } }, { other = true }))
  local many = said(ext.ui.select("which of them?", { "red", "green", "blue" }, { multi = true, default = { "green" } }))
  local text = said(ext.ui.edit("write"))
  ext.say("name=" .. name .. " one=" .. one .. " many=" .. many .. " text=" .. text)
end }`

func canForm() protocol.ClientCapabilities {
	return protocol.ClientCapabilities{Elicitation: &protocol.ElicitationCapabilities{Form: &protocol.ElicitationFormCapabilities{}}}
}

func TestEditorFillsForms(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ask.lua": forming})
	e.capable = canForm()
	e.open("--yolo")
	ask := func(want string, filled ...map[string]any) {
		t.Helper()
		e.mu.Lock()
		e.filled = filled
		e.mu.Unlock()
		e.text("/ask")
		e.waitFor("name=")
		wants(t, e.shown(), want)
	}
	answer := func(v any) map[string]any { return map[string]any{"answer": v} }
	ask("name=Ann one=blue many=red+blue text=headless", answer("Ann"), answer("choice-1"),
		answer([]any{"choice-2", "choice-0"}))
	ask("name= one=mauve many= text=headless", answer(""),
		map[string]any{"answer": "choice-0", "other": "mauve"}, answer([]any{}))
	ask("name=cancelled one=cancelled many=cancelled text=headless")

	e.mu.Lock()
	defer e.mu.Unlock()
	if e.forms[0].Message != "[ask.lua] your name?" || e.forms[0].Mode != "form" {
		t.Errorf("the first form is %+v", e.forms[0])
	}
	for i, want := range []string{
		`{"answer":{"default":"nobody","title":"Answer","type":"string"}}`,
		`{"answer":{"oneOf":[{"const":"choice-0","title":"red"},{"const":"choice-1","title":"Sky"}],"title":"Choice","type":"string"},"other":{"title":"Something else","type":"string"}}`,
		`{"answer":{"default":["choice-1"],"items":{"anyOf":[{"const":"choice-0","title":"red"},{"const":"choice-1","title":"green"},{"const":"choice-2","title":"blue"}]},"title":"Choices","type":"array"}}`,
	} {
		if got, _ := json.Marshal(e.forms[i].RequestedSchema.Properties); string(got) != want {
			t.Errorf("form %d has the fields %s, want %s", i, got, want)
		}
	}
}

// TestEditorHasNoForms: without the capability nothing is sent that the client does not know.
func TestEditorHasNoForms(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ask.lua": forming})
	e.open("--yolo")
	e.answer("choice-1")
	e.text("/ask")
	e.waitFor("name=")
	wants(t, e.shown(), "name=headless one=blue many=headless text=headless")
	if len(e.forms) > 0 {
		t.Errorf("it was sent %+v", e.forms)
	}
}

// TestEditorFormNamesItsSession looks at the bytes: the SDK's type has no session id.
func TestEditorFormNamesItsSession(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ask.lua": forming})
	e.start("--yolo")
	lines := lineReader(e.out)
	id := ""
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"elicitation":{"form":{}}}}}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, e.dir),
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"ID","prompt":[{"type":"text","text":"/ask"}]}}`,
	} {
		io.WriteString(e.in, strings.Replace(line, "ID", id, 1)+"\n")
		for got := range lines {
			var m struct {
				Method string `json:"method"`
				Params struct {
					SessionID string `json:"sessionId"`
				} `json:"params"`
				Result struct {
					SessionID string `json:"sessionId"`
				} `json:"result"`
			}
			if err := json.Unmarshal([]byte(got), &m); err != nil {
				t.Fatal(err)
			}
			if m.Method == "elicitation/create" {
				if m.Params.SessionID != id || id == "" {
					t.Errorf("session %s is asked %s", id, got)
				}
				return
			}
			if m.Method == "" {
				id = m.Result.SessionID
				break
			}
		}
	}
	t.Fatal("no form was sent")
}

// TestEditorOpensASessionAgain: in another process, one in which nothing was said as well, with the
// settings that its user chose.
func TestEditorOpensASessionAgain(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open("--permission", "plan")
	if err := e.set("accept-edits"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.conn.SetSessionConfigOption(e.ctx,
		protocol.SetSessionConfigOptionRequest{ValueId: &protocol.SetSessionConfigOptionValueId{
			SessionId: e.id, ConfigId: "thinking", Value: "high"}}); err != nil {
		t.Fatal(err)
	}
	silent, other, elsewhere := e.id, e.begin(e.dir), t.TempDir()
	e.id = e.begin(elsewhere)
	e.prompt("say something")
	spoken := e.id
	e.in.Close()
	<-e.code
	e.open()
	load := func(id protocol.SessionId, dir string) protocol.LoadSessionResponse {
		t.Helper()
		r, err := e.conn.LoadSession(e.ctx, protocol.LoadSessionRequest{SessionId: id, Cwd: dir,
			McpServers: []protocol.McpServer{}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := load(silent, e.dir)
	if b, _ := json.Marshal(r.ConfigOptions); r.Modes.CurrentModeId != "accept-edits" ||
		!strings.Contains(string(b), `"currentValue":"high"`) {
		t.Errorf("it goes on with mode %s and %s", r.Modes.CurrentModeId, b)
	}
	e.id = silent
	e.prompt(`call write {"path": "a", "content": "b"}`, "say end")
	wants(t, e.shown(), "Write a", "completed]", "end")
	if r := load(other, e.dir); r.Modes.CurrentModeId != "default" {
		t.Errorf("a session in which nothing was chosen goes on with %s", r.Modes.CurrentModeId)
	}
	list, err := e.conn.ListSessions(e.ctx, protocol.ListSessionsRequest{})
	if err != nil || len(list.Sessions) != 2 || list.Sessions[0].SessionId != silent ||
		list.Sessions[1].SessionId != spoken || list.Sessions[1].Cwd != elsewhere {
		t.Errorf("the list of all projects is %+v, %v", list, err)
	}
	e.in.Close()
	<-e.code
	e.open("--permission", "plan", "--thinking", "low")
	r = load(silent, e.dir)
	if b, _ := json.Marshal(r.ConfigOptions); r.Modes.CurrentModeId != "plan" ||
		!strings.Contains(string(b), `"currentValue":"low"`) {
		t.Errorf("started with flags, it goes on with mode %s and %s", r.Modes.CurrentModeId, b)
	}
}
