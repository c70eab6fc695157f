package installcmd

import (
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine/protect"
)

// TestDecisionsAreProtected checks that no program which the agent runs may use a command that
// changes what runs. Commands that only tell something are named here, and the one that writes the
// lock file of a team, which changes nothing on this machine.
func TestDecisionsAreProtected(t *testing.T) {
	t.Parallel()
	tells := []string{"list", "lock", "logs", "share", "verify"}
	for _, name := range Names() {
		if protect.Decides("ext", name) == slices.Contains(tells, name) {
			t.Errorf("ext %s: protected is %v", name, protect.Decides("ext", name))
		}
	}
}
