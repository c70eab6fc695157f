package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/load"
)

// TestAddFrom: the hosts are added, and the rest of the file stays as it is.
func TestAddFrom(t *testing.T) {
	t.Parallel()
	const rest = "model = \"a/b\" # mine\n"
	for _, c := range []struct{ before, want string }{
		{"", "[extensions]\nfrom = [\"zot\"]\n"},
		{rest, rest + "\n[extensions]\nfrom = [\"zot\"]\n"},
		{rest + "[extensions]\nfrom = []\n[tui]\n", rest +
			"[extensions]\nfrom = [\"zot\"]\n[tui]\n"},
		{"[extensions]\n\n  from = [\n] # none\n", "[extensions]\nfrom = [\"zot\"] # none\n"},
		{"extensions = { from = [] }\n", "!cannot be changed by a program"},
		{"[extensions]\n# here\nfrom = []\n", "!cannot be changed by a program"},
		{"modell = 1\n", "!unknown key \"modell\""},
		{"[", "!config.toml:1: "},
	} {
		home := t.TempDir()
		path := filepath.Join(home, "config.toml")
		if c.before != "" {
			if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at, err := config.AddFrom(home, []string{"zot"}, load.OpenSettings(home, ""))
		text, _ := os.ReadFile(path)
		if want, bad := strings.CutPrefix(c.want, "!"); bad {
			if err == nil || !strings.Contains(err.Error(), want) || string(text) != c.before {
				t.Errorf("%q: got %v and %q, want %q", c.before, err, text, want)
			}
			continue
		}
		if err != nil || at != path || string(text) != c.want {
			t.Errorf("%q: got %v and %q, want %q", c.before, err, text, c.want)
		}
	}
}
