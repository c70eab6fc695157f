// This file checks the formats of strings, which the drafts before 2019-09 require.

package schemas

import (
	"net/netip"
	"net/url"
	"strings"
	"time"
)

type format struct {
	name string
	fits func(string) bool
}

// formatOf returns a format by its name; nil = it is not checked.
func formatOf(name string) *format {
	var fits func(string) bool
	switch name {
	case "date":
		fits = isTime(time.DateOnly)
	case "time":
		fits = isTime("15:04:05Z07:00")
	case "date-time":
		fits = isTime(time.RFC3339)
	case "email":
		fits = isEmail
	case "hostname":
		fits = isHostname
	case "ipv4":
		fits = func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }
	case "ipv6":
		fits = func(s string) bool {
			a, err := netip.ParseAddr(s)
			return err == nil && a.Is6() && a.Zone() == ""
		}
	case "uri", "iri":
		fits = func(s string) bool { u, err := url.Parse(s); return err == nil && u.IsAbs() }
	case "uri-reference", "iri-reference":
		fits = isReference
	case "uuid":
		fits = isUUID
	case "json-pointer":
		fits = isPointer
	default:
		return nil
	}
	return &format{name, fits}
}

// isTime returns a check for the form layout of RFC 3339: T and Z may be lower case, and leap
// seconds are allowed.
func isTime(layout string) func(string) bool {
	return func(s string) bool {
		s = strings.ToUpper(s)
		if strings.Contains(s, ",") {
			return false // which package time accepts
		}
		if at := strings.Index(s, ":60"); at >= 0 && strings.Count(s[:at], ":") == 1 {
			s = s[:at] + ":59" + s[at+len(":60"):]
		}
		_, err := time.Parse(layout, s)
		return err == nil
	}
}

func isReference(s string) bool {
	_, err := url.Parse(s)
	return err == nil && !strings.Contains(s, `\`)
}

func isEmail(s string) bool {
	const most, mostLocal = 254, 64 // RFC 5321
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > mostLocal || len(s) > most {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if quoted := len(local) > 1 && local[0] == '"' && local[at-1] == '"'; quoted {
		if strings.ContainsAny(local[1:at-1], `\"`) {
			return false
		}
	} else if local[0] == '.' || local[at-1] == '.' || strings.Contains(local, "..") ||
		strings.ContainsAny(local, " \t\r\n\"(),:;<>@[\\]") {
		return false
	}
	if ip, ok := strings.CutPrefix(domain, "["); ok && strings.HasSuffix(ip, "]") {
		ip = strings.TrimPrefix(strings.TrimSuffix(ip, "]"), "IPv6:")
		_, err := netip.ParseAddr(ip)
		return err == nil
	}
	return isHostname(domain)
}

func isHostname(s string) bool {
	const most, mostLabel = 253, 63 // RFC 1123
	s = strings.TrimSuffix(s, ".")
	if len(s) > most {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > mostLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c != '-' {
				return false
			}
		}
	}
	return true
}

func isUUID(s string) bool {
	const form = "00000000-0000-0000-0000-000000000000"
	if len(s) != len(form) {
		return false
	}
	for i, c := range []byte(s) {
		if form[i] == '-' {
			if c != '-' {
				return false
			}
		} else if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}

func isPointer(s string) bool {
	escaped := strings.NewReplacer("~0", "", "~1", "").Replace(s)
	return (s == "" || s[0] == '/') && !strings.Contains(escaped, "~")
}
