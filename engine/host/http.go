// This file implements ext.http: requests of scripts.

package host

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/value"
	"github.com/agentscripts/agent/engine/web"
)

const (
	// requestPatience is the longest wait for an answer, and for each piece of it: a server that is
	// silent for longer hangs.
	requestPatience = 30 * time.Second
	// urlBytes is the maximal length of a URL: servers do not accept longer ones.
	urlBytes = 64 << 10
)

// requests implements ext.http.
type requests struct {
	version string                                // of the program, for the User-Agent header
	proxy   func(*http.Request) (*url.URL, error) // nil: none is used
	outside *Outside                              // replaces servers in tests; nil: not used
}

func (r *requests) funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"http.request": r.any, "http.get": r.method("ext.http.get", "GET"),
		"http.post": r.method("ext.http.post", "POST"),
	}
}

// any implements ext.http.request.
func (r *requests) any(c *engine.HostCall) (any, error) {
	m := c.Args[0].(map[string]any)
	return r.do(c, "ext.http.request", text(m["method"]), text(m["url"]), m)
}

// method makes ext.http.get and ext.http.post; name is for errors.
func (r *requests) method(name, method string) engine.HostFunc {
	return func(c *engine.HostCall) (any, error) {
		return r.do(c, name, method, text(c.Args[0]), table(c.Args[1]))
	}
}

