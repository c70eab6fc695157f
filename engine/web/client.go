// This file makes requests.

package web

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

const (
	// dialTimeout is the time limit for making a connection.
	dialTimeout = 10 * time.Second
	// redirects is the maximal number of redirects that are followed, similar to browsers.
	redirects = 10
	// headerBytes is the largest size of the headers of an answer.
	headerBytes = 1 << 20
)

// Client makes requests to granted hosts. The zero Client reaches none.
type Client struct {
	Hosts []string // HOST, HOST:PORT, *.HOST, or * for every public one
	// Proxy is http.ProxyFromEnvironment, or a replacement; nil = no proxies. A proxy resolves the
	// host itself, so if only a pattern allows a host, it is looked up here first.
	Proxy func(*http.Request) (*url.URL, error)
}

// Do makes a request and follows redirects. The caller must close the body of the response. Only
// the context of the request limits the time.
func (c *Client) Do(req *http.Request) (*http.Response, error) {
	if err := Allowed(c.Hosts, req.URL); err != nil {
		return nil, err
	}
	client := &http.Client{Transport: c, CheckRedirect: c.redirect}
	resp, err := client.Do(req)
	return resp, Cause(err)
}

// Cause returns the cause of an error of this package, or of net/http, without the method and the
// address.
func Cause(err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		return ue.Err
	}
	return err
}

// redirect decides whether to follow a redirect, and removes data that was meant for another host
// only.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	from := via[len(via)-1]
	if len(via) > redirects {
		return fmt.Errorf("more than %d redirects", redirects)
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return fmt.Errorf("a redirect to %.80q", req.URL.Scheme+":")
	}
	if err := Allowed(c.Hosts, req.URL); err != nil {
		return fmt.Errorf("a redirect: %w", err)
	}
	if req.URL.Scheme == via[0].URL.Scheme && HostOf(req.URL) == HostOf(via[0].URL) &&
		HostOf(from.URL) == HostOf(via[0].URL) {
		return nil
	}
	if req.Body != nil && req.Body != http.NoBody {
		return fmt.Errorf("a redirect to %s, which the body is not sent to", HostOf(req.URL))
	}
	kept := http.Header{}
	for _, name := range []string{"Accept", "Accept-Language", "User-Agent"} {
		if v := req.Header.Values(name); v != nil {
			kept[name] = v
		}
	}
	req.Header = kept
	return nil
}

// RoundTrip makes one request; each redirect is a separate one. It implements http.RoundTripper.
func (c *Client) RoundTrip(req *http.Request) (*http.Response, error) {
	transport := &http.Transport{DisableKeepAlives: true, TLSHandshakeTimeout: dialTimeout,
		MaxResponseHeaderBytes: headerBytes, ForceAttemptHTTP2: true}
	var proxy *url.URL
	if c.Proxy != nil {
		var err error
		if proxy, err = c.Proxy(req); err != nil {
			return nil, fmt.Errorf("proxy: %w", err)
		}
	}
	if proxy == nil {
		transport.DialContext = c.Dial
		return transport.RoundTrip(req)
	}
	if err := c.resolveProxy(req.Context(), req.URL); err != nil {
		return nil, err
	}
	transport.Proxy = http.ProxyURL(proxy) // configured by the user, so its address is not checked
	return transport.RoundTrip(req)
}

// Dial connects to a granted host, "HOST:PORT". It checks the resolved address just before
// connecting, so a name cannot resolve differently in between.
func (c *Client) Dial(ctx context.Context, network, to string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(to)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialTimeout, Control: func(_, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err != nil {
			return err
		}
		return address(c.Hosts, host, port, at.Addr())
	}}
	return d.DialContext(ctx, network, to)
}

// resolveProxy checks which address a proxy would connect to, as far as it can be resolved here.
func (c *Client) resolveProxy(ctx context.Context, u *url.URL) error {
	host, port := u.Hostname(), Port(u)
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil && judge(c.Hosts, host, port) == named {
		return nil // often only the proxy can resolve the name
	} else if err != nil {
		return fmt.Errorf(
			"where %s leads cannot be known from here, and a proxy would go there unchecked: a "+
				"grant must name it", host)
	}
	for _, ip := range ips {
		if err := address(c.Hosts, host, port, ip); err != nil {
			return err
		}
	}
	return nil
}
