package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/config"
)

func TestKeysOfMCPServers(t *testing.T) {
	dir := t.TempDir()
	text := `[mcp.a]
command = "server"
args = ["--api-key", "key of an argument", "--token=key-behind-sign", "--auth", "--verbose"]
env = { A_TOKEN = "key-in-env", LEVEL = "no-key" }
env_from = ["B_SECRET", "PLAIN", "ABSENT_KEY"]
[mcp.b]
url = "https://user:p%40ss@example.com/?api_key=a%2Fb&page=no-key"
bearer_env = "C"
headers = { Authorization = "Bearer key-in-header", Accept = "no-key" }
`
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, warnings := config.Load(dir, nil)
	if len(warnings) > 0 || len(c.MCP) != 2 {
		t.Fatalf("got %v, %v", c.MCP, warnings)
	}
	env := map[string]string{"B_SECRET": "key-from-env", "PLAIN": "no-key", "C": "bearer\n"}
	got := config.Keys(c.MCP, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	want := []string{"key of an argument", "key-behind-sign", "key-in-env", "key-from-env", "p@ss",
		"p%40ss", "a/b", "a%2Fb", "bearer", "key-in-header"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestKeysInTheFile checks that a key in place of the name of its variable is not used, and that no
// message shows it.
func TestKeysInTheFile(t *testing.T) {
	dir := t.TempDir()
	text := `[providers.a]
base_url = "http://host"
api_key = "written-out"
api_key_env = "gsk_0123456789abcdefgh"
[providers.b]
base_url = "http://host"
api_key_env = "a_variable_of_mine"
[mcp.c]
url = "https://host"
bearer_env = "sk-itself"
`
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, warnings := config.Load(dir, nil)
	var said []string
	for _, w := range warnings {
		said = append(said, w.String())
	}
	all := strings.Join(said, "\n")
	for _, want := range []string{"config.toml:3: providers.a: a key does not belong into this " +
		"file", "config.toml:4: providers.a.api_key_env: want the name of a variable",
		"such as A_API_KEY, not the key itself",
		"config.toml:10: mcp.c.bearer_env: want the name of a variable"} {
		if !strings.Contains(all, want) {
			t.Errorf("got %q, want %s", said, want)
		}
	}
	written := c.Written()
	slices.Sort(written)
	if !slices.Equal(written, []string{"gsk_0123456789abcdefgh", "sk-itself", "written-out"}) {
		t.Errorf("got %q", written)
	}
	for _, key := range written {
		if strings.Contains(all, key) {
			t.Errorf("%s is shown: %s", key, all)
		}
	}
	if len(c.MCP) != 0 || len(c.Providers) != 2 || c.Providers[0].APIKeyEnv != "" ||
		c.Providers[1].APIKeyEnv != "a_variable_of_mine" {
		t.Errorf("got %+v, %+v", c.Providers, c.MCP)
	}
}
