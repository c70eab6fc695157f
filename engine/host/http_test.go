package host

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/value"
)

// server serves each path with the function for it.
func server(t *testing.T, pages map[string]http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, page := range pages {
		mux.HandleFunc(path, page)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// echo responds with its request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Twice", "a")
	w.Header().Add("X-Twice", "b")
	_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "headers": r.Header,
		"body": string(body), "host": r.Host})
}

// codeOf returns the code of an error of the world, or the text of any other error.
func codeOf(err error) string {
	var w *fault.WorldError
	if errors.As(err, &w) {
		return w.Code
	}
	return fmt.Sprint(err)
}

func TestHTTP(t *testing.T) {
	s := server(t, map[string]http.HandlerFunc{
		"/echo": echo,
		"/404":  func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", 404) },
		"/bin": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte("a\x00\xff"))
		},
	})
	_, call := granted(t, "net:127.0.0.1")
	table := New(Options{Version: "7"})
	r, err := call(table.requests.any, object{"url": s.URL + "/echo#part",
		"json": object{"b": 1.0, "a": []any{}}, "headers": object{"X-One": "1",
			"x-many": []any{"2", 3.0}}})
	if err != nil || r["status"] != 200 {
		t.Fatalf("got %v, %v", r, err)
	}
	var got struct {
		Method, Body string
		Headers      http.Header
	}
	if err := json.Unmarshal([]byte(r["body"].(string)), &got); err != nil {
		t.Fatal(err)
	}
	h := got.Headers
	if got.Method != "POST" || got.Body != `{"a":[],"b":1}` ||
		h.Get("Content-Type") != "application/json" || h.Get("X-One") != "1" ||
		strings.Join(h["X-Many"], ",") != "2,3" || h.Get("User-Agent") != "agent/7" {
		t.Errorf("got %+v", got)
	}
	if r["headers"].(object)["x-twice"] != "a, b" {
		t.Errorf("got %v", r["headers"])
	}
	get := table.requests.method("ext.http.get", "GET")
	if r, err = call(get, s.URL+"/404", nil); err != nil || r["status"] != 404 ||
		r["body"] != "no\n" {
		t.Errorf("got %v, %v", r, err)
	}
	if r, err = call(get, s.URL+"/bin", nil); err != nil || r["body"] != "a\x00\uFFFD" {
		t.Errorf("got %v, %v", r, err)
	}
	if r, err = call(get, s.URL+"/bin", object{"binary": true}); err != nil || r["body"] != "YQD/" {
		t.Errorf("got %v, %v", r, err)
	}
}

func TestHTTPMisuse(t *testing.T) {
	_, call := granted(t, "net:example.com", "net:example.org:8080")
	table := New(Options{})
	for _, tt := range []struct {
		request object
		want    string
	}{
		{object{"url": "https://api.example.com/x"}, `needs "@grant net:api.example.com"`},
		{object{"url": "http://localhost:8080/x"}, `needs "@grant net:localhost:8080"`},
		{object{"url": "http://example.org/x"}, `needs "@grant net:example.org"`},
		{object{"url": "http://example.com@evil.example/x"}, `needs "@grant net:evil.example"`},
		{object{"url": "http://[::1]/"}, `needs "@grant net:[::1]"`},
		{object{"url": "file:///etc/passwd"},
			`url: got "file:///etc/passwd", want one that begins with http`},
		{object{"url": "http://"}, `has no host`},
		{object{"url": "http://example.com/\x00"},
			`ext.http.request: url: net/url: invalid control character`},
		{object{"url": "http://example.com/" + strings.Repeat("x", urlBytes)}, `want at most`},
		{object{"url": "http://example.com", "method": "GET /"}, `method: got "GET /", want GET`},
		{object{"url": "http://example.com", "method": "connect"}, `method: got "CONNECT"`},
		{object{"url": "http://example.com", "headers": object{"Host": "x"}},
			`headers.Host: is set by the program`},
		{object{"url": "http://example.com", "headers": object{"X": "a\r\nY: b"}},
			`headers.X: has a control character in it`},
		{object{"url": "http://example.com", "headers": object{"X:": "a"}},
			`headers: "X:" is not a valid name of a header`},
		{object{"url": "http://example.com", "headers": object{"X": true}},
			`headers.X: got boolean, want string`},
		{object{"url": "http://example.com", "body": "x", "json": 1.0}, `got both body and json`},
		{object{"url": "http://example.com", "json": object{"a": []any{&value.Secret{}}}},
			`json.a[1]: a secret can be sent as a header only`},
		{object{"url": "http://example.com", "timeout": -1.0}, `timeout: got -1`},
		{object{"url": "http://example.com", "on_line": goFunc(nil), "on_chunk": goFunc(nil)},
			`got both on_chunk and on_line`},
	} {
		if _, err := call(table.requests.any, tt.request); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.200v: got %v, want %s", tt.request, err, tt.want)
		}
	}
}

