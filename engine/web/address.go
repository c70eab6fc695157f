// This file distinguishes public addresses from those that only this machine or its network can
// reach.

package web

import "net/netip"

// unreachable are the non-public addresses that netip does not know. Source: IANA's registries of
// special-purpose addresses.
var unreachable = [...]string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
	"2002::/16", "fec0::/10"}

// Public reports whether an address is on the public internet.
func Public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	// excluded here: loopback, link-local (with cloud metadata), multicast
	if !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return false
	}
	for _, p := range unreachable {
		if netip.MustParsePrefix(p).Contains(ip) {
			return false
		}
	}
	return true
}
