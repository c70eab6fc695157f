package redact

import (
	"strings"
	"testing"
)

// TestSecretWithInvalidBytes: a secret that is not UTF-8 is masked, however its bytes are shown.
func TestSecretWithInvalidBytes(t *testing.T) {
	t.Parallel()
	const secret = "open\xff\xfesesame.1"
	m := NewSet([]*Redactor{Secrets([]string{secret})}, nil).Look(false)
	for _, shown := range []string{secret, strings.ToValidUTF8(secret, "\uFFFD"),
		string([]rune(secret))} {
		if got := m.Text("a " + shown + " b"); got != "a [redacted:secret] b" {
			t.Errorf("%q: got %q", shown, got)
		}
	}
	for _, other := range []string{"opensesame.1", "open\uFFFDsesame-1"} {
		if got := m.Text(other); got != other {
			t.Errorf("%q: got %q", other, got)
		}
	}
}
