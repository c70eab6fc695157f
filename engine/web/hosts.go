// This file checks hosts and their addresses against grants.

package web

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// HostError reports that a host was not granted.
type HostError struct{ Host string } // with its port, if that is not the default one

func (e *HostError) Error() string { return e.Host + " is not granted" }

// AddressError reports that a host resolves to an address that needs a grant of its own.
type AddressError struct{ Host, Address string }

func (e *AddressError) Error() string {
	if e.Host == e.Address {
		return e.Host + " is no public address: a grant must name it"
	}
	return fmt.Sprintf("%s leads to %s, which is no public address: a grant must name that", e.Host,
		e.Address)
}

// grade says how specifically a grant names a host.
type grade int

const (
	refused  grade = iota
	anything       // "*" or a pattern: public addresses
	named          // the name itself: addresses of private networks too
)

// splitHostPort splits a grant or an address into host and port; "" means every port.
func splitHostPort(s string) (host, port string) {
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.Trim(s, "[]"), ""
	}
	return usual(host), port
}

// usual returns a host in canonical form: lower case ASCII, without a dot at its end.
func usual(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		// a * is allowed in a grant
		lookup := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(false))
		if ascii, err := lookup.ToASCII(host); err == nil {
			return ascii
		}
	}
	return host
}

// judge returns how the grants name a host.
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

// Allowed returns an error if the grants do not name the host of a URL.
func Allowed(grants []string, u *url.URL) error {
	if judge(grants, u.Hostname(), Port(u)) == refused {
		return &HostError{HostOf(u)}
	}
	return nil
}

// Names reports whether a grant names a host itself, with any port.
func Names(grants []string, host string) bool {
	return slices.ContainsFunc(grants, func(g string) bool {
		name, _ := splitHostPort(g)
		return name == host
	})
}

// HostOf returns the host of a URL as a grant names it.
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

// Port returns the port of a URL.
func Port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// address checks whether a host may resolve to an address: a public one is always allowed; one of a
// private network if a grant names the host or the address; a loopback or link-local one if a grant
// names the address, or localhost.
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

// sharedSpace is the address range of carrier networks and VPNs. Source: RFC 6598.
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// local reports whether a name always means this machine.
func local(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
