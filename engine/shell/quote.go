// This file quotes words for a shell, and splits text into words.

package shell

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
	"mvdan.cc/sh/v3/syntax"
)

// Quote writes words as a command line that any POSIX shell reads as these words. A word cannot
// contain a NUL byte.
func Quote(argv []string) (string, error) {
	var b strings.Builder
	for i, a := range argv {
		if strings.ContainsRune(a, 0) {
			return "", errors.New("a word cannot hold a NUL byte")
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		if bare(a) && (i > 0 || !strings.Contains(a, "=") && !reserved(a)) {
			b.WriteString(a)
			continue
		}
		b.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
	}
	return b.String(), nil
}

// bare reports whether a word means itself without quotes. To zsh, =x is the path of the program x.
func bare(a string) bool {
	return a != "" && a[0] != '=' &&
		strings.Trim(a,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,") == ""
}

// reserved reports whether a shell treats the first word specially.
func reserved(a string) bool {
	return syntax.IsKeyword(a) || a == "time"
}

// Split splits a text into words. It is the inverse of Quote. Text that only a shell could expand
// or run is an error.
func Split(text string) ([]string, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("longer than %d KiB", maxText>>10)
	}
	var out []string
	at := 0
	for {
		at += blanks(text[at:])
		if at == len(text) {
			return out, nil
		}
		w, n, err := nextWord(text[at:])
		if err != nil {
			return nil, fmt.Errorf("%w at %q", err, plain.Clip(text[at:], 20))
		}
		out, at = append(out, w), at+n
	}
}

// blanks returns the number of bytes of blanks at the beginning of s. An escaped newline is a
// blank.
func blanks(s string) (n int) {
	for n < len(s) && (strings.IndexByte(" \t\r\n", s[n]) >= 0 ||
		strings.HasPrefix(s[n:], "\\\n")) {
		if s[n] == '\\' {
			n++
		}
		n++
	}
	return n
}

var errQuote = errors.New("a quote is not closed")

// nextWord reads the word at the beginning of s; n is its length in bytes.
func nextWord(s string) (w string, n int, err error) {
	var b strings.Builder
	for n < len(s) {
		switch c := s[n]; c {
		case ' ', '\t', '\r', '\n':
			return b.String(), n, nil
		case '\'':
			end := strings.IndexByte(s[n+1:], '\'')
			if end < 0 {
				return "", n, errQuote
			}
			b.WriteString(s[n+1 : n+1+end])
			n += end + 2
		case '"':
			used, err := double(&b, s[n+1:])
			if err != nil {
				return "", n, err
			}
			n += used + 1
		case '\\':
			if n+1 == len(s) {
				return "", n, errors.New("nothing stands behind the last backslash")
			}
			if s[n+1] != '\n' {
				b.WriteByte(s[n+1])
			}
			n += 2
		case '$', '`', '|', '&', ';', '<', '>', '(', ')':
			return "", n, fmt.Errorf("only a shell can read %q", string(c))
		default:
			b.WriteByte(c)
			n++
		}
	}
	return b.String(), n, nil
}

// double reads a double-quoted text, and returns its length in bytes including the closing quote.
func double(b *strings.Builder, s string) (int, error) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1, nil
		case c == '$' || c == '`':
			return 0, fmt.Errorf("only a shell can read %q", string(c))
		case c == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0:
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return 0, errQuote
}
