package slash_test

import (
	"testing"

	"github.com/agentscripts/agent/engine/slash"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, name, rest string
		ok               bool
	}{
		{"/new", "new", "", true}, {"/name  a b ", "name", "a b", true},
		{"/git:commit now", "git:commit", "now", true}, {"/a-b_2\nx", "a-b_2", "x", true},
		{"", "", "", false}, {"/", "", "", false}, {"new", "", "", false}, {" /new", "", "", false},
		{"/etc/hosts is what?", "", "", false}, {"/New", "", "", false}, {"/2", "", "", false},
		{"//", "", "", false}, {"/new, please", "", "", false},
	} {
		name, rest, ok := slash.Split(test.text)
		if name != test.name || rest != test.rest || ok != test.ok {
			t.Errorf("%q: got %q, %q, %v", test.text, name, rest, ok)
		}
	}
}
