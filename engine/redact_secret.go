// This file masks what the program itself knows to be secret: the keys of model servers, for one.

package engine

import (
	"github.com/agentscripts/agent/engine/value"
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

// NewSecret makes a secret of a value: in form, which has one %s ("Bearer %s"), the value stands
// for that. From now on the value is masked in all output, as Options.Secrets are; one of less than
// 8 bytes is not.
func (e *Engine) NewSecret(name, val, form string) *value.Secret {
	e.swapMu.Lock()
	defer e.swapMu.Unlock()
	if !slices.Contains(e.opts.Secrets, val) {
		e.opts.Secrets = append(slices.Clone(e.opts.Secrets), val)
		e.secrets = secrets(e.opts.Secrets)
		e.swap(e.gens, e.shadows)
	}
	return value.HideText(name, strings.Replace(form, "%s", val, 1))
}
