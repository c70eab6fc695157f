package load

import (
	"strings"
	"testing"
)

// TestWants checks that each grant is described in words: not as more, or less, rights than a
// program has.
func TestWants(t *testing.T) {
	t.Parallel()
	const sandbox = "in the sandbox if there is one"
	for grant, want := range map[string]string{
		"exec:git":          "runs the program git, " + sandbox + " (line 2: exec:git)",
		"exec:sh":           "runs any command line, " + sandbox + ": this is much power",
		"exec:git free":     "runs the program git, outside of the sandbox, with all your rights",
		"unconfined":        "runs its programs outside of the sandbox, with all your rights",
		"tools":             "calls tools: any",
		"tools:read":        "calls tools: read",
		"fs.read:~/**":      "reads files: ~/**: this is much power",
		"fs.write:./out/**": "writes files: ./out/** (line 2",
		"net:a.b":           "talks to a.b over the network",
	} {
		all := []string{strings.TrimSuffix(grant, " free")}
		if all[0] != grant {
			all = append(all, "unconfined")
		}
		got := Wants("-- ==Agent==\n-- @grant "+strings.Join(all, " ")+"\n", all[:1], all)
		if len(got) != 1 || !strings.HasPrefix(got[0].String(), want) {
			t.Errorf("%s: got %v, want %s", grant, got, want)
		}
	}
	for _, kind := range grantKinds() {
		if got := meaning(kind+":x", false); strings.HasPrefix(got, kind) {
			t.Errorf("the grant %s is not described: %s", kind, got)
		}
	}
	if got := WantsText(nil, true); got != "" {
		t.Errorf("got %q", got)
	}
	if got := WantsText(nil, false); !strings.Contains(got, NoGrant) {
		t.Errorf("got %q", got)
	}
}
