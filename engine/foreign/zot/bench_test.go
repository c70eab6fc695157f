package zot_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// BenchmarkGuard measures a call that passes an extension's guard; as "call", the same call without
// an extension, so that the difference is what the guard costs; and, as "pipe", what the same
// exchange costs without an engine: a frame written to a process, and its answer read and decoded.
func BenchmarkGuard(b *testing.B) {
	calls := func(b *testing.B, w *world) {
		w.start()
		w.Answers = true
		call := &engine.Call{ID: "1", Tool: "look", Args: map[string]any{"command": "pwd"},
			Origin: "model", Env: &event.Envelope{}}
		for b.Loop() {
			w.Engine.DispatchTo(context.Background(), call, func(r *engine.Result) {
				if r.IsError {
					b.Fatal(r.Content)
				}
			})
		}
	}
	b.Run("guard", func(b *testing.B) { calls(b, newWorld(b, 20).install("x", "guard")) })
	b.Run("call", func(b *testing.B) { calls(b, newWorld(b, 20)) })
	b.Run("pipe", func(b *testing.B) {
		p := &process{}
		p.start(b)
		defer p.end()
		for b.Loop() {
			frame, _ := json.Marshal(map[string]any{"type": "event_intercept", "id": "1",
				"event": "tool_call", "tool_id": "1", "tool_name": "bash",
				"tool_args": map[string]any{"command": "pwd"}})
			if _, err := p.in.Write(append(frame, '\n')); err != nil {
				b.Fatal(err)
			}
			line, err := p.lines.ReadBytes('\n')
			var answer map[string]any
			if err != nil || json.Unmarshal(line, &answer) != nil {
				b.Fatalf("%q: %v", line, err)
			}
		}
	})
}

// BenchmarkStart measures the start of 50 extensions until all are in force, and, as "processes",
// how long 50 of the same programs take to write their first line without an engine.
func BenchmarkStart(b *testing.B) {
	const count = 50
	b.Run("extensions", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			w := newWorld(b, 20)
			for i := range count {
				w.install(string(rune('a'+i/10))+string(rune('0'+i%10)), "guard")
			}
			b.StartTimer()
			w.start()
			if n := len(w.Engine.Scripts.Snapshot().Generations); n != count {
				b.Fatalf("%d extensions; %s", n, w.Recorded())
			}
			b.StopTimer()
			w.Loader.Close()
			w.Engine.Close()
			w.format.Wait()
			b.StartTimer()
		}
	})
	b.Run("processes", func(b *testing.B) {
		for b.Loop() {
			var all []*process
			var started sync.WaitGroup
			for range count {
				p := &process{}
				all = append(all, p)
				started.Go(func() { p.start(b) })
			}
			started.Wait()
			b.StopTimer()
			for _, p := range all {
				p.end()
			}
			b.StartTimer()
		}
	})
}

// process is an extension without an engine.
type process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
}

// start starts a guard, and reads what it says until it is ready.
func (p *process) start(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Error(err)
		return
	}
	p.cmd = exec.Command(self, "extension", "guard")
	p.in, _ = p.cmd.StdinPipe()
	out, _ := p.cmd.StdoutPipe()
	if err := p.cmd.Start(); err != nil {
		b.Error(err)
		return
	}
	p.lines = bufio.NewReader(out)
	if _, err := p.in.Write([]byte(`{"type":"hello_ack"}` + "\n")); err != nil {
		b.Error(err)
	}
	for range 3 { // hello, subscribe, ready
		if _, err := p.lines.ReadBytes('\n'); err != nil {
			b.Error(err)
		}
	}
}

func (p *process) end() {
	p.in.Close()
	_ = p.cmd.Wait()
}
