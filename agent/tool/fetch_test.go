package tool

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
)

// site is a server with one page per path.
func site(t *testing.T, pages map[string]http.HandlerFunc) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	for path, f := range pages {
		mux.HandleFunc(path, f)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func serve(kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		fmt.Fprint(w, body)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, to,
			http.StatusFound)
	}
}

func fetchWith(t *testing.T, o FetchOptions, u string) *engine.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	all := testOptions(t)
	all.Fetch = o
	return callWith(ctx, t, all, t.TempDir(), "fetch", map[string]any{"url": u}, nil)
}

func TestFetch(t *testing.T) {
	t.Parallel()
	var pic bytes.Buffer
	if err := png.Encode(&pic, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	s := site(t, map[string]http.HandlerFunc{
		"/text": serve("text/plain", "plain"),
		"/html": serve("text/html; charset=utf-8",
			"<title>T</title><p>Hi <a href='/x'>there</a></p>"),
		"/latin":  serve("text/html; charset=iso-8859-1", "<p>caf\xe9</p>"),
		"/meta":   serve("text/html", "<meta charset=windows-1252><p>\x80 caf\xe9</p>"),
		"/utf16":  serve("text/plain; charset=utf-16le", "h\x00i\x00"),
		"/korean": serve("text/html", "<meta charset=ks_c_5601-1987>\xc7\xd1"),
		"/big5":   serve("text/plain; charset=Big5", "\xa4\xa4"),
		"/json":   serve("application/json", `{"a": 1}`),
		"/empty":  serve("text/html", "<script>x</script>"),
		"/bin":    serve("application/zip", "PK\x00\x01"),
		"/octets": serve("application/octet-stream", "only text"),
		"/png":    serve("image/png", pic.String()),
		"/nopng":  serve("image/png", "<html>sorry</html>"),
		"/large":  serve("text/plain", strings.Repeat("x", fetchBytes+10)),
		"/gone": func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no such page",
				404)
		},
		"/agent": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.UserAgent(),
				r.Header.Get("Cookie"))
		},
		"/moved":  redirect("/text"),
		"/round":  redirect("/round"),
		"/away":   redirect("http://example.org/secret"),
		"/inside": redirect("http://169.254.169.254/latest/meta-data"),
		"/scheme": redirect("file:///etc/passwd"),
		"/half": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		},
	})
	tests := []struct{ path, want string }{
		{"/text", "plain"},
		{"/text#fragment", "plain"},
		{"/html", "# T\n\nHi [there](" + s.URL + "/x)"},
		{"/latin", "café"},
		{"/meta", "€ café"},
		{"/utf16", "hi"},
		{"/big5", "!the page is in big5, which is not decoded here"},
		{"/korean", "!iconv -f euc-kr"},
		{"/json", `{"a": 1}`},
		{"/empty", "[no text]"},
		{"/bin", "!application/zip, 4 bytes: not shown"},
		{"/octets", "only text"},
		{"/nopng",
			"!it is said to be image/png, but it holds no image that models take (text/html"},
		{"/large", "~\n[the answer is larger: this is of its first 10 MB]"},
		{"/gone", "!status 404 Not Found\nno such page"},
		{"/agent", "agent/1.0"},
		{"/moved", "plain"},
		{"/round", "!more than 10 redirects"},
		{"/away", "~redirects to another host: http://example.org/secret\nFetch that"},
		{"/inside", "~redirects to another host: http://169.254.169.254/"},
		{"/scheme", "~redirects to another host: file:///etc/passwd"},
		{"/half", "!it ended too early"},
	}
	o := FetchOptions{Allow: []string{"127.0.0.1"}, Version: "1.0"}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) { expect(t, fetchWith(t, o, s.URL+tt.path), tt.want) })
	}
	r := fetchWith(t, o, s.URL+"/png")
	if r.IsError || len(r.Content) != 1 || r.Content[0].Type != "image" ||
		r.Content[0].MimeType != "image/png" {
		t.Errorf("got %+v", r)
	}
}

