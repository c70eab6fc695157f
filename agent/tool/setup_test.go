package tool

import (
	"context"
	"strings"
	"testing"
)

// TestBashSetup: Setup runs before each command, and the command does not know about it: it has no
// arguments, the numbers of lines are its own, and the variable that carries Setup is gone.
func TestBashSetup(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ what, setup, command, want string }{
		{"variables and functions", "export A=1\nf() { echo $A; }\n", "f", "1\n"},
		{"quotes", `export A="it's \"\$x\""` + "\n", "env | grep ^A=", `A=it's "$x"` + "\n"},
		{"arguments", "export A=1\n", `echo "$#$1"`, "0\n"},
		{"name", "export A=1\n", `basename "$0"`, "bash\n"},
		{"the variable", "export A=1\n", "env | grep -c AGENT_SHELL || true", "0\n"},
		{"lines", "A=1\n\nB=2\n", "echo x\nnosuchprogram\ntrue", "line 2: nosuchprogram"},
		{"exit", "exit 3\n", "echo x", "!what a hook wrote into CLAUDE_ENV_FILE ended the shell: " +
			"the command did not run\n[exit code 3]"},
		{"a trap of the command", "export A=1\n", "trap 'echo end' EXIT; echo x", "x\nend\n"},
		{"nothing", "", "echo x", "x\n"},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			o := testOptions(t)
			o.Setup = func() string { return test.setup }
			r := callWith(context.Background(), t, o, t.TempDir(), "bash",
				map[string]any{"command": test.command}, nil)
			if got := text(r); !strings.Contains(got, strings.TrimPrefix(test.want, "!")) ||
				r.IsError != strings.HasPrefix(test.want, "!") {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
