package web

import (
	"net/netip"
	"net/url"
	"testing"
)

func TestPublic(t *testing.T) {
	for ip, want := range map[string]bool{"8.8.8.8": true, "1.1.1.1": true, "2606:4700::1111": true,
		"::ffff:8.8.8.8": true,
		"10.0.0.1":       false, "172.16.0.1": false, "172.32.0.1": true, "192.168.1.1": false,
		"127.0.0.1": false, "127.255.255.254": false, "169.254.169.254": false,
		"0.0.0.0": false, "0.1.2.3": false, "100.64.0.1": false, "100.128.0.1": true,
		"224.0.0.1": false, "255.255.255.255": false, "240.0.0.1": false, "198.18.0.1": false,
		"::": false, "::1": false, "fe80::1": false, "fc00::1": false, "fd00:ec2::254": false,
		"ff02::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false,
		"::ffff:100.64.0.1": false,
		"::127.0.0.1":       false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false,
		"fec0::1":     false,
		"2001:db8::1": false} {
		if got := Public(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s: got %v", ip, got)
		}
	}
}

// TestHostNames: a grant and an address mean the same host, however it is written.
func TestHostNames(t *testing.T) {
	for _, tt := range []struct {
		grant, address string
		want           bool
	}{
		{"b\u00fccher.example", "http://xn--bcher-kva.example/", true},
		{"xn--bcher-kva.example", "http://B\u00dcCHER.example./", true},
		{"*.b\u00fccher.example", "http://www.b\u00fccher.example/", true},
		{"example.com", "http://EXAMPLE.com.:80/", true},
		{"example.com", "http://example.com@evil.example/", false},
		{"example.com", "http://evil.example/example.com", false},
		{"example.com:443", "http://example.com/", false},
		{"example.com:443", "https://example.com/", true},
		{"[::1]", "http://[::1]:8080/", true},
		{"example.com", "http://\u0435xample.com/", false}, // a Cyrillic letter
	} {
		u, err := url.Parse(tt.address)
		if err != nil {
			t.Fatal(err)
		}
		if err := Allowed([]string{tt.grant}, u); (err == nil) != tt.want {
			t.Errorf("@grant net:%s, %s: got %v", tt.grant, tt.address, err)
		}
	}
}
