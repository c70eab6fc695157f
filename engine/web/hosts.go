// This file judges hosts and their addresses by what was granted.

package web

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// HostError says that a host was not granted.
type HostError struct{ Host string } // with its port, if that is not the usual one

func (e *HostError) Error() string { return e.Host + " is not granted" }

// AddressError says that a host leads to an address that must be granted by itself.
type AddressError struct{ Host, Address string }

func (e *AddressError) Error() string {
	if e.Host == e.Address {
		return e.Host + " is no public address: a grant must name it"
	}
	return fmt.Sprintf("%s leads to %s, which is no public address: a grant must name that", e.Host,
		e.Address)
}

// grade is how much a grant says of a host.
type grade int

const (
	refused  grade = iota
	anything       // "*" or a pattern: public addresses
	named          // the name itself: also those of private networks
)

// splitHostPort cuts a grant or an address into host and port; "" is every port.
func splitHostPort(s string) (host, port string) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.Trim(s, "[]"), ""
	}
	return usual(host), port
}

// usual is a host as it is asked for: in small letters of ASCII, without the dot at its end.
func usual(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		// a * may stand in a grant
		lookup := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))
		if ascii, err := lookup.ToASCII(host); err == nil {
			return ascii
		}
	}
	return host
}

// judge says what the grants say of a host.
func judge(grants []string, host, port string) grade {
	host = usual(host)
	best := refused
	for _, g := range grants {
		name, at := splitHostPort(g)
		if at != "" && at != port {
			continue
		}
		switch fits, _ := path.Match(name, host); {
		case name == host:
			return named
		case fits && strings.Contains(name, "*"):
			best = anything
		}
	}
	return best
}

// Allowed reports whether the grants name the host of a URL.
func Allowed(grants []string, u *url.URL) error {
	if judge(grants, u.Hostname(), Port(u)) == refused {
		return &HostError{HostOf(u)}
	}
	return nil
}

// HostOf is the host of a URL as a grant names it.
func HostOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if u.Port() == "" {
		if strings.Contains(host, ":") {
			return "[" + host + "]"
		}
		return host
	}
	return net.JoinHostPort(host, u.Port())
}

// Port is the port of a URL.
func Port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// address reports whether a host may lead to an address: to a public one always; to one of a
// private network if a grant names the host or the address; to this machine, and what is local to
// its wires, if it names the address, or localhost.
func address(grants []string, host, port string, ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	how := judge(grants, host, port)
	switch {
	case Public(ip) && how != refused, judge(grants, ip.String(), port) == named:
		return nil
	case how == named && (ip.IsPrivate() || sharedSpace.Contains(ip)):
		return nil
	case how == named && ip.IsLoopback() && local(host):
		return nil
	}
	return &AddressError{host, ip.String()}
}

// sharedSpace is what private networks of providers use, and VPNs. Source: RFC 6598.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// local reports whether a name means this machine by itself.
func local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