// do makes a request and reads the answer.
func (r *requests) do(c *engine.HostCall, name, method, address string, m map[string]any) (any,
	error) {
	u, err := Reach(c.Gen, name, address)
	if err != nil {
		return nil, err
	}
	req, err := r.newRequest(name, method, u, m)
	if err != nil {
		return nil, err
	}
	a, err := newAnswer(c, name, m)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(c.Context())
	defer cancel(nil)
	a.clock = newPatience(cancel, a.timeout)
	defer a.clock.stop()
	resp, err := r.send(a, req.WithContext(ctx))
	var result map[string]any
	if err == nil {
		defer resp.Body.Close()
		result, err = a.readBody(resp)
	}
	if err == nil {
		return result, nil
	}
	if own := c.Context(); own.Err() != nil {
		return nil, context.Cause(own)
	}
	if a.failed != nil {
		return nil, a.failed
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return nil, requestError(name, u, err)
}

// send sends a request, to the replacement of servers if there is one.
func (r *requests) send(a *response, req *http.Request) (*http.Response, error) {
	if r.outside == nil {
		return (&web.Client{Hosts: hosts(a.c.Gen), Proxy: r.proxy}).Do(req)
	}
	resp, err := r.outside.Send(a.c, a.name, req)
	if world := (*fault.WorldError)(nil); err != nil && !errors.As(err, &world) {
		a.failed = err // not an external failure
	}
	return resp, err
}

// Reach parses the address of a request, and checks that the script has the grant for its host.
// name is the calling function.
func Reach(g *engine.Generation, name, address string) (*url.URL, error) {
	u, err := parseURL(name, address)
	if err != nil {
		return nil, err
	}
	if err := web.Allowed(hosts(g), u); err != nil {
		return nil, engine.Needs(name, "net:"+web.HostOf(u))
	}
	return u, nil
}

// hosts returns the hosts that a script may reach; for a grant of an option it is the option's
// value, a host or a URL.
func hosts(g *engine.Generation) []string {
	list := slices.Clone(g.Header.Grants.Named("net"))
	for i, host := range list {
		option, ok := strings.CutPrefix(host, "option.")
		if !ok {
			continue
		}
		value, _ := g.Registry.Option(option)
		list[i] = text(value)
		if u, err := url.Parse(list[i]); err == nil && u.Host != "" {
			list[i] = net.JoinHostPort(u.Hostname(), web.Port(u))
		}
	}
	return list
}

func parseURL(name, address string) (*url.URL, error) {
	if len(address) > urlBytes {
		return nil, fmt.Errorf("%s: url: got %d bytes, want at most %d", name, len(address),
			urlBytes)
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil {
		return nil, fmt.Errorf("%s: url: %w", name, web.Cause(err))
	}
	switch u.Scheme = strings.ToLower(u.Scheme); {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%s: url: got %.80q, want one that begins with http:// or https://",
			name, address)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%s: url: %.80q has no host", name, address)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// token matches a method or the name of a header. Source: RFC 9110, "Tokens".
var token = lazyregexp.New("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// maxToken is the maximal length of a token in bytes: those in use are much shorter.
const maxToken = 256

// ownHeaders are set by the program itself: a different Host would reach a server without a grant.
var ownHeaders = []string{"Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade",
	"Te", "Trailer", "Keep-Alive", "Expect",
	"Accept-Encoding", "Proxy-Authorization", "Proxy-Connection"}

func (r *requests) newRequest(name, method string, u *url.URL, m map[string]any) (*http.Request,
	error) {
	body, kind, err := requestBody(name, m)
	if err != nil {
		return nil, err
	}
	if method == "" {
		if method = http.MethodGet; body != nil {
			method = http.MethodPost
		}
	}
	method = strings.ToUpper(method)
	if len(method) > maxToken || !token().MatchString(method) || method == "CONNECT" ||
		method == "TRACE" {
		return nil, fmt.Errorf(
			"%s: method: got %.40q, want GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS", name,
			method)
	}
	req, err := http.NewRequest(method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, web.Cause(err))
	}
	req.Header.Set("User-Agent", strings.TrimSuffix("agent/"+r.version, "/"))
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	headers := table(m["headers"])
	for _, key := range value.SortedKeys(headers) {
		if err := setHeader(req.Header, key, headers[key]); err != nil {
			return nil, fmt.Errorf("%s: headers%w", name, err)
		}
	}
	return req, nil
}

// requestBody returns the body of a request and its default content type.
func requestBody(name string, m map[string]any) (body []byte, kind string, err error) {
	val, isJSON := m["json"]
	switch given, isText := m["body"].(string); {
	case isJSON && isText:
		return nil, "", fmt.Errorf("%s: got both body and json, want one of them", name)
	case isText && text(m["encoding"]) == "base64":
		if body, err = base64.StdEncoding.DecodeString(given); err != nil {
			return nil, "", fmt.Errorf("%s: body: %w", name, err)
		}
		return body, "", nil
	case isText:
		return []byte(given), "", nil
	case !isJSON:
		return nil, "", nil
	}
	if key, ok := findSecret(val); ok {
		return nil, "", fmt.Errorf("%s: json%s: a secret can be sent as a header only", name, key)
	}
	p, err := value.JSONData(name+": json", val)
	if err != nil {
		return nil, "", err
	}
	if body, err = json.Marshal(p); err != nil {
		return nil, "", fmt.Errorf("%s: json: %w", name, err)
	}
	return body, "application/json", nil
}

// findSecret finds a secret in plain data, which would send its name instead of its value.
func findSecret(v any) (key string, found bool) {
	switch v := v.(type) {
	case *value.Secret:
		return "", true
	case map[string]any:
		for _, k := range value.SortedKeys(v) {
			if key, found := findSecret(v[k]); found {
				return "." + k + key, true
			}
		}
	case []any:
		for i, e := range v {
			if key, found := findSecret(e); found {
				return fmt.Sprintf("[%d]%s", i+1, key), true
			}
		}
	}
	return "", false
}

func setHeader(h http.Header, key string, v any) error {
	if len(key) > maxToken || !token().MatchString(key) {
		return fmt.Errorf(": %.80q is not a valid name of a header", key)
	}
	if slices.Contains(ownHeaders, http.CanonicalHeaderKey(key)) {
		return fmt.Errorf(".%s: is set by the program", key)
	}
	values, many := v.([]any)
	if !many {
		values = []any{v}
	}
	h.Del(key)
	for _, v := range values {
		s, ok := v.(string)
		if secret, handle := v.(*value.Secret); handle {
			s, ok = secret.Reveal(), true
		}
		if n, number := value.Number(v); number {
			s, ok = value.NumberText(n), true
		}
		if !ok {
			return fmt.Errorf(".%s: got %s, want string", key, value.TypeName(v))
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf(".%s: has a control character in it", key)
		}
		h.Add(key, s)
	}
	return nil
}

// requestError returns the error of a failed request, with a code by kind.
func requestError(name string, u *url.URL, err error) error {
	var (
		dns     *net.DNSError
		host    *web.HostError
		address *web.AddressError
		timeout interface{ Timeout() bool }
		world   *fault.WorldError
	)
	code := "failed"
	switch {
	case errors.As(err, &world):
		code = world.Code
	case errors.As(err, &host), errors.As(err, &address):
		code = "denied"
	case errors.As(err, &dns) && dns.IsNotFound:
		code, err = "not_found", errors.New("there is no such host")
	case errors.Is(err, syscall.ECONNREFUSED):
		code, err = "refused", errors.New("the connection was refused")
	case errors.As(err, &timeout) && timeout.Timeout():
		code = "timeout"
	}
	return &fault.WorldError{Code: code, Message: fmt.Sprintf("%s: %s: %s", name, web.HostOf(u),
		plain.Error(err))}
}

// encoded returns a body as text or base64, as the script requested.
func encoded(body []byte, binary bool) string {
	if binary {
		return base64.StdEncoding.EncodeToString(body)
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(body), "\uFEFF"), "\uFFFD")
}
