package llm

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/fault"
)

// apis are the two APIs, each with a stream that ends in the middle of a frame.
var apis = []struct {
	name string
	make func(server, Options) *engine.Provider
	half string
}{
	{"chat", newChat, `data: {"choices":[{"index":0,"delta":{"content":"half"}}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"de`},
	{"responses", newResponses,
		`data: {"type":"response.output_text.delta","output_index":0,"delta":"half"}` + "\n\n" +
			`data: {"type":"response.out`},
}

func inBothAPIs(t *testing.T, test func(t *testing.T, stream func(s *fake) *engine.Provider,
	half string)) {
	for _, api := range apis {
		t.Run(api.name, func(t *testing.T) {
			test(t, func(s *fake) *engine.Provider { return api.make(local(s), Options{}) },
				api.half)
		})
	}
}

func TestOpenAIRefusals(t *testing.T) {
	no := llmtest.OpenAIError
	page := `<html><head><title>502 Bad Gateway</title></head></html>`
	tests := []struct {
		name  string
		reply llmtest.Reply
		want  fault.FailError // Message: a part of it
	}{
		{"400", llmtest.Reply{Status: 400, Body: no("invalid_request_error", "", "messages",
			"messages is wrong")}, fault.FailError{Status: 400, Message: "messages is wrong"}},
		{"400, too long", llmtest.Reply{Status: 400,
			Body: no("invalid_request_error", "context_length_exceeded", "messages",
				"This model's maximum context length is 8192 tokens.")},
			fault.FailError{Status: 400, Overflow: true, Message: "maximum context length"}},
		{"401", llmtest.Reply{Status: 401, Body: no("invalid_request_error", "invalid_api_key", "",
			"Incorrect API key provided")},
			fault.FailError{Status: 401, Message: "is the key in LOCAL_KEY right?"}},
		{"404", llmtest.Reply{Status: 404, Body: "404 page not found", Kind: "text/plain"},
			fault.FailError{Status: 404,
				Message: "providers.local.base_url in config.toml = http://"}},
		{"429", llmtest.Reply{Status: 429, Body: no("requests", "rate_limit_exceeded", "",
			"slow down"), Header: map[string]string{"Retry-After": "7"}},
			fault.FailError{Status: 429, RetryAfter: 7, Message: "slow down"}},
		{"500 and no body", llmtest.Reply{Status: 500},
			fault.FailError{Status: 500, Message: "500 Internal Server Error"}},
		{"502 and a page", llmtest.Reply{Status: 502, Body: page, Kind: "text/html"},
			fault.FailError{Status: 502, Message: "502 Bad Gateway"}},
		{"529", llmtest.Reply{Status: 529, Body: `{"error":"too much"}`},
			fault.FailError{Status: 529, Message: "too much"}},
		{"an endless refusal", llmtest.Reply{Status: 500, Body: strings.Repeat("no ", 1<<20)},
			fault.FailError{Status: 500, Message: "no no no"}},
		{"200 and a page", llmtest.Reply{Body: page, Kind: "text/html"},
			fault.FailError{Message: "providers.local.base_url in config.toml = http://"}},
		{"200 and an error", llmtest.Reply{Body: no("x", "", "", "not today")},
			fault.FailError{Message: "not today"}},
		{"200 and other JSON", llmtest.Reply{Body: `{"choices":[]}`},
			fault.FailError{Message: "want a stream of events"}},
		{"an error in the stream", llmtest.Reply{Text: "so far", Error: "server_error"},
			fault.FailError{Status: 500, Message: "it is server_error"}},
		{"a limit in the stream", llmtest.Reply{Text: "so far", Error: "rate_limit_exceeded"},
			fault.FailError{Status: 429, Message: "it is rate_limit_exceeded"}},
		{"no JSON in the stream", raw("data: {oh no\n\n"),
			fault.FailError{Retryable: true, Message: "invalid JSON"}},
	}
	inBothAPIs(t, func(t *testing.T, stream func(*fake) *engine.Provider, _ string) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				_, _, err := heard(t, stream(serve(t, tt.reply)), ask("m"))
				var f *fault.FailError
				if !errors.As(err, &f) {
					t.Fatalf("got %v, want a FailError", err)
				}
				got := *f
				got.Message = tt.want.Message
				if got != tt.want || !strings.Contains(f.Message, tt.want.Message) ||
					strings.Contains(err.Error(), "sk-local") || len(f.Message) > 2000 {
					t.Errorf("got %+v, want %+v", *f, tt.want)
				}
			})
		}
	})
}

