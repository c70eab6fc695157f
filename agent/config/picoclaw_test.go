package config

import (
	"strings"
	"testing"
)

// TestPicoclawPart: only the table with hooks is an extension. A file that cannot be parsed is an
// error if it seems to have the table, and otherwise has none.
func TestPicoclawPart(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, part, err string }{
		{"", "", ""},
		{"model = 'a/b'", "", ""},
		{"[picoclaw]\nhooks = 1", `{"hooks": 1}`, ""},
		{"[picoclaw]\nother = 1", "", ""},
		{"picoclaw = 1", "", ""},
		{"model = 'a/b'\npicoclaw.hooks.enabled = false", `{"hooks": {"enabled": false}}`, ""},
		{"[\"pico\\u0063law\".hooks]\nenabled = true", `{"hooks": {"enabled": true}}`, ""},
		{"[extensions]\nfrom = ['picoclaw'", "", ""},
		{"# picoclaw.hooks\n[", "", ""},
		{"[picoclaw.hooks]\nenabled = tru", "", "config.toml:2: "},
		{"x = [\n picoclaw.hooks.enabled = true", "", "config.toml:2: "},
		{"[ 'picoclaw' ]\nx", "", "config.toml:2: "},
		{"[picoclaw.hooks]\nx = inf", "", "inf"},
	} {
		got, err := Picoclaw("/home").Part([]byte(test.text))
		if one := strings.Join(strings.Fields(string(got)), " "); strings.ReplaceAll(strings.
			ReplaceAll(one, "{ ", "{"), " }", "}") != test.part {
			t.Errorf("%q: got %s, want %s", test.text, one, test.part)
		}
		if (err != nil) != (test.err != "") || err != nil && (!strings.Contains(strings.ToLower(err.
			Error()), test.err) || strings.Contains(err.Error(), "nothing of the file")) {
			t.Errorf("%q: got %v, want %q", test.text, err, test.err)
		}
	}
}