func TestFetchURLs(t *testing.T) {
	t.Parallel()
	for u, want := range map[string]string{
		"":                       "want one that begins with http://",
		"ftp://x/y":              "want one that begins with http://",
		"file:///etc/passwd":     "want one that begins with http://",
		"http://":                "names no host",
		"http://me:secret@host/": "are not sent: leave them out",
		"http://[::1":            "missing ']' in host",
		"http://h/" + strings.Repeat("x", urlBytes): "at most 8192 are allowed",
	} {
		if _, err := fetchURL(u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %s", u, err, want)
		}
	}
}

func TestFetchRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	s := site(t, map[string]http.HandlerFunc{"/": serve("text/plain", "inside")})
	u, _ := url.Parse(s.URL)
	port := u.Port()
	tests := []struct {
		url   string
		allow string
		want  string
	}{
		{s.URL, "", "!127.0.0.1 is not a public address, so it was not fetched; to allow it, " +
			"the user can set in config.toml, below [tools]: fetch_allow = [\"127.0.0.1:" + port +
			"\"]"},
		{"http://localhost:" + port, "", "!localhost (127.0.0.1) is not a public address"},
		{"http://[::ffff:127.0.0.1]:" + port, "", "!is not a public address"},
		{"http://0.0.0.0:" + port, "", "!is not a public address"},
		{"http://[::1]:" + port, "", "!is not a public address"},
		{"http://169.254.169.254/", "", "!is not a public address"},
		{"http://2130706433:" + port, "", "!"}, // 127.0.0.1 as a number
		{"http://127.1:" + port, "", "!"},
		{s.URL, "127.0.0.1:" + port, "inside"},
		{s.URL, "127.0.0.0/8", "inside"},
		{s.URL, "127.0.0.1:1", "!is not a public address"},
		{"http://LOCALHOST:" + port, "localhost", "inside"},
		{"http://localhost:" + port, "localhost:" + port, "inside"},
		{"http://localhost:" + port, "localhost:1", "!is not a public address"},
		{s.URL, "localhost", "!is not a public address"},
	}
	for _, tt := range tests {
		t.Run(tt.url+" "+tt.allow, func(t *testing.T) {
			o := FetchOptions{}
			if tt.allow != "" {
				o.Allow = []string{tt.allow}
			}
			expect(t, fetchWith(t, o, tt.url), tt.want)
		})
	}
	expect(t, fetchWith(t, FetchOptions{Private: true}, s.URL), "inside")
}

// TestFetchThroughAProxy checks that the proxy may have a private address, but not the server
// behind it.
func TestFetchThroughAProxy(t *testing.T) {
	t.Parallel()
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		fmt.Fprint(w, "by proxy")
	}))
	defer proxy.Close()
	to, _ := url.Parse(proxy.URL)
	o := FetchOptions{Proxy: http.ProxyURL(to), Allow: []string{"intranet.invalid"}}
	expect(t, fetchWith(t, o, "http://8.8.8.8/x"), "by proxy")
	expect(t, fetchWith(t, o, "http://intranet.invalid/"), "by proxy")
	expect(t, fetchWith(t, o, "http://10.1.2.3/"), "!10.1.2.3 is not a public address")
	expect(t, fetchWith(t, o, proxy.URL), "!is not a public address") // the proxy itself
	expect(t, fetchWith(t, o, "http://name.invalid/"), "!is unknown here")
	if got := strings.Join(asked, " "); got != "http://8.8.8.8/x http://intranet.invalid/" {
		t.Errorf("the proxy got the request %s", got)
	}
}

