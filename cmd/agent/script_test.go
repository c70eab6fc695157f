package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary the program when it is called by the program's name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agent": main})
}

// TestScript runs what a user does in a shell: testdata/script/*.txtar, each in a folder and with a home
// of its own. The command `status N CMD...` wants an exit code.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("AGENT_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("HOME", env.WorkDir)
			return os.MkdirAll(filepath.Join(env.WorkDir, "home", "scripts"), 0o755)
		},
		Cmds:          map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": status},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// status runs a program and wants the given exit code.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status CODE COMMAND [ARG ...]")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := err.(interface{ ExitCode() int })
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if want := args[0]; want != itoa(got) {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

func itoa(n int) string {
	return string(rune('0' + n))
}
