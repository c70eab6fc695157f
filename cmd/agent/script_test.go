package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentscripts/agent/agent/llm/llmtest"
	"github.com/agentscripts/agent/engine/fence"
	"github.com/agentscripts/agent/engine/ramdisk"
	"github.com/agentscripts/agent/tui/tuitest"
)

// rounds runs each terminal test twice: as it is, and with a key and a redactor, so that all text
// passes through masking.
var rounds tuitest.Rounds

// TestMain makes the test binary act as the program when it is called by the program's name. It
// runs eight tests in parallel, unless -parallel says otherwise, because most of them wait for
// something, whatever the number of processors.
func TestMain(m *testing.M) {
	ramdisk.Use()
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	testscript.Main(rounds.Main(m), map[string]func(){"agent": crashingMain,
		"requests": printRequests, "mcpserver": mcpServer})
}

// crashingMain is main, with crashes on demand.
func crashingMain() {
	crashOnOrder()
	main()
}

// printRequests is the command `requests`, which prints the requests to the scripted model, one
// line of JSON each.
func printRequests() {
	d := &drive{home: os.Getenv("AGENT_HOME")}
	for _, r := range d.requests() {
		fmt.Println(r)
	}
}

// TestScript runs testdata/script/*.txtar, which show what users do in a shell, each in a folder
// and with a home of its own. The additional commands are `status N CMD...`, which checks the exit
// code of a command, and `drop NAME...`, which deletes scripts.
func TestScript(t *testing.T) {
	t.Parallel()
	runScripts(t, "testdata/script", "")
}

// TestScriptInBothLanguages runs testdata/both/*.txtar twice: $EXT is lua, then js. $PLAYED is the
// script of the scripted model.
func TestScriptInBothLanguages(t *testing.T) {
	t.Parallel()
	for _, lang := range languages {
		t.Run(lang, func(t *testing.T) {
			t.Parallel() // some scripts wait for seconds
			runScripts(t, "testdata/both", lang)
		})
	}
}

// linkPython puts a link to the interpreter itself beside the program, in front of everything else
// in $PATH. Where python3 is a script that looks for an interpreter, as version managers have it,
// each call starts some thirty other programs.
var linkPython = sync.OnceValue(func() error {
	program, err := exec.LookPath("agent")
	if err != nil {
		return err
	}
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return nil // there is none: the scripts skip what needs it
	}
	return os.Symlink(strings.TrimSpace(string(python)),
		filepath.Join(filepath.Dir(program), "python3"))
})

func runScripts(t *testing.T, dir, lang string) {
	if err := linkPython(); err != nil {
		t.Fatal(err)
	}
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
			// ignore a model server that runs on this machine
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")
			env.Values[serversKey{}] = map[string]*llmtest.Server{}
			return os.MkdirAll(filepath.Join(env.WorkDir, "home", "scripts"), 0o755)
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "root":
				return os.Getuid() == 0, nil
			case "sandbox": // one that enforces all its limits
				m, _ := fence.New(fence.Options{}).Method()
				return m != fence.None && m != fence.Landlock, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool,
			args []string){"status": checkStatus, "drop": drop, "serve": serve, "asked": askedOf},
		UpdateScripts: os.Getenv("UPDATE") != "",
	})
}

// drop implements `drop NAME...`: it deletes scripts of the user while the program does not run,
// and forgets them.
func drop(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: drop NAME ...")
	}
	for _, name := range args {
		ts.Check(os.Remove(ts.MkAbs("home/scripts/" + name)))
		_ = ts.Exec("agent", "ext", "forget", name) // fails if it has no guards
	}
}

// checkStatus implements `status CODE COMMAND`: it runs a program and checks its exit code.
func checkStatus(ts *testscript.TestScript, neg bool, args []string) {
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
