package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/config"
)

func TestDecode(t *testing.T) {
	type inner struct {
		A wireText        `json:"a"`
		N wireNumber      `json:"n"`
		P *wireNumber     `json:"p"`
		R json.RawMessage `json:"r"`
	}
	var v struct {
		L wireList[inner] `json:"l"`
		O inner           `json:"o"`
		B bool            `json:"b"`
	}
	for data, want := range map[string]string{
		`{}`:                  `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"o":"x","b":"y"}`:   `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"o":"x","b":true}`:  `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":true}`,
		`{"l":{}}`:            `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"l":[{"a":1},"x"]}`: `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"l":[{"a":1},null]}`: `{"l":[{"a":"1","n":0,"p":null,"r":null},` +
			`{"a":"","n":0,"p":null,"r":null}],"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"o":{"a":{"b": 1}}}`: `{"l":null,"o":{"a":"{\"b\": ` +
			`1}","n":0,"p":null,"r":null},"b":false}`,
		`{"o":{"a":null}}`: `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"o":{"n":"12"}}`: `{"l":null,"o":{"a":"","n":12,"p":null,"r":null},"b":false}`,
		`{"o":{"n":1e3}}`:  `{"l":null,"o":{"a":"","n":1000,"p":null,"r":null},"b":false}`,
		`{"o":{"n":-1e300}}`: `{"l":null,"o":{"a":"","n":-9007199254740992,"p":null,"r":null},` +
			`"b":false}`,
		`{"o":{"n":"NaN"}}`:     `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"o":{"n":[1]}}`:       `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`{"o":{"p":"x","r":0}}`: `{"l":null,"o":{"a":"","n":0,"p":0,"r":0},"b":false}`,
		`null`:                  `{"l":null,"o":{"a":"","n":0,"p":null,"r":null},"b":false}`,
		`[]`:                    "error", `"x"`: "error", `5`: "error", ``: "error", `{`: "error",
		`{} {}`: "error",
	} {
		v.L, v.O, v.B = nil, inner{}, false
		got := "error"
		if err := decodeObject([]byte(data), &v); err == nil {
			b, _ := json.Marshal(v)
			got = string(b)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", data, got, want)
		}
	}
}

// FuzzUnquote checks that valid UTF-8 is decoded as encoding/json does, and that no other byte is
// lost.
func FuzzUnquote(f *testing.F) {
	f.Add(`a\u00fc\n\ud83d\ude00\ud83d"`)
	f.Add("half \xc3")
	f.Fuzz(func(t *testing.T, s string) {
		quoted := []byte(`"` + s + `"`)
		if json.Valid(quoted) && string([]rune(s)) == s {
			var want string
			if err := json.Unmarshal(quoted, &want); err != nil {
				t.Fatal(err)
			}
			if got := unquote(quoted); got != want {
				t.Errorf("%s: got %q, want %q", quoted, got, want)
			}
		}
		if json.Valid(quoted) && !strings.Contains(s, `\`) && unquote(quoted) != s {
			t.Errorf("%q: got %q", quoted, unquote(quoted))
		}
	})
}

// TestHeaders checks that every request, also for a list, names the program, and that the user's
// headers have priority.
func TestHeaders(t *testing.T) {
	for api, want := range map[string]http.Header{
		"chat":      {"Authorization": {"Bearer sk-1"}},
		"responses": {"Authorization": {"Bearer sk-1"}},
		"anthropic": {"X-Api-Key": {"sk-1"}, "Anthropic-Version": {"2023-06-01"}},
	} {
		for _, own := range []map[string]string{nil,
			{"authorization": "Basic x", "x-api-key": "y", "anthropic-version": "2030-01-01",
				"user-agent": "mine"}} {
			var got []http.Header
			at := web(t, http.HandlerFunc(func(_ http.ResponseWriter,
				r *http.Request) {
				got = append(got, r.Header)
			}))
			o := Options{Env: environment("K", "sk-1"), Version: "7",
				Config: &config.Config{Providers: []config.Provider{
					{Name: "x", API: api, BaseURL: at, APIKeyEnv: "K", Headers: own}}}}
			p := find(t, "x", o)
			_, _, _ = heard(t, p, ask("m"))
			_, _ = p.List(context.Background())
			if len(got) != 2 {
				t.Fatalf("%s: got %d requests", api, len(got))
			}
			all := http.Header{"User-Agent": {"agent/7"}, "Accept": nil}
			for name, values := range want {
				all[name] = values
			}
			for name, value := range own {
				all.Set(name, value)
			}
			for i, h := range got {
				for name := range all {
					if v := h.Get(name); v == "" || all.Get(name) != "" && v != all.Get(name) {
						t.Errorf("%s, request %d: %s: got %q, want %q", api, i, name, v,
							all.Get(name))
					}
				}
				if own == nil && (h.Get("Authorization") == "") != (api == "anthropic") {
					t.Errorf("%s: got %v", api, h)
				}
			}
			if kind := got[0].Get("Content-Type"); kind != "application/json" {
				t.Errorf("%s: got content type %q", api, kind)
			}
		}
	}
}
