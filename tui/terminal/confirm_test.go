//go:build unix

package terminal_test

import (
	"bufio"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/agentscripts/agent/tui/terminal"
)

// TestConfirm checks that one key answers, and that a key which was typed before the question, as
// by a paste of several lines, does not.
func TestConfirm(t *testing.T) {
	t.Parallel()
	keys, screen, err := pty.Open()
	if err != nil {
		t.Skip("no terminal here: ", err)
	}
	defer keys.Close()
	defer screen.Close()
	if _, err := term.MakeRaw(screen.Fd()); err != nil {
		t.Fatal(err)
	}
	shown := bufio.NewReader(keys)
	for _, test := range []struct {
		early, key string
		want       bool
	}{{"", "y", true}, {"", "n", false}, {"y", "n", false}, {"yyy", "\x03", false},
		{"n", "y", true}} {
		if _, err := keys.WriteString(test.early); err != nil {
			t.Fatal(err)
		}
		answer := make(chan bool, 1)
		go func() {
			yes, ok := terminal.Confirm(screen, screen, "well?")
			answer <- yes && ok
		}()
		if _, err := shown.ReadString(')'); err != nil {
			t.Fatal(err)
		}
		if _, err := keys.WriteString(test.key); err != nil {
			t.Fatal(err)
		}
		if got := <-answer; got != test.want {
			t.Errorf("%q, then %q: got %v", test.early, test.key, got)
		}
	}
}
