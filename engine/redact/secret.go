// This file masks the secrets that the program itself knows, such as the keys of model servers.

package redact

import (
	"regexp"
	"slices"
	"strings"
)

const (
	// shortestSecret is the minimal length of a secret: a shorter one would match in the middle of
	// words.
	shortestSecret = 8
	// secretName is the name in its mask: [redacted:secret].
	secretName = "secret"
)

// Secrets makes a redactor for texts, nil if there is none to mask.
func Secrets(texts []string) *Redactor {
	r := &Redactor{Name: secretName}
	texts = slices.Clone(texts)
	// one may be the beginning of another
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	for _, text := range slices.Compact(texts) {
		if text = strings.TrimSpace(text); len(text) < shortestSecret {
			continue
		}
		// invalid UTF-8 may have become one U+FFFD, or several
		const bad = "\uFFFD"
		text = regexp.QuoteMeta(strings.ToValidUTF8(text, bad))
		r.Patterns = append(r.Patterns,
			regexp.MustCompile(strings.ReplaceAll(text, bad, bad+"+")))
	}
	if len(r.Patterns) == 0 {
		return nil
	}
	if err := r.Prepare(); err != nil { // cannot fail: plain texts that are not empty
		panic(err)
	}
	return r
}
