package llm

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine"
)

func web(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// listed returns a provider's list of models.
func listed(t *testing.T, p *engine.Provider) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	models, err := p.List(ctx)
	var lines []string
	for _, m := range models {
		line := fmt.Sprintf("%s %d", m.ID, m.Context)
		if m.Images {
			line += " images"
		}
		if m.Thinking {
			line += " thinking"
		}
		if m.Price != nil {
			line += fmt.Sprintf(" %.4g/%.4g", m.Price.Input, m.Price.Output)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), err
}

func find(t *testing.T, name string, o Options) *engine.Provider {
	t.Helper()
	all, _ := Providers(o)
	for _, p := range all {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no provider %s", name)
	return nil
}

func TestModelsOfThisMachine(t *testing.T) {
	s := llmtest.New()
	s.Models = []llmtest.Model{{ID: "qwen3:8b", Context: 40960, Thinking: true, Loaded: 4096},
		{ID: "llava:7b", Context: 32768, Images: true}}
	env := environment("OLLAMA_HOST", strings.TrimPrefix(web(t, s.Ollama()), "http://"))
	yes := true
	o := Options{Env: env, LlamaCpp: web(t, s.LlamaCpp()),
		Config: &config.Config{Models: []config.Model{{Name: "ollama/llava:7b", Thinking: &yes}}}}
	if got, err := listed(t,
		find(t, "ollama", o)); got != "qwen3:8b 4096 thinking\nllava:7b 32768 images thinking" ||
		err != nil {
		t.Errorf("ollama: got %s %v", got, err)
	}
	s.Models = s.Models[:1]
	if got, err := listed(t, find(t, "llamacpp", o)); got != "qwen3:8b 40960" || err != nil {
		t.Errorf("llama.cpp: got %s %v", got, err)
	}
}

func TestModelsOfANamedServer(t *testing.T) {
	const answer = `{"data":[{"id":"a/b","context_length":1000,"pricing":{"prompt":"0.000001","completion":"0.000002"}},{"id":"vllm","max_model_len":2000,"pricing":null},
		{"id":3},{"id":"free","context_window":"much","pricing":{"prompt":"-1","completion":"0"}},"rubbish"]}`
	tests := []struct{ name, answer, want, err string }{
		{"rubbish in a list", strings.Replace(answer, `,"rubbish"`, "", 1),
			"a/b 1000 1/2\nvllm 2000\nfree 0", ""},
		{"a list of other things", answer, "", "no list of models"},
		{"no list", `{"hello":1}`, "", ""},
		{"a page", `<html><title>Router</title>`, "", "no list of models"},
		{"no", `401`, "", "is the key in K right?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got *http.Request
			url := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r
				if tt.answer == "401" {
					w.WriteHeader(401)
					return
				}
				w.Write([]byte(tt.answer))
			}))
			o := Options{Env: environment("K", "sk-1\n"),
				Config: &config.Config{Providers: []config.Provider{
					{Name: "x", API: "chat", BaseURL: url + "/v1", APIKeyEnv: "K",
						Headers: map[string]string{"X-A": "b"}}}}}
			list, err := listed(t, find(t, "x", o))
			if list != tt.want || (err == nil) != (tt.err == "") || err != nil &&
				!strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %s %v, want %s %s", list, err, tt.want, tt.err)
			}
			if got.URL.Path != "/v1/models" || got.Header.Get("Authorization") != "Bearer sk-1" ||
				got.Header.Get("X-A") != "b" {
				t.Errorf("got %s %v", got.URL, got.Header)
			}
		})
	}
}

