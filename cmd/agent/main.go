// Command agent is a terminal coding agent that is extended with one-file Lua and JavaScript
// scripts.
//
// This package holds flags, wiring and exit codes. The program itself is in the packages that it
// imports: engine (the pipeline), lua and js (the runtimes), agent (the loop), tui (the screen).
package main

//go:generate env UPDATE=1 go test . -count=1 -run "Docs|TestGuideTools"

import (
	"io"
	"log"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/agentscripts/agent/cmd/agent/internal/cli"
	"github.com/agentscripts/agent/cmd/agent/internal/gcstart"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/terminal"
)

// source is the version of this source, for a program that was not installed as a module.
const source = "0.1.0"

// version returns the version of the program, as scripts and other programs are told.
var version = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
})

// versionOf returns the version of the module, if the program was installed as one.
func versionOf(info *debug.BuildInfo) string {
	if info == nil {
		return source
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" || strings.HasPrefix(v, "v0.0.0-") {
		return source
	}
	return strings.TrimPrefix(v, "v")
}

// versionLine says which version this is, with what the build knows of the commit.
func versionLine(info *debug.BuildInfo) string {
	line := versionOf(info)
	if info == nil {
		return line
	}
	about := map[string]string{}
	for _, s := range info.Settings {
		about[s.Key] = s.Value
	}
	if commit := about["vcs.revision"]; commit != "" {
		state := ""
		if about["vcs.modified"] == "true" {
			state = ", with changes"
		}
		line += " (commit " + plain.Head(commit, 12) + " of " + about["vcs.time"] + state + ")"
	}
	return line
}

// Exit codes. Source: docs/usage.md.
const (
	exitOK       = 0
	exitError    = 1
	exitUsage    = 2
	exitRequired = 3 // --require-scripts: a script is not in force
	exitRefused  = 4 // the prompt or a tool call was refused
)

func main() {
	if spec, ok := os.LookupEnv(watcherVariable); ok {
		os.Exit(runWatcher(spec))
	}
	gcstart.End()
	log.SetFlags(0)
	log.SetOutput(io.Discard) // the log output of libraries goes to a file: see libraryLog
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the program and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	f := &flags{}
	root := f.tree(args, func() error {
		code = f.do(stdin, stdout, stderr)
		return nil
	})
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		width := terminal.Width(os.Stdout, cli.Width)
		code = printText(stdout, stderr, cli.Help(cli.NameOf(c), width, styled(stdout)))
	})
	if err := root.Execute(); err != nil {
		return usageError(stderr, err)
	}
	return code
}

// do does what the flags and the words say.
func (f *flags) do(stdin io.Reader, stdout, stderr io.Writer) int {
	if f.version {
		info, _ := debug.ReadBuildInfo()
		return printText(stdout, stderr, "agent "+versionLine(info))
	}
	if err := f.checkPaths(); err != nil {
		return usageError(stderr, err)
	}
	if err := mayDecide(f, stdin); err != nil {
		return failure(stderr, err)
	}
	if err := mayStart(f); err != nil {
		return failure(stderr, err)
	}
	switch {
	case f.command == "ext":
		return runExt(f, stdin, stdout, stderr)
	case f.command == "permissions":
		return runPermissions(f, stdout, stderr)
	case f.command == "session":
		return runSession(f, stdout, stderr)
	case f.command == "trust":
		return runTrust(f, stdout, stderr)
	case f.command == "sandbox":
		return runSandbox(f, stdin, stdout, stderr)
	case f.command == "doctor":
		return runDoctor(f, stdout, stderr)
	case f.command == "help":
		return runHelp(f.words, stdout, stderr)
	case f.command == "completion":
		return runCompletion(f.words, stdout, stderr)
	case f.command == "man":
		return printText(stdout, stderr, cli.Man(version()))
	case f.command == "models":
		return runModels(f, stdout, stderr)
	case f.command == "rpc":
		return runRPC(f, stdin, stdout, stderr)
	case f.command == "acp":
		return runACP(f, stdin, stdout, stderr)
	case f.print || f.json:
		return runPrint(f, stdin, stdout, stderr)
	}
	return runScreen(f, stdin, stdout, stderr)
}
