// This file implements agent rpc: another program drives the agent over standard input and output.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/agent/rpc"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/spec"
)

func runRPC(f *flags, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	switch {
	case len(f.words) > 0:
		return usageError(stderr,
			errors.New("rpc: got "+strings.Join(f.words, " ")+
				", want no prompt: the client sends it"))
	case f.session.pick:
		return usageError(stderr,
			errors.New("rpc: --resume needs an id; the client can list the sessions and resume "+
				"with one"))
	}
	signal.Ignore(syscall.SIGPIPE) // if the client exits, the session ends normally
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	return serveRPC(ctx, f, place{}, jsonrpc.Options{In: stdin, Out: stdout}, stderr)
}

// serveRPC serves a client until the client or ctx ends the session.
func serveRPC(ctx context.Context, f *flags, at place, streams jsonrpc.Options,
	stderr io.Writer) int {
	var mu sync.Mutex
	log := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(stderr, "agent: %s\n", plain.Text(text))
	}
	var names []string
	for _, row := range spec.Events() {
		names = append(names, row.Name)
	}
	err := rpc.Serve(ctx, rpc.Options{In: streams.In, Out: streams.Out, Version: version(),
		EventNames: names, EventVersion: spec.StreamVersion,
		Log: log, Limits: streams, Open: func(u remote.User) (*remote.Program,
			error) {
			return openRemote(f, front{mode: "rpc", place: at}, u)
		}})
	if err != nil {
		log(plain.Error(err))
		return exitError
	}
	return exitOK
}

// openRemote assembles the program for a remote user.
func openRemote(f *flags, fr front, u remote.User) (*remote.Program, error) {
	fr.emit, fr.wants, fr.approver, fr.dialogs = u.Emit, u.Wants, u.Approver, u.Dialogs
	fr.surface, fr.confirm, fr.exit = u.Surface, u.Confirm, u.Exit
	a, err := newApp(f, fr)
	if err != nil {
		return nil, err
	}
	return &remote.Program{Engine: a.engine, Agent: a.agent, Start: a.startSession, Close: a.close,
		Chosen: service.Settings{Permission: f.permission, Model: f.model,
			Thinking: f.thinking}}, nil
}
