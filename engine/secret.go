// This file defines secrets: texts that scripts may use, and neither read nor show.

package engine

import (
	"encoding/json"
	"slices"
	"strings"
)

// Secret is a text that a script may hand to a function that takes it, as a header of a request,
// and cannot read. As plain data, and wherever it is shown, it is [secret NAME].
type Secret struct {
	name, text string
}

// NewSecret makes a secret of a value: in form, which has one %s ("Bearer %s"), the value stands
// for that. From now on the value is masked in all output, as Options.Secrets are; one of less than
// 8 bytes is not.
func (e *Engine) NewSecret(name, value, form string) *Secret {
	e.swapMu.Lock()
	defer e.swapMu.Unlock()
	if !slices.Contains(e.opts.Secrets, value) {
		e.opts.Secrets = append(slices.Clone(e.opts.Secrets), value)
		e.secrets = secrets(e.opts.Secrets)
		e.swap(e.gens, e.shadows)
	}
	return &Secret{name, strings.Replace(form, "%s", value, 1)}
}

// Reveal returns the text itself. It must go to where the script has sent it, and into no error,
// log or event.
func (s *Secret) Reveal() string { return s.text }

// String is what is shown instead.
func (s *Secret) String() string { return "[secret " + s.name + "]" }

// GoString is String: no way of printing shows more.
func (s *Secret) GoString() string { return s.String() }

// MarshalJSON implements json.Marshaler.
func (s *Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
