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
		"agent ext forget a.lua":                 true,
		"agent ext disable a.lua":                true,
		"agent ext enable a.lua":                 true,
		"agent --model x ext accept a.lua":       true,
		"agent ext acc''ept a.lua":               true,
		`agent ext \accept a.lua`:                true,
		"x=accept; agent ext $x a.lua":           true,
		"agent ext $1 a.lua":                     true,
		"agent $1 add":                           true,
		"a=agent; $a ext accept a.lua":           true,
		"agent -p \"$1\" hello":                  false,
		"agent -p \"$1\" \"$2\"":                 false,
		"$x test":                                false,
		"agent ext test accept":                  true, // nobody needs it
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
