// This file masks what the program itself knows to be secret: the keys of model servers, for one.

package engine

import (
	"regexp"
	"regexp/syntax"
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

// secrets makes a redactor of texts, nil if there is none to mask.
func secrets(texts []string) []*Redactor {
	r := &Redactor{Name: secretName}
	texts = slices.Clone(texts)
	// one may be the beginning of another
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	for _, text := range slices.Compact(texts) {
		if text = strings.TrimSpace(text); len(text) < shortestSecret {
			continue
		}
		re := regexp.MustCompile(regexp.QuoteMeta(strings.ToValidUTF8(text, "")))
		tree, err := syntax.Parse(re.String(), syntax.Perl)
		if err != nil { // it was compiled
			panic(err)
		}
		r.Patterns, r.live, r.needs = append(r.Patterns, re), append(r.live, newLive(tree)),
			append(r.needs, needOf(tree))
	}
	if len(r.Patterns) == 0 {
		return nil
	}
	return []*Redactor{r}
}
