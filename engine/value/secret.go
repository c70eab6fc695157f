// This file defines secrets: texts that scripts may use, and neither read nor show.

package value

import (
	"encoding/json"
)

// Secret is a text that a script may hand to a function that takes it, as a header of a request,
// and cannot read. As plain data, and wherever it is shown, it is [secret NAME].
type Secret struct {
	name, text string
}

// HideText makes a secret of a text. Nothing masks the text elsewhere: redact.Mask.NewSecret does
// both.
func HideText(name, text string) *Secret { return &Secret{name, text} }

// Reveal returns the text itself. It must go to where the script has sent it, and into no error,
// log or event.
func (s *Secret) Reveal() string { return s.text }

// String is what is shown instead.
func (s *Secret) String() string { return "[secret " + s.name + "]" }

// GoString is String: no way of printing shows more.
func (s *Secret) GoString() string { return s.String() }

// MarshalJSON implements json.Marshaler.
func (s *Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
