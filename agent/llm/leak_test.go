package llm

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// TestRedirect checks that neither a key nor a conversation is sent to the target of a redirect,
// and that the error names the target.
func TestRedirect(t *testing.T) {
	for api, provider := range map[string]func(server,
		Options) *engine.Provider{"anthropic": newAnthropic, "chat": newChat,
		"responses": newResponses} {
		for _, status := range []int{http.StatusMovedPermanently, http.StatusFound,
			http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
			elsewhere := web(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				t.Errorf("%s %d: another server got %v %s", api, status, r.Header, b)
			}))
			other := strings.Replace(elsewhere, "127.0.0.1", "localhost", 1)
			at := web(t, http.HandlerFunc(func(w http.ResponseWriter,
				r *http.Request) {
				http.Redirect(w, r, other+r.URL.Path, status)
			}))
			s := local(&fake{nil, at})
			s.headers = map[string]string{"X-Token": "secret"}
			p := provider(s, Options{})
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			defer cancel()
			_, err := p.Stream(ctx, ask("m"), func(chat.Chunk) {})
			if err == nil || !strings.Contains(err.Error(), other) ||
				!strings.Contains(err.Error(), s.setting) {
				t.Errorf("%s %d: got %v, want the target and the setting", api, status,
					err)
			}
			if _, err := p.List(ctx); err == nil || !strings.Contains(err.Error(), s.setting) {
				t.Errorf("%s %d: list: got %v, want the setting", api, status, err)
			}
		}
	}
}

func TestShown(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.example.com/v1":         "https://api.example.com/v1",
		"http://me:pw@127.0.0.1:1/a@b":       "http://…@127.0.0.1:1/a@b",
		"htp://me:pw@host:x1/v1":             "htp://…@host:x1/v1",
		"http://me:p@w@host/v1?key=k&x=1":    "http://…@host/v1?…",
		"127.0.0.1:1/v1?api-version=2026-01": "127.0.0.1:1/v1?…",
	} {
		if got := shown(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}

// TestSecrets checks that the credentials of every kind of setting are secrets.
func TestSecrets(t *testing.T) {
	o := Options{Env: environment("OPENAI_API_KEY", "key-one\n", "TWO", "key-two", "OTHER",
		"nothing", "OPENAI_BASE_URL", "https://me:pass%20word@host/v1"),
		Config: &config.Config{Providers: []config.Provider{
			{Name: "a", APIKeyEnv: "TWO", BaseURL: "http://me:url-pass@h/v1",
				Headers: map[string]string{"X-Team": "docs", "Authorization": "Bearer header-key",
					"X-Api-Key": "other-key"}},
			{Name: "b", APIKeyEnv: "TWO", BaseURL: "http://%zz"}}}}
	want := []string{"header-key", "key-one", "key-two", "other-key", "pass word", "url-pass"}
	if got := Secrets(o); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSecretsOfEveryProvider checks that every variable of the environment that a provider reads is
// masked, or a secret in it, without a list of them.
func TestSecretsOfEveryProvider(t *testing.T) {
	read := map[string]bool{}
	o := Options{Env: func(name string) string {
		read[name] = true
		return "https://me:pass-" + name + "@host"
	}, Config: &config.Config{Providers: []config.Provider{{Name: "own", APIKeyEnv: "OWN_KEY"}}}}
	Providers(o)
	if len(read) < 6 || !read["OWN_KEY"] {
		t.Fatalf("the providers read %v", read)
	}
	secrets := Secrets(o)
	for name := range read {
		if !slices.Contains(secrets, "pass-"+name) && !slices.Contains(secrets, o.Env(name)) {
			t.Errorf("the value of %s is not masked: read it with key or address", name)
		}
	}
}
