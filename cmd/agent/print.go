// This file implements agent -p and --json: one prompt, no screen.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/spec"
)

// maxInput is the largest part of standard input that is used in a prompt: more than any model
// takes.
const maxInput = 16 << 20

// toolShown is how many bytes of a tool's name are shown: a model can request any name.
const toolShown = 100

func runPrint(f *flags, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	prompt, err := readPrompt(f, stdin)
	if err != nil {
		return usageError(stderr, err)
	}
	if f.session.pick {
		at, err := place{}.withDefaults()
		if err == nil {
			err = needsID(at)
		}
		return usageError(stderr, err)
	}
	// if the reader goes away, the run ends, instead of the process in the middle of a write
	signal.Ignore(syscall.SIGPIPE)
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	signaled := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stdout, stderr = &patient{out: stdout, until: signaled}, &patient{out: stderr, until: signaled}
	out := &printer{out: stdout, err: stderr, json: f.json, gone: cancel}
	out.printHead()
	a, err := newApp(f, front{mode: out.mode(), emit: out.event, wants: out.wants()})
	if err != nil {
		fmt.Fprintf(stderr, "agent: %s\n", shownError(err))
		return exitError
	}
	if err = a.startSession(ctx); err == nil {
		looked := a.tellModels(ctx)
		err = a.work(ctx, prompt, out.printResult)
		select {
		case <-looked:
		case <-ctx.Done():
		case <-time.After(lookWait):
		}
	}
	cause := "exit"
	if signaled.Err() != nil {
		cause = "signal"
	}
	a.close(context.WithoutCancel(ctx), cause)
	if err != nil && out.failed == nil {
		return startFailure(stderr, err)
	}
	return out.exit(ctx)
}

// work sends a prompt to the agent and waits until the agent has finished with it and with
// everything that scripts send meanwhile.
func (a *app) work(ctx context.Context, prompt string, end func(agent.End)) error {
	if err := a.agent.Send(agent.Input{Text: prompt, Kind: "prompt", Source: "cli"}); err != nil {
		return err
	}
	a.agent.Work(ctx, func(_ agent.Input, e agent.End) {
		switch { // without an editor, texts for it are shown
		case e.Insert == "":
		case a.flags.json:
			a.engine.Notices.Say(nil, "agent", e.Insert)
		default:
			e.Insert = a.engine.Mask.Text(e.Insert)
		}
		end(e)
	})
	return nil
}

// readPrompt joins the words of the command line with standard input, if that is not a terminal.
func readPrompt(f *flags, stdin io.Reader) (string, error) {
	prompt := strings.Join(f.words, " ")
	if piped(stdin) {
		b, err := io.ReadAll(io.LimitReader(stdin, maxInput+1))
		if err != nil {
			return "", fmt.Errorf("standard input: %w", err)
		}
		if len(b) > maxInput {
			return "", fmt.Errorf(
				"standard input: more than %d MB; save it to a file and name the file",
				maxInput>>20)
		}
		// some editors and shells begin UTF-8 with a mark
		if s := strings.TrimRight(plain.TrimBOM(string(b)), "\r\n"); s != "" {
			if prompt != "" {
				prompt += "\n\n"
			}
			prompt += s
		}
	}
	if strings.TrimSpace(prompt) == "" {
		return "", fmt.Errorf("-p needs a prompt: agent -p \"...\", or text on standard input")
	}
	return prompt, nil
}

// piped reports whether r should be read to its end, that is, whether it is neither a terminal nor
// empty.
func piped(r io.Reader) bool {
	file, ok := r.(*os.File)
	if !ok {
		return r != nil
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice == 0
}

// printer shows events on two streams: the answer on out, everything else on err; or every event as
// JSON on out.
type printer struct {
	out, err io.Writer
	json     bool
	gone     context.CancelCauseFunc // called when out cannot be written any more

	mu        sync.Mutex
	failed    error          // out could not be written
	told      []string       // the texts of the last reported error
	failures  map[string]int // how often each script error has occurred
	cancelled bool           // an input was cancelled
	erred     bool           // an input ended with an error
	refused   bool           // an input or a tool call was refused
}

func (p *printer) mode() string {
	if p.json {
		return "json"
	}
	return "print"
}

// printHead writes the lines before all events.
func (p *printer) printHead() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json {
		_, err := p.out.Write(append(streamHeader(), '\n'))
		p.checkWrite(err)
	}
}

// streamHeader returns the first line of --json.
func streamHeader() []byte {
	return fmt.Appendf(nil, `{"event":"stream","version":%d,"agent_version":%q}`,
		spec.StreamVersion, version())
}

// wants selects the events that the method event gets: with --json all.
func (p *printer) wants() event.Interest {
	if p.json {
		return nil
	}
	return event.Except("hook_finished")
}

