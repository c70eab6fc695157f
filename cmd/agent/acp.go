// This file implements agent acp: an editor drives the agent over standard input and output.

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

	"github.com/agentscripts/agent/agent/acp"
	"github.com/agentscripts/agent/agent/jsonrpc"
	"github.com/agentscripts/agent/agent/remote"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

// maxSessionsListed is the largest number of sessions listed for an editor: the last few weeks.
const maxSessionsListed = 100

func runACP(f *flags, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	switch {
	case len(f.words) > 0:
		return usageError(stderr,
			errors.New("acp: got "+strings.Join(f.words, " ")+
				", want no prompt: the editor sends it"))
	case f.session.given() || f.session.name != "":
		return usageError(stderr,
			errors.New("acp: --continue, --resume and --name are not allowed: the editor "+
				"starts and opens sessions"))
	}
	signal.Ignore(syscall.SIGPIPE) // if the editor exits, its sessions end normally
	ctx, ended := endOnSignals()
	defer ended.done(&code)
	return serveACP(ctx, optionsACP(f, place{}, jsonrpc.Options{In: stdin, Out: stdout}, stderr))
}

// serveACP serves an editor until the editor or ctx ends its sessions.
func serveACP(ctx context.Context, o acp.Options) int {
	if err := acp.Serve(ctx, o); err != nil {
		o.Log(plain.Error(err))
		return exitError
	}
	return exitOK
}

// optionsACP returns the options of the server for editors.
func optionsACP(f *flags, at place, streams jsonrpc.Options, stderr io.Writer) acp.Options {
	var mu sync.Mutex
	log := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(stderr, "agent: %s\n", plain.Text(text))
	}
	return acp.Options{In: streams.In, Out: streams.Out, Version: version(), Log: log,
		Limits: streams,
		Open: func(u remote.User, where acp.Place) (*remote.Program, error) {
			return openACP(f, at, u, where)
		},
		List: func(dir string) ([]session.Info, error) {
			here, err := place{home: at.home, dir: dir}.withDefaults()
			if err != nil {
				return nil, err
			}
			if dir == "" {
				return session.ListAll(here.home, maxSessionsListed)
			}
			return session.List(here.sessions(), maxSessionsListed)
		}}
}

// openACP assembles the program for a session of an editor.
func openACP(f *flags, at place, u remote.User, where acp.Place) (*remote.Program, error) {
	own := *f
	own.session.resume = where.Resume
	at.dir = where.Dir
	if where.Resume != "" {
		here, err := at.withDefaults()
		if err == nil {
			_, err = session.Find(here.sessions(), where.Resume)
		}
		if err != nil {
			return nil, &fault.WorldError{Code: "not_found", Message: plain.Error(err)}
		}
	}
	return openRemote(&own, front{mode: "acp", place: at, servers: where.Servers}, u)
}
