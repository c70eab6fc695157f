package plain

import "testing"

func TestTrimBOM(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"\ufeff{}": "{}", "\ufeff\ufeffx": "\ufeffx",
		"a\ufeff": "a\ufeff", "\xef\xbb": "\xef\xbb", "": ""} {
		if got := TrimBOM(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
		if got := TrimBOM([]byte(text)); string(got) != want {
			t.Errorf("%q in bytes: got %q", text, got)
		}
	}
}
