// This file provides model servers for test scripts.

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentscripts/agent/agent/llm/llmtest"
)

// serve implements `serve KIND NAME REPLIES [MODEL ...]`: it starts a model server of that kind,
// which sends the replies in the file REPLIES, a JSON list, and stores its address in $NAME. KIND
// is openai, ollama, llamacpp or anthropic.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: serve KIND NAME REPLIES [MODEL ...]")
	}
	var replies []llmtest.Reply
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[2])), &replies))
	s := llmtest.New(replies...)
	for _, id := range args[3:] {
		s.Models = append(s.Models, llmtest.Model{ID: id, Context: 32_000})
	}
	kinds := map[string]func() http.Handler{"openai": s.OpenAI, "ollama": s.Ollama,
		"llamacpp": s.LlamaCpp, "anthropic": s.Anthropic}
	kind := kinds[args[0]]
	if kind == nil {
		ts.Fatalf("serve: unknown kind %s", args[0])
	}
	web := httptest.NewServer(kind())
	ts.Defer(func() {
		web.CloseClientConnections()
		web.Close()
	})
	ts.Setenv(args[1], web.URL)
	servers(ts)[args[1]] = s
}

// askedOf implements `asked NAME`: it writes the requests that the server got to the file
// asked, one line of JSON each.
func askedOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || servers(ts)[args[0]] == nil {
		ts.Fatalf("usage: asked NAME, of a server")
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for _, r := range servers(ts)[args[0]].Requests() {
		ts.Check(enc.Encode(r.Body))
	}
	ts.Check(os.WriteFile(ts.MkAbs("asked"), []byte(b.String()), 0o600))
}

type serversKey struct{}

// servers returns the model servers of one test script.
func servers(ts *testscript.TestScript) map[string]*llmtest.Server {
	return ts.Value(serversKey{}).(map[string]*llmtest.Server)
}
