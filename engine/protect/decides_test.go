package protect

import "testing"

func TestDecides(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]bool{
		"agent trust add":                        true,
		"cd x && /usr/bin/agent trust add a.lua": true,
		"sh -c 'agent trust revoke'":             true,
		"agent --json trust never a.lua":         true,
		"(agent ext accept a.lua)":               true,
		`C:\bin\agent.exe ext dev a.lua`:         true,
		"agent trust":                            false,
		"agent trust show a.lua":                 false,
		"agent ext test":                         false,
		"echo agents trust add":                  false,
	} {
		if got := decides(command); (got != "") != want {
			t.Errorf("%s: got %q", command, got)
		}
	}
}
