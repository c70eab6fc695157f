package scripttest_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// failing are cases that must fail, with parts of their error messages.
var failing = map[string]struct{ text, want string }{
	"languages differ": {
		"-- case.lua --\next.notify(\"a\")\n-- case.js --\next.notify(\"b\");\n-- want " +
			"--\nnotice of case, info: a\n",
		"the languages differ",
	},
	"another result": {
		"-- case.lua --\next.notify(\"a\")\n-- case.js --\next.notify(\"a\");\n-- want " +
			"--\nnotice of case, info: b\n",
		"want notice of case, info: b",
	},
	"an error without a mark": {
		"-- case.lua --\nerror(\"x\")\n-- case.js --\nthrow new Error(\"x\");\n-- want " +
			"--\nfailed: load\n",
		"got an error without a mark: case.lua:1: x",
	},
	"a mark without an error": {
		"-- case.lua --\nlocal x -- ### y\n-- case.js --\nlet x; // ### y\n-- want --\n",
		`case.lua:1: got no error, want one that matches "y"`,
	},
	"a mark on another line": {
		"-- case.lua --\nlocal x -- ### y\nerror(\"y\")\n-- case.js --\nlet x; // ### y\nthrow " +
			"new Error(\"y\");\n-- want --\nfailed: load\n",
		"got an error without a mark: case.lua:2: y",
	},
	"a mark with another text": {
		"-- case.lua --\nerror(\"y\") -- ### ^z\n-- case.js --\nthrow new Error(\"y\"); // ### " +
			"^z\n-- want --\nfailed: load\n",
		`want an error that matches "^z"`,
	},
	"one language missing": {
		"-- case.lua --\n-- want --\n",
		"the case has no case.js",
	},
	"an unknown line of input": {
		"-- case.lua --\n-- case.js --\n-- input --\ncal x\n-- want --\n",
		`unknown line "cal x"`,
	},
}

// inner is the environment variable that names the failing case for a child process of the test
// binary.
const inner = "AGENT_TEST_FAILING_CASE"

// TestKitFails runs each failing case in a separate process.
func TestKitFails(t *testing.T) {
	t.Parallel()
	if name := os.Getenv(inner); name != "" {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "case.txtar"), []byte(failing[name].text),
			0o600); err != nil {
			t.Fatal(err)
		}
		kit().Run(t, dir)
		return
	}
	for name, test := range failing {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKitFails$")
			cmd.Env = append(os.Environ(), inner+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(out), test.want) {
				t.Errorf("got %v and\n%s\nwant a failure with %q", err, out, test.want)
			}
		})
	}
}
