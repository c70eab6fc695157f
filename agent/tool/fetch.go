package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/web"
)

const (
	// fetchTimeout is the time limit of a whole fetch.
	fetchTimeout = 30 * time.Second
	// fetchBytes is how much of an answer is read: more would not help a model.
	fetchBytes = 10 << 20
	// fetchRedirects is how many redirects are followed.
	fetchRedirects = 10
	// urlBytes is the length limit of a URL: a longer one may be meant to leak data.
	urlBytes = 8192
	// errorBytes is how much of the body of an error response is shown.
	errorBytes = 4096
)

func fetchTool(o Options) *engine.Tool {
	return &engine.Tool{
		// not read-only: a URL can send anything to a server
		Name: "fetch", Kind: "other", Source: "builtin",
		Description: "Fetches a URL with GET and returns its text; a web page as Markdown, an " +
			"image as an image. Redirects to another host are reported, not followed.",
		Schema: object(map[string]any{
			"url": property("string", "http:// or https:// address"),
		}, "url"),
		Subject: &subject.Subject{Kind: subject.URL, Arg: "url", Verb: "Fetch",
			Title: []subject.Phrase{{Arg: "url"}}},
		Aliases: also(map[string]string{"uri": "url", "link": "url"}),
		Run:     interruptible(o.runFetch),
	}
}

func (o Options) runFetch(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	u, err := fetchURL(value.Text(use.Args, "url"))
	if err != nil {
		return nil, err
	}
	transport, err := newGuarded(o.Fetch)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	req.Header.Set("User-Agent", strings.TrimSuffix("agent/"+o.Fetch.Version, "/"))
	req.Header.Set("Accept",
		"text/markdown, text/html;q=0.9, text/plain;q=0.9, application/json;q=0.9, */*;q=0.5")
	client := &http.Client{Transport: transport, CheckRedirect: stay}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fetchError(ctx, u, err)
	}
	defer resp.Body.Close()
	if to := resp.Header.Get("Location"); resp.StatusCode/100 == 3 && to != "" {
		if next, err := resp.Request.URL.Parse(to); err == nil {
			to = next.String()
		}
		return engine.TextResult(
			fmt.Sprintf("[%s redirects to another host: %s\nFetch that if it is what you want.]", u,
				to)), nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, fetchBytes+1))
	if err != nil {
		return nil, fetchError(ctx, u, err)
	}
	r, err := fetched(resp, body)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", u, err)
	}
	r.Details = map[string]any{"url": resp.Request.URL.String(), "status": resp.StatusCode,
		"content_type": resp.Header.Get("Content-Type"), "bytes": len(body)}
	return r, nil
}

// fetchURL validates a URL from the model.
func fetchURL(text string) (*url.URL, error) {
	if len(text) > urlBytes {
		return nil, fmt.Errorf("fetch: the url has %d bytes, at most %d are allowed", len(text),
			urlBytes)
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) {
			err = ue.Err
		}
		return nil, fmt.Errorf("fetch: url: %w", err)
	}
	switch u.Scheme = strings.ToLower(u.Scheme); {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("fetch: url: got %q, want one that begins with http:// or https://",
			text)
	case u.Hostname() == "":
		return nil, fmt.Errorf("fetch: url: %q names no host", text)
	case u.User != nil:
		return nil, errors.New("fetch: url: a name and password in it are not sent: leave them out")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// stay follows redirects on the same host. A redirect to another host needs another call, with its
// own decision.
func stay(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1].URL
	switch {
	case len(via) > fetchRedirects:
		return fmt.Errorf("more than %d redirects", fetchRedirects)
	case !sameHost(from, req.URL), req.URL.User != nil, req.URL.Scheme != from.Scheme &&
		req.URL.Scheme != "https":
		return http.ErrUseLastResponse
	}
	return nil
}

// sameHost reports whether two URLs belong to one site, regardless of case, www. and http or https.
func sameHost(a, b *url.URL) bool {
	site := func(u *url.URL) string {
		return strings.TrimPrefix(strings.ToLower(u.Hostname()),
			"www.")
	}
	usual := func(u *url.URL) bool {
		return u.Port() == "" || u.Port() == "80" ||
			u.Port() == "443"
	}
	return site(a) == site(b) && (web.Port(a) == web.Port(b) || usual(a) && usual(b))
}

func fetchError(ctx context.Context, u *url.URL, err error) error {
	var refused *refusedError
	var ue *url.Error
	switch {
	case errors.As(err, &refused):
		return fmt.Errorf("fetch: %w", refused)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("fetch %s: no answer within %s", u, fetchTimeout)
	case ctx.Err() != nil:
		return stopped(ctx)
	case errors.As(err, &ue):
		err = ue.Err
	}
	return fmt.Errorf("fetch %s: %w", u, plain.Wrap(err))
}

// fetched converts an answer to a result.
func fetched(resp *http.Response, body []byte) (*engine.Result, error) {
	kind := resp.Header.Get("Content-Type")
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	media, _, err := mime.ParseMediaType(kind)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(kind), ";")
	}
	large := ""
	if len(body) > fetchBytes {
		body = plain.Head(body, fetchBytes)
		large = fmt.Sprintf("\n[the answer is larger: this is of its first %d MB]", fetchBytes>>20)
	}
	ok := resp.StatusCode/100 == 2
	_, shown := pictures[media]
	switch {
	case ok && shown:
		block, err := Picture(body)
		if err != nil {
			return nil, fmt.Errorf("it is said to be %s, but %w", media, err)
		}
		return &engine.Result{Content: []chat.Block{block}}, nil
	case !textual(media, body):
		return nil, fmt.Errorf(
			"status %d: %s, %d bytes%s: not shown; a command such as curl -o can save it",
			resp.StatusCode, media, len(body), large)
	}
	text, err := decoded(body, kind)
	if err != nil {
		return nil, fmt.Errorf("fetch %s: %w", resp.Request.URL, err)
	}
	title := ""
	if media == "text/html" || media == "application/xhtml+xml" {
		text, title = markdown(text, resp.Request.URL)
	}
	if strings.TrimSpace(text) == "" {
		text = "[no text]"
	}
	if !ok {
		if len(text) > errorBytes {
			text = plain.Head(text, errorBytes) + "\n[cut]"
		}
		return engine.ErrorResult(fmt.Sprintf("fetch %s: status %s\n%s", resp.Request.URL,
			resp.Status, text)), nil
	}
	r := engine.TextResult(text + large)
	if title != "" && !strings.HasPrefix(text, "# ") {
		r.Content[0].Text = "# " + title + "\n\n" + r.Content[0].Text
	}
	r.Display = &ui.Display{Title: resp.Request.URL.String(), Kind: "text"}
	return r, nil
}

// textual reports whether an answer is text.
func textual(media string, body []byte) bool {
	switch {
	case strings.HasPrefix(media, "text/"), strings.HasSuffix(media, "+json"),
		strings.HasSuffix(media, "+xml"):
		return true
	}
	switch media {
	case "application/json", "application/xml", "application/javascript",
		"application/x-javascript", "application/ecmascript", "application/yaml",
		"application/x-yaml", "application/toml", "application/x-sh", "application/sql",
		"application/graphql", "application/x-ndjson":
		return true
	case "application/octet-stream", "": // used by servers that do not know the type
		head := plain.Head(body, sniffBytes)
		return len(head) > 0 && bytes.IndexByte(head, 0) < 0 &&
			utf8.Valid(head[:len(head)-plain.Unfinished(head)])
	}
	return false
}