// TestHTTPRedirects: redirects stay within the grant, and headers for one host are not sent to
// another.
func TestHTTPRedirects(t *testing.T) {
	other := server(t, map[string]http.HandlerFunc{"/echo": echo})
	to := func(address string, status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, address, status) }
	}
	pages := map[string]http.HandlerFunc{"/echo": echo, "/other": to(other.URL+"/echo", 302),
		"/other307": to(other.URL+"/echo", 307),
		"/far":      to("http://far.example/", 302), "/file": to("file:///etc/passwd", 302),
		"/same": to("/echo", 302), "/loop": to("/loop", 302)}
	s := server(t, pages)
	secret := object{"headers": object{"X-Key": "k", "Authorization": "k", "Cookie": "k",
		"Accept": "a"}}
	get, post := New(Options{}).requests.method("ext.http.get", "GET"),
		New(Options{}).requests.method("ext.http.post", "POST")
	_, call := granted(t, "net:127.0.0.1")
	r, err := call(get, s.URL+"/same", secret)
	if err != nil || !strings.Contains(r["body"].(string), "X-Key") || r["url"] != s.URL+"/echo" {
		t.Errorf("on the same host: got %v, %v", r, err)
	}
	r, err = call(get, s.URL+"/other", secret)
	if body := fmt.Sprint(r["body"]); err != nil || strings.Contains(body, `"k"`) ||
		strings.Contains(body, "Referer") || !strings.Contains(body, `"Accept":["a"]`) {
		t.Errorf("on another host: got %v, %v", r, err)
	}
	for path, want := range map[string]string{"/far": "a redirect: far.example is not granted",
		"/file": `a redirect to "file:"`, "/loop": "more than 10 redirects"} {
		if _, err := call(get, s.URL+path, nil); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", path, err)
		}
	}
	if _, err = call(post, s.URL+"/other307", object{"body": "secret"}); err == nil ||
		!strings.Contains(err.Error(), "which the body is not sent to") {
		t.Errorf("a body: got %v", err)
	}
	u, _ := url.Parse(s.URL)
	_, call = granted(t, "net:"+u.Host)
	if _, err = call(get, s.URL+"/other", nil); codeOf(err) != "denied" {
		t.Errorf("to another port than was granted: got %v", err)
	}
}

// TestHTTPAddresses: only a grant that names this machine reaches it.
func TestHTTPAddresses(t *testing.T) {
	s := server(t, map[string]http.HandlerFunc{"/echo": echo})
	u, _ := url.Parse(s.URL)
	get := New(Options{}).requests.method("ext.http.get", "GET")
	for _, tt := range []struct{ grant, host, want string }{
		{"127.0.0.1", "127.0.0.1", ""},
		{"127.0.0.1:" + u.Port(), "127.0.0.1", ""},
		{"localhost", "localhost", ""},
		{"LOCALHOST", "LocalHost", ""},
		{"*", "127.0.0.1", "denied"},
		{"*", "localhost", "denied"},
		{"*.0.0.1", "127.0.0.1", "denied"},
		{"*", "[::ffff:127.0.0.1]", "denied"},
		{"*", "0.0.0.0", "denied"},
		{"*", "2130706433", ""}, // systems differ in what they do with it
	} {
		_, call := granted(t, "net:"+tt.grant)
		_, err := call(get, "http://"+tt.host+":"+u.Port()+"/echo", nil)
		if tt.host == "2130706433" {
			if err == nil {
				t.Errorf("%s: the server was reached", tt.host)
			}
		} else if err != nil && codeOf(err) != tt.want || err == nil && tt.want != "" {
			t.Errorf("@grant net:%s, %s: got %v, want %q", tt.grant, tt.host, err, tt.want)
		}
	}
}

