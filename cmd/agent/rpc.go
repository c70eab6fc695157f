// This file is agent rpc: another program drives the agent, over standard input and output.

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
	"github.com/agentscripts/agent/agent/rpc"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
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
			errors.New("rpc: --resume needs an id; the client can list the sessions and go on "+
				"with one"))
	}
	signal.Ignore(syscall.SIGPIPE) // a client that goes away ends the session in order
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	return serveRPC(ctx, f, place{}, jsonrpc.Options{In: stdin, Out: stdout}, stderr)
}

// serveRPC serves a client until it, or ctx, ends the session.
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
	err := rpc.Serve(ctx, rpc.Options{In: streams.In, Out: streams.Out, Version: version,
		EventNames: names, EventVersion: spec.StreamVersion,
		Log: log, Limits: streams, Open: func(fr rpc.Front) (*rpc.Program,
			error) {
			return openRPC(f, at, fr)
		}})
	if err != nil {
		log(plain.Error(err))
		return exitError
	}
	return exitOK
}

// openRPC puts the program together for a client.
func openRPC(f *flags, at place, fr rpc.Front) (*rpc.Program, error) {
	a, err := newApp(f, front{mode: "rpc", emit: fr.Emit, approver: fr.Approver,
		dialogs: fr.Dialogs, surface: fr.Surface, confirm: fr.Confirm, exit: fr.Exit, place: at})
	if err != nil {
		return nil, err
	}
	return &rpc.Program{Engine: a.engine, Agent: a.agent, Start: a.startSession, Close: a.close,
		Reload: a.agent.Reload, Scripts: func() []rpc.Script {
			var list []rpc.Script
			for _, i := range a.agent.Scripts() {
				list = append(list, scriptInfo(i))
			}
			return list
		}}, nil
}

func scriptInfo(i load.Info) rpc.Script {
	s := rpc.Script{Name: i.Name, Path: i.Path, Source: i.Source.String(), State: string(i.State),
		Generation: i.Generation, Handlers: i.Handlers, Tools: i.Tools,
		Commands: i.Commands, Protected: i.Protected, Version: i.Header.Version,
		Summary: i.Header.Summary, Notes: i.Notes}
	if i.Error != nil {
		s.Error = i.Error.Detail()
	}
	return s
}
