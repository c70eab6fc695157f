package plain_test

import (
	"testing"

	"github.com/agentscripts/agent/engine/plain"
)

func TestName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ in, name, variable string }{
		{"", "", ""}, {"aZ09_-", "aZ09_-", "AZ09__"}, {"my server.2", "my.server.2", "MY_SERVER_2"},
		{"é漢\xff", "...", "___"}, {"a/b\n", "a.b.", "A_B_"}, {"ſı", "..", "__"},
	} {
		if got := plain.Name(test.in, '.'); got != test.name {
			t.Errorf("Name(%q) = %q, want %q", test.in, got, test.name)
		}
		if got := plain.Variable(test.in); got != test.variable {
			t.Errorf("Variable(%q) = %q, want %q", test.in, got, test.variable)
		}
	}
}
