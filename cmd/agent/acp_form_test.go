// This file tests the forms that an editor is asked to fill in, and which settings a reopened
// session keeps.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	protocol "github.com/coder/acp-go-sdk"
)

// formScript is a script that asks for a text, for one of several choices, and for several of them.
const formScript = `-- ==Agent==
-- @grant ui
-- ==/Agent==
local function said(v, err)
  if err then return err.code or tostring(err) end
  if type(v) == "table" then return table.concat(v, "+") end
  return tostring(v)
end
ext.command{ name = "ask", run = function()
  local name = said(ext.ui.input("your name?", { default = "nobody" }))
  assert(said(ext.ui.input("password?", { secret = true })) == "headless")
  local one = said(ext.ui.select("which?", { "red", { value = "blue", label = "Sky" } }, { other = true }))
  local many = said(ext.ui.select("which of them?", { "red", "green", "blue" }, { multi = true, default = { "green" } }))
  local text = said(ext.ui.edit("write"))
  ext.say("name=" .. name .. " one=" .. one .. " many=" .. many .. " text=" .. text)
end }`

func formCapabilities() protocol.ClientCapabilities {
	forms := &protocol.ElicitationFormCapabilities{}
	return protocol.ClientCapabilities{Elicitation: &protocol.ElicitationCapabilities{Form: forms}}
}

func TestEditorFillsForms(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ask.lua": formScript})
	e.capable = formCapabilities()
	e.open("--yolo")
	ask := func(want string, filled ...map[string]any) {
		t.Helper()
		e.mu.Lock()
		e.filled = filled
		e.mu.Unlock()
		e.promptText("/ask")
		e.waitShown("name=")
		wantTexts(t, e.shown(), want)
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
		`{"answer":{"oneOf":[{"const":"choice-0","title":"red"},` +
			`{"const":"choice-1","title":"Sky"}],"title":"Choice","type":"string"},` +
			`"other":{"title":"Something else","type":"string"}}`,
		`{"answer":{"default":["choice-1"],"items":{"anyOf":[{"const":"choice-0","title":"red"},` +
			`{"const":"choice-1","title":"green"},{"const":"choice-2","title":"blue"}]},` +
			`"title":"Choices","type":"array"}}`,
	} {
		if got, _ := json.Marshal(e.forms[i].RequestedSchema.Properties); string(got) != want {
			t.Errorf("form %d has the fields %s, want %s", i, got, want)
		}
	}
}

// TestEditorWithoutForms checks that no form is sent to a client without the capability.
func TestEditorWithoutForms(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ask.lua": formScript})
	e.open("--yolo")
	e.queueAnswers("choice-1")
	e.promptText("/ask")
	e.waitShown("name=")
	wantTexts(t, e.shown(), "name=headless one=blue many=headless text=headless")
	if len(e.forms) > 0 {
		t.Errorf("forms were sent: %+v", e.forms)
	}
}

// TestEditorFormNamesItsSession decodes the raw bytes, because the SDK's type has no session id.
func TestEditorFormNamesItsSession(t *testing.T) {
	t.Parallel()
	e := newEditor(t, map[string]string{"ask.lua": formScript})
	e.start("--yolo")
	lines := lineReader(e.out)
	id := ""
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,` +
			`"clientCapabilities":{"elicitation":{"form":{}}}}}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,`+
			`"mcpServers":[]}}`, e.dir),
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"ID",` +
			`"prompt":[{"type":"text","text":"/ask"}]}}`,
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
					t.Errorf("session %s got the form %s", id, got)
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

// TestEditorReopensSession reopens sessions in a new process, among them one without a prompt, and
// checks that they keep the settings that their user chose.
func TestEditorReopensSession(t *testing.T) {
	t.Parallel()
	e := newEditor(t, nil)
	e.open("--permission", "plan")
	if err := e.setMode("accept-edits"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.conn.SetSessionConfigOption(e.ctx,
		protocol.SetSessionConfigOptionRequest{ValueId: &protocol.SetSessionConfigOptionValueId{
			SessionId: e.id, ConfigId: "thinking", Value: "high"}}); err != nil {
		t.Fatal(err)
	}
	silent, other, elsewhere := e.id, e.newSession(e.dir), t.TempDir()
	e.id = e.newSession(elsewhere)
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
		t.Errorf("the reopened session has mode %s and %s", r.Modes.CurrentModeId, b)
	}
	e.id = silent
	e.prompt(`call write {"path": "a", "content": "b"}`, "say end")
	wantTexts(t, e.shown(), "Write a", "completed]", "end")
	if r := load(other, e.dir); r.Modes.CurrentModeId != "default" {
		t.Errorf("a reopened session without chosen settings has mode %s", r.Modes.CurrentModeId)
	}
	list, err := e.conn.ListSessions(e.ctx, protocol.ListSessionsRequest{})
	if err != nil || len(list.Sessions) != 2 || list.Sessions[0].SessionId != silent ||
		list.Sessions[1].SessionId != spoken || list.Sessions[1].Cwd != elsewhere {
		t.Errorf("the sessions of all projects are %+v, %v", list, err)
	}
	e.in.Close()
	<-e.code
	e.open("--permission", "plan", "--thinking", "low")
	r = load(silent, e.dir)
	if b, _ := json.Marshal(r.ConfigOptions); r.Modes.CurrentModeId != "plan" ||
		!strings.Contains(string(b), `"currentValue":"low"`) {
		t.Errorf("with flags, the reopened session has mode %s and %s", r.Modes.CurrentModeId, b)
	}
}
