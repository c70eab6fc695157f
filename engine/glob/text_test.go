package glob_test

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/glob"
)

func TestText(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"git push *", "git push origin main", true}, {"git push *", "git pull", false},
		{"*", "", true}, {"**", "a/b", true}, {"", "", true}, {"", "a", false},
		{"a?c", "aéc", true}, {"a?c", "ac", false}, {"mcp__*__read", "mcp__docs__read", true},
		{"*a*b*c", "xxaxxbxxc", true}, {"*a*b*c", "xxaxxcxxb", false}, {"[a]", "[a]", true},
		{"*ab", "aab", true}, {"*ab*b", "aabab", true}, {"a?", "a", false}, {"a*?", "a", false},
	} {
		if got := glob.Text(test.pattern, test.text); got != test.want {
			t.Errorf("%q, %q: got %v", test.pattern, test.text, got)
		}
	}
	if glob.Text(strings.Repeat("*a", 50)+"b", strings.Repeat("a", 50_000)) { // this must end soon
		t.Error("no b is there")
	}
}
