package zot

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
)

// FuzzFrames passes any output of a program to what receives it, and the answers to what makes
// results of them. Nothing may panic or block.
func FuzzFrames(f *testing.F) {
	for _, line := range []string{
		`{"type":"tool_result","id":"1","content":[{"type":"text","text":"x"}],"is_error":true}`,
		`{"type":"command_response","id":"1","action":"display","display":"x"}`,
		`{"type":"event_intercept_response","id":"1","block":true,"modified_args":{"a":[1]}}`,
		`{"type":"register_tool","name":"x","schema":{"type":"object"}}`,
		`{"type":"panel_render","panel_id":"p","lines":["a"]}`, `{"type":7}`,
		`{"id":{}}`, `{`, `null`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		l := &link{program: &peer.Peer{}, setup: make(chan *frame, 1),
			heard: make(chan *frame, 1), ready: make(chan struct{})}
		fr := &frame{}
		if !peer.IsObject(line) || json.Unmarshal(line, fr) != nil {
			return
		}
		if fr.Type != "call_tool" { // which asks what waits for its run
			l.waiting.Expect(nil)
		}
		answered := fr.ID == "1"
		switch fr.Type {
		case "tool_result", "command_response", "event_intercept_response":
			if !answered {
				return // it is logged
			}
		}
		l.receive(fr)
		if _, err := engine.DecodeResult(fr.result()); err != nil && len(fr.Content) == 0 {
			t.Errorf("the result of %s: %v", line, err)
		}
		if table(fr.ModifiedArgs) == nil && bytes.HasPrefix(fr.ModifiedArgs, []byte("{")) {
			t.Errorf("%s: modified_args are lost", line)
		}
		l.panels.render(panelSpec{ID: fr.PanelID})
		l.panels.close(fr.PanelID)
		keyName(fr.Name, fr.Text)
	})
}

// FuzzManifest reads any bytes as a manifest.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"name":"x","exec":"./x","args":["a.py","../b"],"enabled":false}`))
	f.Add([]byte(`{"name":"x","exec":"/bin/x"}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, src []byte) {
		format := New(extapi.Options{})
		h, err := format.Header(src)
		if err == nil && (h.Name == "" || len(h.Grants) == 0) {
			t.Errorf("%q: got %+v", src, h)
		}
		for _, file := range format.Files(src, engine.ExtensionFolder{Path: "/w",
			Exists: func(string) bool { return true }}) {
			if err != nil || file.Name == "" || file.Name[0] == '/' {
				t.Errorf("%q: the file %q", src, file.Name)
			}
		}
	})
}
