// This file decides from which addresses the agent may fetch: none that only this machine or its
// network can reach, unless the user has allowed it. Otherwise a page could make the agent send
// requests to services that trust every client that reaches them.

package tool

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/agentscripts/agent/engine/web"
)

// FetchOptions configures what the tool fetch may reach.
type FetchOptions struct {
	Private bool // allow every address
	// in addition to public ones: "localhost:3000", "10.0.0.0/8", "intranet.example"; without a
	// port, every one
	Allow []string
	// Proxy is http.ProxyFromEnvironment or a replacement; nil = no proxies.
	Proxy func(*http.Request) (*url.URL, error)
	// Version is the program's version for servers.
	Version string
}

// allowed is what the user allowed in addition to public addresses.
type allowed struct {
	all   bool
	names map[string]bool // "host" or "host:port", in lower case
	nets  []allowedNet
}

type allowedNet struct {
	prefix netip.Prefix
	port   string // "" = every one
}

// CheckFetchAllow returns what is wrong with an entry of FetchOptions.Allow.
func CheckFetchAllow(entry string) error {
	a := &allowed{names: map[string]bool{}}
	return a.addAddress(entry)
}

func (a *allowed) addAddress(entry string) error {
	host, port, err := net.SplitHostPort(entry)
	if err != nil {
		host, port = strings.Trim(entry, "[]"), ""
	}
	host = strings.ToLower(host)
	if prefix, err := netip.ParsePrefix(host); err == nil {
		a.nets = append(a.nets, allowedNet{prefix.Masked(), port})
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		a.nets = append(a.nets, allowedNet{netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen()), port})
		return nil
	}
	if _, err := strconv.ParseUint(port, 10, 16); host == "" ||
		strings.ContainsAny(host, "/*: @") || port != "" && err != nil {
		return fmt.Errorf(
			`got %q, want a host, an address or a network such as "localhost:3000" or "10.0.0.0/8"`,
			entry)
	}
	a.names[strings.TrimSuffix(net.JoinHostPort(host, port), ":")] = true
	return nil
}

// name reports whether a host is allowed whatever its address.
func (a *allowed) name(host, port string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return a.all || a.names[host] || a.names[net.JoinHostPort(host, port)]
}

func (a *allowed) address(ip netip.Addr, port string) bool {
	ip = ip.Unmap().WithZone("")
	if a.all || web.Public(ip) {
		return true
	}
	for _, n := range a.nets {
		if n.prefix.Contains(ip) && (n.port == "" || n.port == port) {
			return true
		}
	}
	return false
}

// refusedError is the refusal of an address.
type refusedError struct{ host, address, port string }

func (e *refusedError) Error() string {
	what := e.host
	if e.address != e.host {
		what += " (" + e.address + ")"
	}
	return fmt.Sprintf(
		"%s is not a public address, so it was not fetched; to allow it, the user can set in "+
			"config.toml, below [tools]: fetch_allow = [%q]",
		what, net.JoinHostPort(e.host, e.port))
}

// dial connects to a host of a URL. It checks the resolved address and connects to that address, so
// that the name cannot resolve to another one in between.
func (a *allowed) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialTimeout}
	if !a.name(host, port) {
		d.Control = func(_, address string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(address)
			if err != nil || !a.address(to.Addr(), port) {
				return &refusedError{host, to.Addr().Unmap().String(), port}
			}
			return nil
		}
	}
	return d.DialContext(ctx, network, address)
}

// dialTimeout is the time limit for a connection.
const dialTimeout = 10 * time.Second

// guarded sends requests to allowed addresses, through a proxy if there is one.
type guarded struct {
	allowed *allowed
	proxy   func(*http.Request) (*url.URL, error)
	direct  *http.Transport
	proxied *http.Transport // connects only to proxies, at any address: the user named them
}

func newGuarded(o FetchOptions) (*guarded, error) {
	g := &guarded{allowed: &allowed{all: o.Private, names: map[string]bool{}}, proxy: o.Proxy}
	for _, entry := range o.Allow {
		if err := g.allowed.addAddress(entry); err != nil {
			return nil, fmt.Errorf("fetch_allow: %w", err)
		}
	}
	transport := func() *http.Transport {
		return &http.Transport{DisableKeepAlives: true, TLSHandshakeTimeout: dialTimeout,
			ResponseHeaderTimeout: fetchTimeout, MaxResponseHeaderBytes: 1 << 20,
			ForceAttemptHTTP2: true}
	}
	g.direct, g.proxied = transport(), transport()
	g.direct.DialContext = g.allowed.dial
	g.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return g.proxy(r) }
	return g, nil
}

// RoundTrip sends one request; each redirect is another one.
func (g *guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if g.proxy == nil {
		return g.direct.RoundTrip(r)
	}
	proxy, err := g.proxy(r)
	switch {
	case err != nil:
		return nil, fmt.Errorf("proxy: %w", err)
	case proxy == nil:
		return g.direct.RoundTrip(r)
	}
	if err := g.resolves(r.Context(), r.URL); err != nil {
		return nil, err
	}
	return g.proxied.RoundTrip(r)
}

// resolves checks the address that a proxy would connect to, as far as possible: the proxy resolves
// the name itself.
func (g *guarded) resolves(ctx context.Context, u *url.URL) error {
	host, port := u.Hostname(), web.Port(u)
	if g.allowed.name(host, port) {
		return nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return fmt.Errorf(
			"the address of %s is unknown here, and a proxy would connect to it unchecked; to "+
				"allow it, the user can set in config.toml, below [tools]: fetch_allow = [%q]",
			host, host)
	}
	for _, ip := range ips {
		if !g.allowed.address(ip, port) {
			return &refusedError{host, ip.Unmap().String(), port}
		}
	}
	return nil
}