// TestBadServersAreReported checks that a server that hangs, sends garbage, or is another program
// is skipped and reported.
func TestBadServersAreReported(t *testing.T) {
	hang := web(t, http.HandlerFunc(func(_ http.ResponseWriter,
		r *http.Request) {
		<-r.Context().Done()
	}))
	drip := web(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			w.Write([]byte(" "))
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
	}))
	other := web(t, http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.Write([]byte("<html>welcome"))
	}))
	proxy := web(t, http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.Write([]byte(`{"status":"ok"}`))
	}))
	closed := httptest.NewServer(nil)
	closed.Close()
	tests := []struct{ name, provider, at, err string }{
		{"hangs", "ollama", hang, "no answer in 3s"},
		{"never ends", "ollama", drip, "no answer in 3s"},
		{"another program", "ollama", other, "no list of models"},
		{"does not run, though it was named", "ollama", closed.URL, "OLLAMA_HOST"},
		{"hangs on llama.cpp's port", "llamacpp", hang, "no answer in 3s"},
		{"another program on llama.cpp's port", "llamacpp", other, "is not llama.cpp"},
		{"one that answers JSON", "llamacpp", proxy, "is not llama.cpp"},
		{"nobody on llama.cpp's port", "llamacpp", closed.URL, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{Env: environment("OLLAMA_HOST", tt.at), LlamaCpp: tt.at}
			got, err := listed(t, find(t, tt.provider, o))
			if got != "" || (err == nil) != (tt.err == "") || err != nil &&
				!strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q %v, want %q", got, err, tt.err)
			}
		})
	}
}

func TestOllamaAddress(t *testing.T) {
	for host, want := range map[string]string{"127.0.0.1:11434": "http://127.0.0.1:11434",
		"0.0.0.0": "http://127.0.0.1:11434", ":9000": "http://127.0.0.1:9000",
		"box": "http://box:11434", "https://box/ollama/": "https://box/ollama",
		"[::1]:11434": "http://[::1]:11434", "http://box:80": "http://box:80"} {
		if got := ollamaURL(host); got != want {
			t.Errorf("%s: got %s, want %s", host, got, want)
		}
	}
}

func TestProviders(t *testing.T) {
	o := Options{Env: environment("OPENAI_API_KEY", " sk-a\n", "TWO", "sk\nb"),
		Config: &config.Config{Providers: []config.Provider{
			{Name: "ollama", API: "chat", BaseURL: "http://box:1/v1", Models: []string{"m"}},
			{Name: "openai", API: "chat", BaseURL: "https://x/v1", APIKeyEnv: "TWO"},
			{Name: "third", API: "responses", BaseURL: "box:1"},
			{Name: "fourth", API: "chat", BaseURL: "http://x", APIKeyEnv: "NONE"}}}}
	all, warnings := Providers(o)
	var got []string
	for _, p := range all {
		line := p.Name
		if p.Unusable != "" {
			line += ": " + p.Unusable
		}
		got = append(got, line)
	}
	want := []string{
		"anthropic: set ANTHROPIC_API_KEY",
		"openai: TWO contains a line break, a space or another character that no key has: set it " +
			"to the key alone",
		"ollama",
		`third: providers.third.base_url in config.toml: got "box:1", want an address such as ` +
			`http://127.0.0.1:8080/v1`,
		"fourth: set NONE",
		"llamacpp",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %s, want %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if text := strings.Join(warnings, "\n"); len(warnings) != 2 ||
		!strings.Contains(text, "built-in provider ollama") ||
		!strings.Contains(text, "built-in provider openai") {
		t.Errorf("warnings: got %s", text)
	}
	for _, tt := range []struct{ env, want string }{{"", "set OPENAI_API_KEY"},
		{"http://127.0.0.1:1/v1", ""}, {"127.0.0.1:1", "OPENAI_BASE_URL: got"}} {
		p := find(t, "openai", Options{Env: environment("OPENAI_BASE_URL", tt.env)})
		if !strings.HasPrefix(p.Unusable, tt.want) || tt.want == "" && p.Unusable != "" {
			t.Errorf("%s: got %q, want %q", tt.env, p.Unusable, tt.want)
		}
		if len(p.Models) < 5 || p.Models[0].ID != "gpt-5.2" || p.Models[0].Price == nil {
			t.Errorf("models: got %v", p.Models)
		}
	}
}
