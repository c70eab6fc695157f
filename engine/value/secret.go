// This file defines secrets: texts that scripts may use, but neither read nor show.

package value

import (
	"encoding/json"
)

// Secret is a text that a script may pass to a function that accepts it, such as a header of a
// request, and cannot read. As plain data, and when printed, it is [secret NAME].
type Secret struct {
	name, text string
}

// HideText makes a secret of a text. Nothing masks the text elsewhere: redact.Mask.NewSecret does
// both.
func HideText(name, text string) *Secret { return &Secret{name, text} }

// Reveal returns the text itself. It must be passed only to where the script has sent it, and never
// to an error, log or event.
func (s *Secret) Reveal() string { return s.text }

// String returns the name to show instead of the text.
func (s *Secret) String() string { return "[secret " + s.name + "]" }

// GoString is the same as String: no format shows more.
func (s *Secret) GoString() string { return s.String() }

// MarshalJSON implements json.Marshaler.
func (s *Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }
