// This file implements an editor for the tests of agent acp, with the protocol's own client.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/acp"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
)

// editor is a client of one run of agent acp.
type editor struct {
	*drive
	conn   *protocol.ClientSideConnection
	in     io.WriteCloser
	out    io.ReadCloser
	stop   context.CancelFunc // stops the program, as a signal does
	code   chan int
	limits jsonrpc.Options
	id     protocol.SessionId
	opened func(remote.User) // called with the user of each new session; may be nil

	mu      sync.Mutex
	updates []protocol.SessionUpdate
	asked   []protocol.RequestPermissionRequest
	answers []string // option ids, one for each question; "cancel" = none; "" = wait
	forms   []protocol.UnstableCreateElicitationForm
	filled  []map[string]any // the answers to forms; nil declines the form

	capable protocol.ClientCapabilities
}

var errUnsupported = errors.New("not supported")

func newEditor(t testing.TB, files map[string]string) *editor {
	return &editor{drive: newDrive(t, files)}
}

// start starts the program in this process. It sends nothing yet.
func (e *editor) start(args ...string) {
	e.t.Helper()
	f, err := parseFlags(append([]string{"acp", "-e", played, "--model", "played/m"}, args...))
	if err != nil {
		e.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	e.in, e.out, e.stop, e.code = in, out, stop, make(chan int, 1)
	streams := e.limits
	streams.In, streams.Out = stdin, stdout
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		o := optionsACP(f, e.place(), streams, &e.err)
		if open := o.Open; e.opened != nil {
			o.Open = func(fr remote.User, at acp.Place) (*remote.Program, error) {
				e.opened(fr)
				return open(fr, at)
			}
		}
		code := serveACP(ctx, o)
		stdout.Close()
		stdin.Close()
		e.code <- code
	}()
	e.t.Cleanup(func() {
		stop()
		in.Close()
		out.Close()
		waitFor(e.t, "the end of the program", ended) // the program writes to its home until then
	})
}

// startProcess starts the program as a separate process.
func (e *editor) startProcess(args ...string) {
	e.t.Helper()
	self, err := os.Executable()
	if err != nil {
		e.t.Fatal(err)
	}
	model, err := filepath.Abs(played)
	if err != nil {
		e.t.Fatal(err)
	}
	name := filepath.Join(e.t.TempDir(), "agent")
	if err := os.Symlink(self, name); err != nil {
		e.t.Skip(err)
	}
	cmd := exec.CommandContext(e.ctx, name,
		append([]string{"acp", "-e", model, "--model", "played/m"}, args...)...)
	cmd.Env = append(os.Environ(), "AGENT_HOME="+e.home, "HOME="+e.home)
	cmd.Stderr, cmd.Dir = &e.err, e.dir
	stdin, err := cmd.StdinPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		e.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.in, e.out, e.code = stdin, stdout, make(chan int, 1)
	e.stop = func() { _ = cmd.Process.Signal(os.Interrupt) }
	e.t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait() // the program writes to its home until then
	})
}

// greet initializes the protocol and starts a session.
func (e *editor) greet() {
	e.t.Helper()
	e.conn = protocol.NewClientSideConnection(e, e.in, e.out)
	e.conn.SetLogger(slog.New(slog.DiscardHandler))
	r, err := e.conn.Initialize(e.ctx,
		protocol.InitializeRequest{ProtocolVersion: protocol.ProtocolVersionNumber,
			ClientCapabilities: e.capable})
	if err != nil || r.ProtocolVersion != 1 || !r.AgentCapabilities.LoadSession {
		e.t.Fatalf("initialize: %+v, %v", r, err)
	}
	e.id = e.newSession(e.dir)
}

func (e *editor) newSession(dir string) protocol.SessionId {
	e.t.Helper()
	r, err := e.conn.NewSession(e.ctx, protocol.NewSessionRequest{Cwd: dir,
		McpServers: []protocol.McpServer{}})
	if err != nil {
		e.t.Fatal(err)
	}
	return r.SessionId
}

// open calls start and greet.
func (e *editor) open(args ...string) {
	e.t.Helper()
	e.start(args...)
	e.greet()
}

// prompt sends lines to the scripted model (see played.lua) and returns the stop reason.
func (e *editor) prompt(lines ...string) protocol.StopReason {
	e.t.Helper()
	return e.promptText("play\n" + strings.Join(lines, "\n"))
}

func (e *editor) promptText(text string) protocol.StopReason {
	e.t.Helper()
	r, err := e.conn.Prompt(e.ctx, protocol.PromptRequest{SessionId: e.id,
		Prompt: []protocol.ContentBlock{protocol.TextBlock(text)}})
	if err != nil {
		e.t.Fatalf("%s: %v\n%s", text, err, e.err.String())
	}
	return r.StopReason
}

// queueAnswers sets the answers to the next questions.
func (e *editor) queueAnswers(ids ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.answers = append(e.answers, ids...)
}

// RequestPermission implements protocol.Client.
func (e *editor) RequestPermission(ctx context.Context,
	q protocol.RequestPermissionRequest) (protocol.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, q)
	id := "unexpected"
	if len(e.answers) > 0 {
		id, e.answers = e.answers[0], e.answers[1:]
	}
	e.mu.Unlock()
	switch id {
	case "":
		<-ctx.Done()
		return protocol.RequestPermissionResponse{}, ctx.Err()
	case "cancel":
		cancelled := protocol.NewRequestPermissionOutcomeCancelled()
		return protocol.RequestPermissionResponse{Outcome: cancelled}, nil
	}
	return protocol.RequestPermissionResponse{Outcome: protocol.NewRequestPermissionOutcomeSelected(
		protocol.PermissionOptionId(id))}, nil
}

// UnstableCreateElicitation fills in a form.
func (e *editor) UnstableCreateElicitation(_ context.Context,
	q protocol.UnstableCreateElicitationRequest) (protocol.UnstableCreateElicitationResponse,
	error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.forms = append(e.forms, *q.Form)
	var content map[string]any
	if len(e.filled) > 0 {
		content, e.filled = e.filled[0], e.filled[1:]
	}
	if content == nil {
		decline := &protocol.UnstableCreateElicitationDecline{Action: "decline"}
		return protocol.UnstableCreateElicitationResponse{Decline: decline}, nil
	}
	accept := &protocol.UnstableCreateElicitationAccept{Action: "accept", Content: content}
	return protocol.UnstableCreateElicitationResponse{Accept: accept}, nil
}

func (e *editor) UnstableCompleteElicitation(context.Context,
	protocol.UnstableCompleteElicitationNotification) error {
	return nil
}

// SessionUpdate implements protocol.Client.
func (e *editor) SessionUpdate(_ context.Context, n protocol.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n.Update)
	return nil
}

func (e *editor) ReadTextFile(context.Context,
	protocol.ReadTextFileRequest) (protocol.ReadTextFileResponse, error) {
	return protocol.ReadTextFileResponse{}, errUnsupported
}
func (e *editor) WriteTextFile(context.Context,
	protocol.WriteTextFileRequest) (protocol.WriteTextFileResponse, error) {
	return protocol.WriteTextFileResponse{}, errUnsupported
}
func (e *editor) CreateTerminal(context.Context,
	protocol.CreateTerminalRequest) (protocol.CreateTerminalResponse, error) {
	return protocol.CreateTerminalResponse{}, errUnsupported
}
func (e *editor) KillTerminal(context.Context,
	protocol.KillTerminalRequest) (protocol.KillTerminalResponse, error) {
	return protocol.KillTerminalResponse{}, errUnsupported
}
func (e *editor) TerminalOutput(context.Context,
	protocol.TerminalOutputRequest) (protocol.TerminalOutputResponse, error) {
	return protocol.TerminalOutputResponse{}, errUnsupported
}
func (e *editor) ReleaseTerminal(context.Context,
	protocol.ReleaseTerminalRequest) (protocol.ReleaseTerminalResponse, error) {
	return protocol.ReleaseTerminalResponse{}, errUnsupported
}
func (e *editor) WaitForTerminalExit(context.Context,
	protocol.WaitForTerminalExitRequest) (protocol.WaitForTerminalExitResponse, error) {
	return protocol.WaitForTerminalExitResponse{}, errUnsupported
}

// shown returns what the thread shows since the last call: the texts as they are, and one line for
// each tool call and for its end.
func (e *editor) shown() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, u := range e.updates {
		switch {
		case u.AgentMessageChunk != nil:
			b.WriteString(u.AgentMessageChunk.Content.Text.Text)
		case u.AgentThoughtChunk != nil:
			b.WriteString("(" + u.AgentThoughtChunk.Content.Text.Text + ")")
		case u.UserMessageChunk != nil:
			b.WriteString("{" + u.UserMessageChunk.Content.Text.Text + "}")
		case u.ToolCall != nil:
			fmt.Fprintf(&b, "\n[%s %s %s %s]%s\n", u.ToolCall.ToolCallId, u.ToolCall.Kind,
				u.ToolCall.Title, u.ToolCall.Status, contentText(u.ToolCall.Content))
		case u.ToolCallUpdate != nil && u.ToolCallUpdate.Status != nil:
			fmt.Fprintf(&b, "\n[%s %s]%s\n", u.ToolCallUpdate.ToolCallId, *u.ToolCallUpdate.Status,
				contentText(u.ToolCallUpdate.Content))
		case u.CurrentModeUpdate != nil:
			fmt.Fprintf(&b, "\n[mode %s]\n", u.CurrentModeUpdate.CurrentModeId)
		}
	}
	e.updates = nil
	return b.String()
}

func contentText(content []protocol.ToolCallContent) string {
	var b strings.Builder
	for _, c := range content {
		switch {
		case c.Diff != nil:
			old := ""
			if c.Diff.OldText != nil {
				old = *c.Diff.OldText
			}
			fmt.Fprintf(&b, " %s: %q => %q", filepath.Base(c.Diff.Path), old, c.Diff.NewText)
		case c.Content != nil && c.Content.Content.Text != nil:
			b.WriteString(" " + c.Content.Content.Text.Text)
		}
	}
	return b.String()
}

// questions returns the questions since the last call: their options and the content shown with
// them.
func (e *editor) questions() (list []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, q := range e.asked {
		var options []string
		for _, o := range q.Options {
			options = append(options, fmt.Sprintf("%s/%s/%s", o.OptionId, o.Kind, o.Name))
		}
		list = append(list, *q.ToolCall.Title+" |"+contentText(q.ToolCall.Content)+" | "+
			strings.Join(options, ", "))
	}
	e.asked = nil
	return list
}

// commands returns the commands of the last update that listed them.
func (e *editor) commands() (names []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, u := range e.updates {
		if c := u.AvailableCommandsUpdate; c != nil {
			names = nil
			for _, a := range c.AvailableCommands {
				names = append(names, a.Name)
			}
		}
	}
	return names
}
