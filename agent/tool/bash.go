package tool

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

// Bash is the name of the tool that runs command lines.
const Bash = "bash"

const (
	// bashTimeout is the default time limit of a command: most tests and builds end sooner.
	bashTimeout = 120 * time.Second
	// bashMaxTimeout is the longest time limit that the model may set.
	bashMaxTimeout = 600 * time.Second
)

func bashTool(o Options) *engine.Tool {
	timeout := property("number",
		fmt.Sprintf("seconds until the command is killed, at most %d; %d if absent, and none in "+
			"the background", int(bashMaxTimeout.Seconds()), int(bashTimeout.Seconds())))
	timeout["exclusiveMinimum"], timeout["maximum"] = 0, bashMaxTimeout.Seconds()
	properties := map[string]any{
		"command": property("string", "command line for bash"),
		"timeout": timeout,
		"cwd": property("string",
			"directory to run in; the working directory if absent"),
		"background": property("boolean", "return at once and let it run on"),
	}
	if o.Fence != nil {
		properties["sandbox"] = property("boolean", "false: the user is asked to let it run "+
			"outside of the sandbox; only if the sandbox refused what has to be done")
	}
	return &engine.Tool{
		Name: Bash, Kind: "execute", Source: "builtin",
		Description: fmt.Sprintf(
			"Runs a shell command and returns what it writes, stdout and stderr together, and "+
				"its exit code if that is not 0. "+
				"There is no input and no terminal. Of more than %d KB or %d lines the "+
				"beginning and "+
				"the end are returned, and the name of a file with all of it. "+
				"What takes long, or does not end by itself, runs in the background: you are told "+
				"when it ends, and the tool job shows what it writes.", output.Bytes>>10,
			output.Lines),
		Schema: object(properties, "command"),
		Subject: &subject.Subject{Kind: subject.Command, Arg: "command", Dir: "cwd",
			Title: []subject.Phrase{{Arg: "command"}}},
		Aliases: bashAliases(),
		Sandbox: o.sandbox(),
		Run:     o.runBash,
	}
}

func (o Options) runBash(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	dir, err := bashDir(use)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	background, _ := use.Args["background"].(bool)
	timeout := bashTimeout
	if background {
		timeout = 0
	}
	if s, ok := value.Number(use.Args["timeout"]); ok {
		timeout = min(time.Duration(s*float64(time.Second)), bashMaxTimeout)
	}
	if background {
		return o.Jobs.startJob(use, o, dir, timeout)
	}
	began := time.Now()
	rec := o.Output.Record(Bash)
	defer rec.Close()
	p, err := o.startBash(use, dir, newStreams(use, use.Output, rec.Add))
	if err != nil {
		return nil, fmt.Errorf("bash: %w", err)
	}
	end := p.waitCommand(ctx, timeout)
	rec.Close()
	state := p.State()
	text := rec.Text()
	failed := end.how != process.Exited || state.ExitCode() != 0
	notes := end.endingNote(state) + o.refused(use, dir, text)
	if failed {
		notes += o.withoutSetup(use)
	}
	r := engine.TextResult(addNote(text, strings.TrimPrefix(notes, "\n")))
	r.IsError = failed
	r.Details = map[string]any{"exit_code": state.ExitCode(),
		"timed_out": end.how == process.TimedOut, "duration_ms": time.Since(began).Milliseconds()}
	if path := rec.Path(); path != "" {
		r.Details["full_output"] = path
	}
	return r, nil
}

// addNote appends a note to an output.
func addNote(s, note string) string {
	switch {
	case note == "" && s == "":
		return "[no output]"
	case note == "":
		return s
	case s == "" || strings.HasSuffix(s, "\n"):
		return s + note
	}
	return s + "\n" + note
}

func bashDir(use *engine.Use) (string, error) {
	var decided []string
	if dir := use.DecidedDir(); dir != "" {
		decided = []string{dir}
	}
	name := value.Text(use.Args, "cwd")
	if name == "" {
		_, err := decidedPath(workdir(use), decided)
		return workdir(use), err
	}
	dir, err := resolvePath(use, name)
	if err != nil {
		return "", fmt.Errorf("cwd: %w", err)
	}
	if dir, err = decidedPath(dir, decided); err != nil {
		return "", explain("cwd", name, err)
	}
	if st, err := os.Stat(dir); err != nil {
		return "", explain("cwd", name, err)
	} else if !st.IsDir() {
		return "", fmt.Errorf("cwd %s: is not a directory", name)
	}
	return dir, nil
}
