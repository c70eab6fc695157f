package fence

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// TestTerminal: a program neither reads what the user types nor writes to the user's terminal.
func TestTerminal(t *testing.T) {
	t.Parallel()
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
		cmd := w.command(t, newFence(m, w.policy), string(script))
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

// TestOwnTerminal: a program that has a terminal of its own finds its name, and can open it.
func TestOwnTerminal(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		if m == Landlock { // which leaves the folder of terminals as it is, and closes it
			t.Skip("no devices of its own")
		}
		ours, theirs, err := pty.Open()
		if err != nil {
			skipOrFail(t, err)
		}
		defer ours.Close()
		w := newWorld(t)
		cmd := w.command(t, newFence(m, w.policy),
			`name=$(tty) && echo "it is $name" >"$name"; stty size <"$name"; echo ask >/dev/tty`)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{}
		}
		cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		_ = theirs.Close()
		out, _ := io.ReadAll(ours) // ends with an error, because nobody has it any more
		for _, want := range []string{"it is /dev/", "0 0", "ask"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("got %q, want %q in it", out, want)
			}
		}
	})
}
