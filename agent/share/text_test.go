package share

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/scriptfile"
)

// TestText checks the line that installs a shared script, and that nothing hidden is shared.
func TestText(t *testing.T) {
	t.Parallel()
	in := newInstaller(t)
	write(t, in.Path("a.lua"), "-- a\n")
	sum := newFile("", []byte("-- a\n"), Source{}, "").SHA256
	commit := strings.Repeat("a1", 20)
	for source, want := range map[string]string{
		"https://h/a.lua":               "install 'https://h/a.lua#sha256=" + sum + "'\n",
		"https://h/a.lua#sha256=" + sum: "install 'https://h/a.lua#sha256=" + sum + "'\n",
		"github:o/r/a.lua@v1":           "install github:o/r/a.lua@" + commit + "\n",
		"github:o/r/dir/b.lua":          "install github:o/r/dir/b.lua@" + commit + " --as a.lua\n",
		"git:git@h:r.git@v1//x/a.lua":   "install git:git@h:r.git@" + commit + "//x/a.lua\n",
		"git:https://h/r//x;touch $(id).lua": "install 'git:https://h/r@" + commit +
			"//x;touch $(id).lua' --as a.lua\n",
		"/x/a.lua": "install ./a.lua\n",
	} {
		got, err := Text(Status{File: "a.lua", Path: in.Path("a.lua"),
			Entry: &Entry{File: "a.lua", Source: source, SHA256: sum, Resolved: commit}})
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, %v", source, got, err)
		}
	}
	edited, err := Text(Status{File: "a.lua", Path: in.Path("a.lua"), Drift: DriftEdited,
		Header: scriptfile.Header{Grants: scriptfile.Grants{"net:example.org"}},
		Entry:  &Entry{File: "a.lua", Source: "github:o/r/a.lua", SHA256: sum, Resolved: commit}})
	for _, want := range []string{"- sha256: `" + sum + "`\n", "- it ", "example.org",
		"agent ext install ./a.lua\n"} {
		if err != nil || !strings.Contains(edited, want) {
			t.Errorf("one with edits: got %q, %v, want %q", edited, err, want)
		}
	}
	write(t, in.Path("b.lua"), "-- a\n-- \x1b]0;x\a\n")
	got, err := Text(Status{File: "b.lua", Path: in.Path("b.lua")})
	if err == nil || !strings.HasPrefix(err.Error(), "b.lua:2: ") {
		t.Errorf("got %q, %v", got, err)
	}
}
