package installcmd

import (
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine/protect"
)

// TestDecisionsAreProtected checks that no program which the agent runs may use a command that
// changes what runs. A command that only tells something is named here.
func TestDecisionsAreProtected(t *testing.T) {
	t.Parallel()
	tells := []string{"list", "logs", "share", "verify"}
	for _, name := range Names() {
		if protect.Decides("ext", name) == slices.Contains(tells, name) {
			t.Errorf("ext %s: protected is %v", name, protect.Decides("ext", name))
		}
	}
}
