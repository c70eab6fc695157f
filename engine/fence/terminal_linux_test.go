package fence

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// TestTerminal: a program neither reads what the user types nor writes to the user's terminal.
func TestTerminal(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("testdata", "terminal.sh"))
	if err != nil {
		t.Fatal(err)
	}
	eachMethod(t, func(t *testing.T, m Method) {
		keys, terminal, err := pty.Open()
		if err != nil {
			skipOrFail(t, err)
		}
		defer keys.Close()
		defer terminal.Close()
		if _, err := keys.WriteString("TOP SECRET\n"); err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		cmd := w.command(t, New(Options{Method: m, Policy: w.policy}), string(script))
		cmd.Env = append(cmd.Env, "TERMINAL="+terminal.Name())
		out, _ := cmd.CombinedOutput()
		if strings.Contains(string(out), "TOP SECRET") {
			t.Errorf("the output contains the secret: %s", out)
		}
		if got := shown(keys); strings.Contains(got, "changed") {
			t.Errorf("the terminal shows %q: %s", got, out)
		}
	})
}

// shown returns what a terminal shows.
func shown(keys *os.File) string {
	buf := make([]byte, 1000)
	n, _ := keys.Read(buf)
	return string(buf[:n])
}
