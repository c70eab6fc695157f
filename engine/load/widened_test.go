package load_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/load"
)

// TestWidened: which grants give more than those before.
func TestWidened(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ old, now, more string }{
		{"exec:git", "exec:git", ""},
		{"exec:*", "exec:git exec:/bin/ls exec:sh", ""},
		{"exec:git", "exec:*", "exec:*"},
		{"exec:sh", "exec:git", "exec:git"},
		{"exec:g*", "exec:git", "exec:git"},
		{"exec:*", "exec:git unconfined", "unconfined"},
		{"tools", "tools:read", ""},
		{"tools:mcp__*", "tools:mcp__x tools:read", "tools:read"},
		{"tools:r*", "tools:re*", "tools:re*"},
		{"fs.read:./**", "fs.read:./notes/** fs.read:./a/*.md", ""},
		{"fs.read:./**", "fs.write:./notes/** fs.read:notes/**",
			"fs.write:./notes/** fs.read:notes/**"},
		{"fs.read:~/**", "fs.read:~/.ssh/** fs.read:~/a/.x fs.read:~/a/{.x,y}",
			"fs.read:~/.ssh/** fs.read:~/a/.x fs.read:~/a/{.x,y}"},
		{"fs.read:./a/**", "fs.read:./a/../b fs.read:./ab/c", "fs.read:./a/../b fs.read:./ab/c"},
		{"fs.read:./*/**", "fs.read:./*/a", "fs.read:./*/a"},
		{"fs.read:./a**", "fs.read:./a/b", "fs.read:./a/b"},
		// a name gives addresses of the user's network, too
		{"net:*", "net:example.com", "net:example.com"},
		{"env:A", "env:B", "env:B"},
	} {
		more := load.Widened(strings.Fields(tt.old), strings.Fields(tt.now))
		if !slices.Equal(more, strings.Fields(tt.more)) {
			t.Errorf("%s, then %s: got %q", tt.old, tt.now, more)
		}
	}
}
