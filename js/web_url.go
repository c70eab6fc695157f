// This file parses and formats URLs with net/url, so that a script sees the host that its request
// would reach.

package js

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/net/idna"

	"github.com/agentscripts/agent/engine/plain"
)

// special are the schemes whose URLs have a host, and their default ports.
var special = map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443", "ftp": "21"}

// parseURL parses a URL, relative to base if that is not empty, and returns its parts under their
// names in the URL API.
func (w *web) parseURL(text, base string) goja.Value {
	u, err := readURL(text)
	if err == nil && base != "" {
		var b *url.URL
		b, err = readURL(base)
		switch {
		case err == nil && (!b.IsAbs() || b.Opaque != "" && !u.IsAbs()):
			err = fmt.Errorf("base: no absolute address")
		case err == nil:
			b.Fragment, b.RawFragment = "", "" // an empty reference would keep them
			u = b.ResolveReference(u)
		}
	}
	if err != nil || !u.IsAbs() || special[u.Scheme] != "" && u.Hostname() == "" {
		panic(w.rt.NewTypeError("Invalid URL: %s", shortened(text)))
	}
	return w.urlParts(u)
}

// readURL parses a URL as browsers do: it ignores white space around it and line breaks in it, and
// \ means /.
func readURL(text string) (*url.URL, error) {
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(text)
	end := strings.IndexAny(text, "?#")
	if end < 0 {
		end = len(text)
	}
	scheme, _, _ := strings.Cut(text[:end], ":")
	if _, own := special[strings.ToLower(scheme)]; own || !strings.Contains(text[:end], ":") {
		text = strings.ReplaceAll(text[:end], `\`, "/") + text[end:]
	}
	u, err := url.Parse(escaped(text))
	if err != nil {
		return nil, err
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if special[u.Scheme] != "" {
		if err := usualHost(u); err != nil {
			return nil, err
		}
		u.RawPath = plainDots(u.EscapedPath())
		if u.Path, err = url.PathUnescape(u.RawPath); err != nil {
			return nil, err
		}
	}
	if u.IsAbs() && u.Opaque == "" {
		u = (&url.URL{}).ResolveReference(u) // removes . and .. from the path
	}
	return u, nil
}

// escaped escapes each % in a text that does not begin an escape sequence.
func escaped(text string) string {
	hex := func(i int) bool {
		return i < len(text) &&
			strings.IndexByte("0123456789abcdefABCDEF", text[i]) >= 0
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		if text[i] == '%' && !(hex(i+1) && hex(i+2)) {
			b.WriteString("25")
		}
	}
	return b.String()
}

// plainDots writes the names . and .. of a path without escapes: escaped they mean the same.
func plainDots(path string) string {
	names := strings.Split(path, "/")
	for i, name := range names {
		if plain := strings.ReplaceAll(strings.ToLower(name), "%2e", "."); plain == "." ||
			plain == ".." {
			names[i] = plain
		}
	}
	return strings.Join(names, "/")
}

// usualHost normalizes the host of a URL: it converts an international name to ASCII and removes
// leading zeros of the port.
func usualHost(u *url.URL) error {
	host, port := u.Hostname(), u.Port()
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return err
		}
		host = ascii
	} else if !strings.ContainsAny(host, "%:") {
		host = strings.ToLower(host)
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return err
		}
		host += ":" + strconv.FormatUint(n, 10)
	}
	u.Host = host
	return nil
}

func (w *web) urlParts(u *url.URL) goja.Value {
	if usual := special[u.Scheme]; usual != "" {
		if u.Port() == usual || strings.HasSuffix(u.Host, ":") {
			u.Host = strings.TrimSuffix(strings.TrimSuffix(u.Host, usual), ":")
		}
		if u.Path == "" {
			u.Path = "/"
		}
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	password, _ := u.User.Password()
	path, search, hash := u.EscapedPath(), "", ""
	if u.Opaque != "" {
		path = u.Opaque
	}
	if u.RawQuery != "" {
		search = "?" + u.RawQuery
	}
	if u.Fragment != "" {
		hash = "#" + u.EscapedFragment()
	}
	origin := "null"
	if special[u.Scheme] != "" {
		origin = u.Scheme + "://" + u.Host
	}
	out := w.rt.NewObject()
	for key, part := range map[string]string{"href": u.String(), "origin": origin,
		"protocol": u.Scheme + ":", "username": u.User.Username(), "password": password,
		"host": u.Host, "hostname": hostname(u), "port": u.Port(), "pathname": path,
		"search": search, "hash": hash} {
		_ = out.Set(key, part)
	}
	return out
}

// hostname returns the host without its port, with brackets.
func hostname(u *url.URL) string {
	return strings.TrimSuffix(strings.TrimSuffix(u.Host, u.Port()), ":")
}

// escapeQuery escapes characters that are not allowed in a query.
func escapeQuery(q string) string {
	var b strings.Builder
	for i := range len(q) {
		if c := q[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>#'`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// changeURL returns a URL with one part changed. An invalid change has no effect, as in browsers.
func (w *web) changeURL(href, key, value string) goja.Value {
	u, err := readURL(href)
	if err != nil {
		panic(w.rt.NewTypeError("Invalid URL: %s", shortened(href)))
	}
	password, has := u.User.Password()
	port := u.Port()
	switch key {
	case "protocol":
		u.Scheme = strings.ToLower(strings.TrimSuffix(value, ":"))
	case "username":
		u.User = url.UserPassword(value, password)
		if !has {
			u.User = url.User(value)
		}
	case "password":
		u.User = url.UserPassword(u.User.Username(), value)
	case "host":
		u.Host = value
	case "hostname":
		if u.Host = value; port != "" {
			u.Host += ":" + port
		}
	case "port":
		if u.Host = hostname(u); value != "" {
			u.Host += ":" + value
		}
	case "pathname":
		u.Path, u.RawPath = value, ""
		if p, err := url.PathUnescape(value); err == nil {
			u.Path, u.RawPath = p, value
		}
	case "search":
		u.RawQuery = escapeQuery(strings.TrimPrefix(value, "?"))
	case "hash":
		u.Fragment, u.RawFragment = strings.TrimPrefix(value, "#"), ""
	}
	changed, err := readURL(u.String())
	if err != nil || special[changed.Scheme] != "" && changed.Hostname() == "" ||
		key != "protocol" && changed.Scheme != u.Scheme {
		changed, _ = readURL(href)
	}
	return w.urlParts(changed)
}

// formEncode encodes a name or a value of a form. Source: URL Standard,
// "application/x-www-form-urlencoded".
func formEncode(s string) string {
	return strings.NewReplacer("~", "%7E", "%2A", "*").Replace(url.QueryEscape(s))
}

// formDecode decodes a name or a value of a form. An invalid escape stays as it is.
func formDecode(s string) string {
	s = strings.ReplaceAll(s, "+", " ")
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if c, err := url.PathUnescape(s[i : i+3]); err == nil {
				b.WriteString(c)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// shortened shortens a text for a message.
func shortened(s string) string {
	const most = 200
	if len(s) > most {
		return plain.Head(s, most) + "…"
	}
	return s
}
