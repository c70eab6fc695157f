package config

import (
	"strings"
	"testing"
)

// TestHideKeys checks that no key is shown wherever it stands, that everything else is, and that a
// change of a key is seen.
func TestHideKeys(t *testing.T) {
	t.Parallel()
	for _, line := range []string{`api_key = "SECRET"`, `# old key = "SECRET"`,
		`api_key = 'SECRET'`, `"api key" = "SECRET"`,
		`[options.weather]` + "\n" + `api_key = "SECRET"`,
		`base_url = "https://u:SECRET@host/v1?x=1"`, `url = "https://host/?token=SECRET&x=1"`,
		`headers = { Authorization = "Bearer SECRET" }`, `h = { X = "Bearer SECRET" }`,
		`env = { GH_TOKEN = "SECRET", URL = "postgres://u:SECRET@h/db" }`,
		`args = ["--api-key", "SECRET"]`, `args = ["--token=SECRET", 'x']`,
		"password = \"\"\"\nSECRET\n\"\"\"", `passwd = "SECRET with words"`, `token = SECRET`,
		`api_key_env = "SECRET"`, `x = "sk-ant-SECRET"`, `"--token",` + "\n" + `  "SECRET",`} {
		const key = "a1b2c3d4e5f6g7h8i9j0"
		got := HideKeys(strings.ReplaceAll(line, "SECRET", key))
		other := HideKeys(strings.ReplaceAll(line, "SECRET", "z"+key[1:]))
		switch {
		case strings.Contains(got, key) || !strings.Contains(got, "[hidden "):
			t.Errorf("%s: got %s", line, got)
		case got == other:
			t.Errorf("%s: a change is not seen: %s", line, got)
		case got != HideKeys(strings.ReplaceAll(line, "SECRET", key)):
			t.Errorf("%s: the same key is hidden in two ways", line)
		}
	}
	for _, line := range []string{`permission = 'yolo'`, `allow = ["bash(**)"]`,
		`api_key_env = "ANTHROPIC_API_KEY"`, `allow = ["bash(curl --key=**)"]`,
		`[mcp.z]` + "\n" + `args = ["--token-command", "cat ~/.ssh/id_rsa"]`, `monkey = ""`,
		`url = "https://host:8080/a@b"`, `[keys]`, `tokens = 4`,
		`command = ["basic", "permission = 'yolo'"]`} {
		if got := HideKeys(line); got != line {
			t.Errorf("%s: got %s", line, got)
		}
	}
}
