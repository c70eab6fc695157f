// This file masks what the program itself knows to be secret: the keys of model servers, for one.

package redact

import (
	"regexp"
	"slices"
	"strings"
)

const (
	// shortestSecret is how long a secret must be: a shorter one would be found in the middle of
	// words.
	shortestSecret = 8
	// secretName stands in its place: [redacted:secret].
	secretName = "secret"
)

// Secrets makes a redactor of texts, nil if there is none to mask.
func Secrets(texts []string) *Redactor {
	r := &Redactor{Name: secretName}
	texts = slices.Clone(texts)
	// one may be the beginning of another
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	for _, text := range slices.Compact(texts) {
		if text = strings.TrimSpace(text); len(text) < shortestSecret {
			continue
		}
		r.Patterns = append(r.Patterns,
			regexp.MustCompile(regexp.QuoteMeta(strings.ToValidUTF8(text, ""))))
	}
	if len(r.Patterns) == 0 {
		return nil
	}
	if err := r.Prepare(); err != nil { // plain texts that are not empty
		panic(err)
	}
	return r
}
