package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine/ramdisk"
	"github.com/agentscripts/agent/tui/tuitest"
)

// rounds has each test in a terminal run twice: as it is, and with a key and a redactor, so that
// all is masked.
var rounds tuitest.Rounds

// TestMain makes the test binary the program when it is called by the program's name. It runs four
// tests side by side, unless -parallel says otherwise: most of them wait for something, whatever
// the number of processors is.
func TestMain(m *testing.M) {
	ramdisk.Use()
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	testscript.Main(rounds.Main(m), map[string]func(){"agent": main, "requests": printRequests,
		"mcpserver": mcpServer})
}

// printRequests is the command `requests`: what the model that plays was sent, a line of JSON each.
func printRequests() {
	d := &drive{home: os.Getenv("AGENT_HOME")}
	for _, r := range d.requests() {
		fmt.Println(r)
	}
}

// TestScript runs what a user does in a shell: testdata/script/*.txtar, each in a folder and with a
// home of its own. The commands are `status N CMD...`, which wants an exit code, and `drop
// NAME...`, which deletes scripts.
func TestScript(t *testing.T) { runScripts(t, "testdata/script", "") }

// TestScriptInBothLanguages runs testdata/both/*.txtar twice: $EXT is lua, then js. $PLAYED is the
// model that plays.
func TestScriptInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) { runScripts(t, "testdata/both", lang) })
	}
}

func runScripts(t *testing.T, dir, lang string) {
	model, err := filepath.Abs(played)
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(env *testscript.Env) error {
			env.Setenv("AGENT_HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("EXT", lang)
			env.Setenv("PLAYED", model)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			// no local model server, also if this machine runs one
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")
			env.Values[serversKey{}] = map[string]*llmtest.Server{}
			return os.MkdirAll(filepath.Join(env.WorkDir, "home", "scripts"), 0o755)
		},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Getuid() == 0, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool,
			args []string){"status": status, "drop": drop, "serve": serve, "asked": asked},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// drop deletes scripts of the user while the program does not run, and says that they may go: `drop
// NAME...`.
func drop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: drop NAME ...")
	}
	for _, name := range args {
		ts.Check(os.Remove(ts.MkAbs("home/scripts/" + name)))
		_ = ts.Exec("agent", "ext", "forget", name) // one that guards nothing is not missed
	}
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
	if want := args[0]; want != strconv.Itoa(got) {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}
