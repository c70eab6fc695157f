package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
)

// TestClients runs the example clients of docs/clients as their users do: a question is answered
// with yes and with no, and a prompt that cannot be begun is an error.
func TestClients(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{"client.py": "python3", "client.ts": "node"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(program)
			if err != nil {
				t.Skipf("%s is not installed", program)
			}
			file, err := filepath.Abs("../../docs/clients/" + name)
			if err != nil {
				t.Fatal(err)
			}
			if program == "node" {
				file = compiled(t, file)
			}
			r := newReader(t)
			for _, c := range []struct{ keys, prompt, flags, want, made string }{
				{"n\n", "write a.txt hello", "", "refused by the user", ""},
				{"y\n", "write a.txt hello", "", "[write is done]", "hello"},
				{"", "say hello", "--model=none/none", "none/none", ""},
			} {
				os.Remove(filepath.Join(r.dir, "a.txt"))
				cmd := exec.Command(path, file, c.prompt)
				if c.flags != "" {
					cmd.Args = append(cmd.Args, c.flags)
				}
				cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.environ(), strings.NewReader(c.keys)
				out, err := cmd.CombinedOutput()
				made, _ := os.ReadFile(filepath.Join(r.dir, "a.txt"))
				if !strings.Contains(string(out), c.want) || string(made) != c.made ||
					(err != nil) != (c.flags != "") {
					t.Errorf("%s, answered %q: %v\n%s\nthe file has %q", c.prompt, c.keys, err,
						out, made)
				}
			}
		})
	}
}

// compiled returns a program of TypeScript as one of JavaScript.
func compiled(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := api.Transform(string(text), api.TransformOptions{Loader: api.LoaderTS,
		Format: api.FormatESModule})
	if len(r.Errors) > 0 {
		t.Fatal(r.Errors[0].Text)
	}
	to := filepath.Join(t.TempDir(), "client.mjs")
	if err := os.WriteFile(to, r.Code, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}
