// This file starts a program and takes its registrations.

package zot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
)

const (
	// idle is how long a program that has registered something may be silent before it counts as
	// ready: programs made before ready existed never say it.
	idle = 250 * time.Millisecond
	// grace is how long after hello a program may take to register something.
	grace = 3 * time.Second
)

// Load implements engine.Runtime: it starts the program, and returns when it is ready.
func (f *Format) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	m, err := readManifest(bind.Gen.Bytes)
	if err != nil {
		return nil, err
	}
	l := &link{format: f, api: extapi.API{Bind: bind}, manifest: m,
		setup: make(chan *frame), heard: make(chan *frame, mostHeard),
		ready: make(chan struct{}), subscribed: subscriptions{}}
	started := time.Now()
	l.turn = bind.NewTurn(func(error) {}, func() {})
	if err := l.startProgram(); err != nil {
		return nil, err
	}
	l.program.Talk(l.receiveLine)
	err = l.greet(run)
	if err == nil {
		err = l.register(run)
	}
	if err != nil {
		l.program.Fail(err)
		l.program.End()
		return nil, fmt.Errorf("%s: %w", m.Exec, err)
	}
	close(l.ready)
	go l.handleFrames()
	go l.watchEnd(started)
	return l, nil
}

// startProgram starts the program.
func (l *link) startProgram() error {
	folder, m := filepath.Dir(l.api.Bind.Gen.Path), &l.manifest
	path, err := peer.Find(m.Exec, folder, "exec in extension.json")
	if err != nil {
		return err
	}
	c := peer.Command{Path: path, Args: m.Args, Dir: folder}
	if data := dataOf(l); data != "" {
		if err := os.MkdirAll(data, 0o700); err != nil {
			return fmt.Errorf("its folder for data cannot be made: %w", err)
		}
		c.Writes = []string{data}
	}
	l.program, err = l.format.host.Start(l.api, c)
	return err
}

// dataOf returns the folder for the extension's own files; "" if there is none.
func dataOf(l *link) string {
	if l.format.o.Data == "" {
		return ""
	}
	return filepath.Join(l.format.o.Data, filepath.Base(filepath.Dir(l.api.Bind.Gen.Path)))
}

// nextFrame returns the next frame of the registration. It returns nil if none has arrived within
// wait.
func (l *link) nextFrame(run *engine.Run, wait time.Duration) (*frame, error) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case f := <-l.setup:
		return f, nil
	case <-t.C:
		return nil, nil
	case <-l.program.Dead():
		return nil, l.program.Err()
	case <-run.Context().Done():
		return nil, context.Cause(run.Context())
	}
}

// greet exchanges hello and hello_ack.
func (l *link) greet(run *engine.Run) error {
	f, err := l.nextFrame(run, time.Hour) // the run has a time limit
	switch {
	case err != nil:
		return fmt.Errorf("no hello: %w", l.program.Explain(err))
	case f.Type != "hello":
		return fmt.Errorf(`the first frame is %q, want {"type":"hello","name":%q}`, f.Type,
			l.manifest.Name)
	case f.Name != "" && f.Name != l.manifest.Name:
		l.api.Log("warn", fmt.Sprintf("hello has the name %.80q, extension.json has %.80q", f.Name,
			l.manifest.Name))
	}
	o := &l.format.o
	provider, model := l.format.model()
	folder := filepath.Dir(l.api.Bind.Gen.Path)
	data := dataOf(l)
	if data == "" {
		data = folder
	}
	return l.send(message{"type": "hello_ack", "protocol_version": 1,
		"capabilities": []any{"call_tool"}, "zot_version": o.Version, "provider": provider,
		"model": model, "cwd": o.Dir, "extension_dir": folder, "data_dir": data})
}

// model returns the provider and the id of the model.
func (f *Format) model() (provider, model string) {
	if f.o.Model != nil {
		provider, model, _ = strings.Cut(f.o.Model(), "/")
	}
	return provider, model
}

// register takes the registrations, until the program is ready.
func (l *link) register(run *engine.Run) error {
	until := time.Now().Add(grace)
	for some := false; ; {
		wait := time.Until(until)
		if some {
			wait = min(wait, idle)
		}
		f, err := l.nextFrame(run, max(wait, 0))
		if err != nil {
			return err
		}
		if f == nil || f.Type == "ready" {
			return nil
		}
		some = true
		if err := l.registerOne(run, f); err != nil {
			if f.Type == "subscribe" { // it may be a guard
				return fmt.Errorf("subscribe: %w", err)
			}
			l.api.Tell("warn", fmt.Sprintf("%s %s has no effect: %v", f.Type, f.Name, err))
		}
	}
}

// registerOne takes one registration.
func (l *link) registerOne(run *engine.Run, f *frame) error {
	switch {
	case f.wrong != nil:
		return f.wrong
	case f.Type == "register_command":
		return l.addCommand(run, f)
	case f.Type == "register_tool":
		return l.addTool(run, f)
	case f.Type == "subscribe":
		return l.subscribe(run, f)
	}
	return nil
}
