// This file finds the secrets in the settings: no output may show them.

package config

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

var (
	// secretName matches the names of headers, variables, flags and parameters that hold keys.
	secretName = lazyregexp.New(`(?i)` + secretWord)
	// scheme matches the word before the key in Authorization.
	scheme = lazyregexp.New(`^(?i:bearer|basic|token) +`)
	// variableName matches names of environment variables, and smallAndDigit what keys contain and
	// names of variables do not.
	variableName  = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	smallAndDigit = lazyregexp.New(`[a-z].*[0-9]|[0-9].*[a-z]`)
)

const secretWord = `(?:auth|key|token|secret|passw|cookie|credential)`

// keyLength is the minimal length at which a name with lower-case letters and digits is treated as
// a key: variables do not have names such as gsk_a1b2c3d4e5f6g7h8.
const keyLength = 20

// keyVariable returns text if it can be the name of the variable that holds a key, else "" with a
// warning that does not show it: it is probably the key itself.
func (r *reader) keyVariable(path []string, text string) string {
	if text == "" || variableName().MatchString(text) &&
		(len(text) < keyLength || !smallAndDigit().MatchString(text)) {
		return text
	}
	r.written = append(r.written, text)
	r.warn(path, "%s: want the name of a variable of the environment that holds the key, such as "+
		"%s, not the key itself",
		strings.Join(path, "."), variable(path[len(path)-2]))
	return ""
}

// Written returns the keys that are written in the file, where they do not belong. They are not
// used.
func (c *Config) Written() []string { return append([]string(nil), c.written...) }

// HoldsKey reports whether the value of this name is normally a key.
func HoldsKey(name string) bool { return secretName().MatchString(name) }

// Key returns the key in the value of a header, without the word Bearer or similar.
func Key(value string) string { return scheme().ReplaceAllString(value, "") }

// Given is a value passed to a server, with its name in the settings.
type Given struct {
	Name, Value string
	Secret      bool // its place or name shows that it is a key
}

// Given returns the values passed to the server from elsewhere, and the keys passed to it from the
// settings.
func (s MCPServer) Given(lookupEnv func(name string) (string, bool)) (all []Given) {
	add := func(name, value string, secret bool) {
		if value != "" {
			all = append(all, Given{name, value, secret})
		}
	}
	variable := func(name string, secret bool) {
		if v, ok := lookupEnv(name); ok && name != "" {
			add(name, strings.TrimSpace(v), secret)
		}
	}
	variable(s.BearerEnv, true)
	for _, name := range s.EnvFrom {
		variable(name, HoldsKey(name))
	}
	for name, v := range s.Env {
		if HoldsKey(name) {
			add(name, v, true)
		}
	}
	for name, v := range s.Headers {
		add(name, Key(v), HoldsKey(name))
	}
	for i, a := range s.Args {
		name, value, has := strings.Cut(a, "=")
		switch {
		case !strings.HasPrefix(a, "-") || !HoldsKey(name):
		case has:
			add(strings.TrimLeft(name, "-"), value, true)
		case i+1 < len(s.Args) && !strings.HasPrefix(s.Args[i+1], "-"):
			add(strings.TrimLeft(name, "-"), s.Args[i+1], true)
		}
	}
	if u, err := url.Parse(s.URL); err == nil && s.URL != "" {
		addAddress(u, add)
	}
	return all
}

// Keys returns the secrets passed to servers.
func Keys(servers []MCPServer, lookupEnv func(name string) (string, bool)) (keys []string) {
	for _, s := range servers {
		s.each(func(text string) string {
			for _, m := range reference().FindAllStringSubmatch(text, -1) {
				if v, _ := lookupEnv(m[1]); s.Expands && HoldsKey(m[1]) {
					keys = append(keys, v)
				}
			}
			return text
		})
		s, _ = s.Expanded(lookupEnv) // one that lacks a variable is not started
		for _, g := range s.Given(lookupEnv) {
			if g.Secret {
				keys = append(keys, g.Value)
			}
		}
	}
	return keys
}

// addAddress adds the keys in an address, decoded and as written there.
func addAddress(u *url.URL, add func(name, value string, secret bool)) {
	if password, ok := u.User.Password(); ok {
		add("password", password, true)
		add("password", strings.TrimPrefix(url.UserPassword("", password).String(), ":"), true)
	}
	for _, pair := range strings.Split(u.RawQuery, "&") {
		name, raw, _ := strings.Cut(pair, "=")
		if !HoldsKey(name) {
			continue
		}
		if value, err := url.QueryUnescape(raw); err == nil {
			add(name, value, true)
		}
		add(name, raw, true)
	}
}

// HideKeys replaces the keys that are written in the text of a file of settings, which need not be
// valid. It goes by the names that values have, line by line: a value that has another name is
// shown, whatever it is. Equal keys are replaced by equal texts and others by others, so that a
// change of a key is seen.
func HideKeys(text string) string {
	text = namedKey().ReplaceAllStringFunc(text, func(found string) string {
		m := namedKey().FindStringSubmatch(found)
		name, v := m[1], m[2]
		bare := strings.Trim(v, `"'`)
		switch {
		case bare == "", plainName().MatchString(name) && variableName().MatchString(bare) &&
			!smallAndDigit().MatchString(bare): // api_key_env = "NAME"
			return found
		case strings.ContainsAny(bare, " \t\n") && scheme().FindString(bare) == "" &&
			!strings.Contains(strings.ToLower(name), "passw"): // a command, and no key
			return found
		}
		return name + hidden(v)
	})
	for _, pattern := range []func() *regexp.Regexp{addressKey, headerKey} {
		text = pattern().ReplaceAllStringFunc(text, func(found string) string {
			m := pattern().FindStringSubmatch(found)
			return m[1] + hidden(m[2]) + m[3]
		})
	}
	return knownKey().ReplaceAllStringFunc(text, hidden)
}

// hidden stands for a key.
func hidden(key string) string {
	return fmt.Sprintf("[hidden %x]", sha256.Sum256([]byte(hiddenSalt()+key)))[:len("[hidden ")+4] +
		"]"
}

// hiddenSalt is another one in each process, so that no key can be guessed from what stands for it.
var hiddenSalt = sync.OnceValue(rand.Text)

var (
	// namedKey matches a value, in quotes or of many characters, whose name is that of a key: in a
	// table, a header, a flag or an address.
	namedKey = lazyregexp.New(`(?i)(` + secretWord + `[\w.-]*["']?[ \t]*[=:][ \t]*|` +
		`["']-[\w-]*` + secretWord + `[\w-]*["'][ \t]*,\s*)` +
		`((?s:"""(?:.*?)"""|'''(?:.*?)''')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|` +
		`[\w.~+/%-]{6,}=*)`)
	// plainName matches names of settings that name a variable.
	plainName = lazyregexp.New(`(?i)(env|from)["']?[ \t]*=[ \t]*$`)
	// addressKey matches the password in an address, headerKey what follows the word Bearer.
	addressKey = lazyregexp.New(`(://[^/\s:@"']*:)([^/\s@"'\[\]]+)(@)`)
	headerKey  = lazyregexp.New(`(?i)(\b(?:bearer|basic)[ \t]+)([^\s"'\[\]]{8,})()`)
	// knownKey matches what begins as keys of well-known services do.
	knownKey = lazyregexp.New(`\b(?:sk-|gsk_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza)` +
		`[\w-]{12,}`)
)