func (p *printer) event(ev *event.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ev.Name() == "tool_skipped" && ev.Text("cause") == "denied" { // of sub-agents, too
		p.refused = true
	}
	p.remember(ev)
	if p.json {
		b, err := ev.MarshalJSON() // json.Marshal would validate the result again
		if err == nil {
			_, err = p.out.Write(append(b, '\n'))
		}
		p.checkWrite(err)
		return
	}
	switch ev.Name() {
	case "say":
		p.print(ev.Text("markdown"))
	case "tool_skipped":
		fmt.Fprintf(p.err, "%s: %s\n", plain.Line(ev.Text("tool"), toolShown),
			p.withoutReported(plain.Text(ev.Text("reason"))))
	case "script_error":
		text := plain.Text(scriptError(ev))
		if p.failures == nil {
			p.failures = map[string]int{}
		}
		if p.failures[text]++; p.failures[text] == 1 {
			fmt.Fprintln(p.err, text)
		}
	default:
		showNotice(p.err, ev)
	}
}

// remember records the texts of an event that reports an error.
func (p *printer) remember(ev *event.Event) {
	switch ev.Name() {
	case "notification", "error":
		if ev.Text("level") == "info" { // it is no error, and may come between one and its notice
			return
		}
		p.told = []string{plain.Text(ev.Text("message"))}
	case "script_error":
		se, _ := engine.ScriptErrorOf(ev)
		p.told = []string{plain.Text(se.Error()), plain.Text(se.Message)}
	}
}

// hasReported reports whether the last reported error contained text.
func (p *printer) hasReported(text string) bool {
	return slices.ContainsFunc(p.told,
		func(told string) bool { return strings.Contains(told, text) })
}

// withoutReported returns text without the error that has just been printed.
func (p *printer) withoutReported(text string) string {
	for _, told := range p.told {
		text = strings.Replace(text, ": "+told, "", 1)
	}
	return text
}

// summarize prints how often each script error has occurred, if more than once.
func (p *printer) summarize() {
	for _, text := range slices.Sorted(maps.Keys(p.failures)) {
		if n := p.failures[text]; n > 1 {
			first, _, _ := strings.Cut(text, "\n")
			fmt.Fprintf(p.err, "%s (%d times)\n", first, n)
		}
	}
}

// print puts text for the user on out, which may be a terminal.
func (p *printer) print(text string) {
	_, err := fmt.Fprintln(p.out, plain.Text(strings.TrimRight(text, "\n")))
	p.checkWrite(err)
}

// checkWrite ends the run if out cannot be written any more.
func (p *printer) checkWrite(err error) {
	if err == nil || p.failed != nil {
		return
	}
	p.failed = fmt.Errorf("standard output: %w", err)
	p.gone(p.failed)
}

// printResult prints the answer to an input, or how else the input ended.
func (p *printer) printResult(e agent.End) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.json && e.Response != "" {
		p.print(e.Response)
	}
	if !p.json && e.Insert != "" {
		p.print(e.Insert)
	}
	told := e.Reason == "" || p.hasReported(plain.Text(e.Reason))
	switch e.Status {
	case agent.Cancelled:
		p.cancelled = true
	case agent.Failed, agent.Limit:
		p.erred = true
		if !told {
			fmt.Fprintf(p.err, "agent: %s: %s\n", e.Status, plain.Text(e.Reason))
		}
	case agent.Blocked:
		if !told {
			fmt.Fprintf(p.err, "agent: the prompt was refused: %s\n", plain.Text(e.Reason))
		}
	case agent.Stopped:
		if !told {
			fmt.Fprintf(p.err, "agent: stopped: %s\n", plain.Text(e.Reason))
		}
	}
	p.refused = p.refused || e.Refused > 0 || e.Status == agent.Blocked
}

// exit returns the exit code. If the run ended early, exit prints why.
func (p *printer) exit(ctx context.Context) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.summarize()
	switch {
	case p.failed != nil: // the user did not get the result
		return failure(p.err, p.failed)
	case ctx.Err() != nil:
		return failure(p.err, fmt.Errorf("%s: %s", agent.Cancelled,
			plain.Text(context.Cause(ctx).Error())))
	case p.cancelled:
		return failure(p.err, errors.New(string(agent.Cancelled)))
	case p.erred:
		return exitError
	case p.refused:
		return exitRefused
	}
	return exitOK
}

// showNotice prints the events that a user should see in every mode.
func showNotice(w io.Writer, ev *event.Event) {
	switch ev.Name() {
	case "notification":
		fmt.Fprintf(w, "[%s] %s: %s\n", plain.Text(ev.Text("source")), ev.Text("level"),
			plain.Text(ev.Text("message")))
	case "script_error":
		fmt.Fprintln(w, plain.Text(scriptError(ev)))
	}
}

// scriptError formats a script_error event for people: position, message, excerpt, consequence.
func scriptError(ev *event.Event) string {
	se, kept := engine.ScriptErrorOf(ev)
	if se.Message = se.Handler + ": " + se.Message; kept && se.Handler == "load" {
		return se.Detail() + "\nthe last good version stays in force"
	}
	return se.Detail()
}