func TestFetchIsCancelled(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	begun := make(chan struct{})
	s := site(t, map[string]http.HandlerFunc{"/": func(w http.ResponseWriter,
		r *http.Request) {
		close(begun)
		<-stuck
	}})
	defer close(stuck)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		<-begun
		cancel()
	}()
	o := testOptions(t)
	o.Fetch.Private = true
	expect(t, callWith(ctx, t, o, t.TempDir(), "fetch", map[string]any{"url": s.URL}, nil),
		"!cancelled by the user")
}

func TestFetchAllow(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{"localhost": "", "localhost:3000": "",
		"10.0.0.0/8": "", "10.1.2.3:80": "", "[::1]:80": "", "::1": "", "fd00::/8": "",
		"": "want a host", "http://x": "want a host", "*.example.org": "want a host",
		"a b": "want a host", "10.0.0.0/99": "want a host"} {
		err := CheckFetchAllow(entry)
		if want == "" && err != nil || want != "" &&
			(err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", entry, err, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	base, _ := url.Parse("https://example.org/a/b")
	tests := []struct{ name, page, want string }{
		{"paragraphs", "<p>one\n two</p><p>three</p>", "one two\n\nthree"},
		{"headings", "<h1>A</h1>x<h3> B <i>c</i></h3>y", "# A\n\nx\n\n### B c\n\ny"},
		{"links", `<a href="c">C</a>, <a href="//o.org/x (y)">O</a> <a href="#here">h</a> <a ` +
			`href="javascript:x()">j</a>`,
			"[C](https://example.org/a/c), [O](https://o.org/x%20%28y%29) h j"},
		{"lists", "<ul><li>a</li><li><p>b</p><ol><li>c<li>d</ol></li></ul>e",
			"- a\n- b\n  1. c\n  2. d\n\ne"},
		{"code", "<p>use <code>x  y</code>.</p><pre><code>if a {\n  b\n}</code></pre>",
			"use `x y`.\n\n```\nif a {\n  b\n}\n```"},
		{"table", "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>",
			"a | b\n1 | 2"},
		{"quote", "<blockquote><p>q</p><p>r</p></blockquote>s", "> q\n\n> r\n\ns"},
		{"left out", "a<script>if (a<b) {}</script><style>x{}</style><!-- c " +
			"--><svg><title>t</title>s<svg>i</svg>u</svg>b", "ab"},
		{"entities", "&lt;b&gt; &amp; &eacute; &#8364;&nbsp;x", "<b> & é €\u00a0x"},
		{"image", `<img src="i.png" alt=" a  b "><img src=x>`,
			"![a b](https://example.org/a/i.png)"},
		{"breaks", "a<br>b<hr>c", "a\nb\n\n---\n\nc"},
		{"badly nested", "</ul></a></pre><b><a href=x>l</b></p>k</a></div>",
			"[l\n\nk](https://example.org/a/x)"},
		{"never closed", "<ul><li>a<script>", "- a"},
		{"words that touch", "<b>a</b>b <i>c</i>", "ab c"},
	}
	for _, tt := range tests {
		if got, _ := markdown(tt.page, base); strings.ReplaceAll(got, "\u00a0",
			" ") != strings.ReplaceAll(tt.want, "\u00a0", " ") {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, tt.want)
		}
	}
	if _, title := markdown("<title> a\n b </title><title>c</title>", base); title != "a b" {
		t.Errorf("got title %q", title)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"<p>a</p>", "<ul><li>x", "<pre>\n\n</pre>", "<a href='x'>y",
		"<blockquote>" + strings.Repeat("<ul>", 50), "<svg/><svg><svg>"} {
		f.Add(s)
	}
	base, _ := url.Parse("https://example.org/")
	f.Fuzz(func(t *testing.T, s string) {
		got, _ := markdown(s, base)
		if n := len(s); len(got) > 200*n+1000 {
			t.Errorf("%d bytes became %d", n, len(got))
		}
		// code blocks keep empty lines
		if strings.Contains(got, "\n\n\n\n") && !strings.Contains(got, "```") {
			t.Errorf("%q: too many empty lines in %q", s, got)
		}
	})
}