// TestHTTPBounds: responses that are too large, too slow or decompress to too much are errors.
func TestHTTPBounds(t *testing.T) {
	hang := make(chan struct{})
	s := server(t, map[string]http.HandlerFunc{
		"/large": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.CopyN(w, zeros{}, bodyBytes+1)
		},
		"/bomb": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.CopyN(z, zeros{}, 10*bodyBytes)
			_ = z.Close()
		},
		"/slow": func(w http.ResponseWriter, r *http.Request) { <-hang },
		"/drip": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "begin")
			w.(http.Flusher).Flush()
			<-hang
		},
		"/short": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "short")
		},
	})
	_, call := granted(t, "net:127.0.0.1")
	get := New(Options{}).requests.method("ext.http.get", "GET")
	for path, want := range map[string]string{"/large": "too_large", "/bomb": "too_large",
		"/slow": "timeout", "/drip": "timeout", "/short": "failed"} {
		options := object{}
		if want == "timeout" {
			options["timeout"] = 0.1
		}
		if _, err := call(get, s.URL+path, options); codeOf(err) != want {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	close(hang) // Close waits for the handlers
	s.Close()
	if _, err := call(get, s.URL+"/", nil); codeOf(err) != "refused" {
		t.Errorf("got %v", err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// TestHTTPEndsWithItsHandler: a request ends when its call is cancelled.
func TestHTTPEndsWithItsHandler(t *testing.T) {
	begun, left := make(chan struct{}), make(chan struct{})
	s := server(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(left)
	}})
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	go func() {
		<-begun
		cancel(why)
	}()
	if _, err := callIn(ctx, "net:127.0.0.1")(New(Options{}).requests.method("ext.http.get", "GET"),
		s.URL, nil); err != why {
		t.Errorf("got %v, want the cause", err)
	}
	select {
	case <-left:
	case <-time.After(testTime):
		t.Error("the request was not cancelled")
	}
}

// TestHTTPStreams: pieces arrive as they are sent, and an error of the script's function ends the
// request.
func TestHTTPStreams(t *testing.T) {
	next := make(chan struct{})
	s := server(t, map[string]http.HandlerFunc{
		"/events": func(w http.ResponseWriter, r *http.Request) {
			for i, part := range []string{"\uFEFFda", "ta: one\r",
				"\ndata: two\r\n\r\n: no\nevent: end\nid: 7\ndata:\n\n", "data: broken off"} {
				if i > 0 {
					<-next
				}
				_, _ = io.WriteString(w, part)
				w.(http.Flusher).Flush()
			}
		},
		"/lines": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "é1\r\n2\n3")
		},
		"/500": func(w http.ResponseWriter, r *http.Request) { http.Error(w, "broken", 500) },
	})
	_, call := granted(t, "net:127.0.0.1")
	get := New(Options{}).requests.method("ext.http.get", "GET")
	var got []string
	take := goFunc(func(args ...any) (any, error) {
		b, _ := json.Marshal(args[0])
		got = append(got, string(b))
		return nil, nil
	})
	go func() {
		for range 3 {
			next <- struct{}{}
		}
	}()
	for _, tt := range []struct{ path, kind, want string }{
		{"/events", "on_event",
			`{"data":"one\ntwo","event":"message"} {"data":"","event":"end","id":"7"}`},
		{"/lines", "on_line", `"é1" "2" "3"`},
		{"/lines", "on_chunk", `"é1\r\n2\n3"`},
		{"/500", "on_line", ``},
	} {
		got = nil
		r, err := call(get, s.URL+tt.path, object{tt.kind: take})
		if g := strings.Join(got, " "); err != nil || g != tt.want ||
			(r["body"] != nil) != (r["status"] == 500) {
			t.Errorf("%s: got %s, %v, %v, want %s", tt.path, g, r, err, tt.want)
		}
	}
	stop := errors.New("stop")
	if _, err := call(get, s.URL+"/lines",
		object{"on_line": goFunc(func(...any) (any, error) { return nil, stop })}); err != stop {
		t.Errorf("got %v", err)
	}
}

func BenchmarkHTTP(b *testing.B) {
	s := httptest.NewServer(http.HandlerFunc(echo))
	defer s.Close()
	call := callIn(context.Background(), "net:127.0.0.1")
	get := New(Options{}).requests.method("ext.http.get", "GET")
	for b.Loop() {
		if _, err := call(get, s.URL, nil); err != nil {
			b.Fatal(err)
		}
	}
}