// TestConnectionsThatAreClosed checks that the error for a closed connection can be retried, and
// that the error for an answer without events names the setting.
func TestConnectionsThatAreClosed(t *testing.T) {
	inBothAPIs(t, func(t *testing.T, stream func(*fake) *engine.Provider, _ string) {
		for name, answer := range map[string]http.HandlerFunc{
			"before the answer": func(http.ResponseWriter,
				*http.Request) {
				panic(http.ErrAbortHandler)
			},
			"no events": func(w http.ResponseWriter,
				_ *http.Request) {
				w.Header().Set("Content-Type", "text/plain")
			},
		} {
			_, _, err := heard(t, stream(&fake{nil, web(t, answer)}), ask("m"))
			if !errors.Is(err, io.ErrUnexpectedEOF) ||
				!strings.Contains(err.Error(), "base_url in config.toml") {
				t.Errorf("%s: got %v, want an unexpected end, and the setting", name, err)
			}
		}
	})
}

// TestOpenAIStreamsThatBreakOff checks that an incomplete reply is an error that can be retried,
// whatever is missing.
func TestOpenAIStreamsThatBreakOff(t *testing.T) {
	inBothAPIs(t, func(t *testing.T, stream func(*fake) *engine.Provider, half string) {
		long := llmtest.Reply{Text: strings.Repeat("word ", 100), Cut: 2000}
		for name, reply := range map[string]llmtest.Reply{"half a frame": raw(half),
			"the connection breaks": long, "nothing at all": {Body: "\n",
				Kind: "text/event-stream"}} {
			t.Run(name, func(t *testing.T) {
				got, _, err := heard(t, stream(serve(t, reply)), ask("m"))
				if !errors.Is(err, errBrokenOff) {
					t.Errorf("got %q %v, want that the reply broke off", got, err)
				}
			})
		}
	})
}

func TestOpenAICancelled(t *testing.T) {
	inBothAPIs(t, func(t *testing.T, stream func(*fake) *engine.Provider, _ string) {
		s := serve(t, llmtest.Reply{Text: "so far", Hang: true})
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		_, err := stream(s).Stream(ctx, ask("m"), func(c chat.Chunk) {
			if c.Text != "" {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want context.Canceled", err)
		}
		select {
		case <-s.Gone():
		case <-time.After(wait):
			t.Error("the connection stayed open")
		}
	})
}

func TestOpenAIInvalidToolCalls(t *testing.T) {
	calls := []llmtest.Call{{ID: "a", Name: "ls", Args: `{"path": oops`},
		{ID: "a", Name: "nosuch", Args: `{}`}}
	inBothAPIs(t, func(t *testing.T, stream func(*fake) *engine.Provider, _ string) {
		got, _, err := heard(t, stream(serve(t, llmtest.Reply{Calls: calls, Uncounted: true})),
			ask("m"))
		if want := ` a=ls{"path": oops a=nosuch{} tool_calls`; got != want || err != nil {
			t.Errorf("got %q %v, want %q, to be answered by the agent", got, err, want)
		}
	})
}

func TestOpenAINoServer(t *testing.T) {
	s := serve(t)
	inBothAPIs(t, func(t *testing.T, stream func(*fake) *engine.Provider, _ string) {
		_, _, err := heard(t, stream(&fake{s.Server, "http://127.0.0.1:1"}), ask("m"))
		if err == nil || !strings.Contains(err.Error(),
			"is providers.local.base_url in config.toml = http://127.0.0.1:1/v1 right, and does "+
				"the server run?") {
			t.Errorf("got %v", err)
		}
	})
}

// TestOpenAIKeysDoNotLeak checks that the key of the environment is not sent to a server that the
// user named, and that no redirect leaks a key.
func TestOpenAIKeysDoNotLeak(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID",
		"OPENAI_PROJECT_ID"} {
		t.Setenv(name, "sk-of-the-environment")
	}
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: sk-of-the-environment")
	inBothAPIs(t, func(t *testing.T, _ func(*fake) *engine.Provider, _ string) {
		s := serve(t, llmtest.Reply{Text: "hi"})
		at := local(s)
		at.key, at.headers = "", map[string]string{"X-Own": "yes"}
		for _, make := range []func(server, Options) *engine.Provider{newChat, newResponses} {
			if _, _, err := heard(t, make(at, Options{}), ask("m")); err != nil {
				t.Error(err)
			}
		}
		for _, r := range s.Requests() {
			for name, values := range r.Header {
				if strings.Contains(strings.Join(values, " "), "environment") {
					t.Errorf("header %s: got %v", name, values)
				}
			}
			if r.Header.Get("X-Own") != "yes" || r.Header.Get("Authorization") != "" {
				t.Errorf("got %v", r.Header)
			}
		}
	})
	elsewhere := ""
	thief := web(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		elsewhere += r.Header.Get("Authorization") + r.Header.Get("X-Own")
	}))
	moved := web(t, http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		http.Redirect(w, r, thief, http.StatusTemporaryRedirect)
	}))
	inBothAPIs(t, func(t *testing.T, stream func(*fake) *engine.Provider, _ string) {
		if _, _, err := heard(t, stream(&fake{nil, moved}), ask("m")); err == nil ||
			elsewhere != "" {
			t.Errorf("got %v, the other server got %q", err, elsewhere)
		}
	})
}
