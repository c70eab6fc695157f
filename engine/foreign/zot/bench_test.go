package zot_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// BenchmarkGuard measures a call that passes an extension's guard, and, as "pipe", what the same
// exchange costs without an engine: a frame written to a process, and its answer read and decoded.
func BenchmarkGuard(b *testing.B) {
	b.Run("guard", func(b *testing.B) {
		w := newWorld(b, 20).install("x", "guard").start()
		w.Answers = true
		call := &engine.Call{ID: "1", Tool: "look", Args: map[string]any{"command": "pwd"},
			Origin: "model", Env: &event.Envelope{}}
		for b.Loop() {
			if r := w.Engine.Dispatch(context.Background(), call); r.IsError {
				b.Fatal(r.Content)
			}
		}
	})
	b.Run("pipe", func(b *testing.B) {
		self, err := os.Executable()
		if err != nil {
			b.Fatal(err)
		}
		cmd := exec.Command(self, "extension", "guard")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		defer func() {
			in.Close()
			_ = cmd.Wait()
		}()
		lines := bufio.NewReader(out)
		if _, err := in.Write([]byte(`{"type":"hello_ack"}` + "\n")); err != nil {
			b.Fatal(err)
		}
		for range 3 { // hello, subscribe, ready
			if _, err := lines.ReadBytes('\n'); err != nil {
				b.Fatal(err)
			}
		}
		for b.Loop() {
			frame, _ := json.Marshal(map[string]any{"type": "event_intercept", "id": "1",
				"event": "tool_call", "tool_id": "1", "tool_name": "bash",
				"tool_args": map[string]any{"command": "pwd"}})
			if _, err := in.Write(append(frame, '\n')); err != nil {
				b.Fatal(err)
			}
			line, err := lines.ReadBytes('\n')
			var answer map[string]any
			if err != nil || json.Unmarshal(line, &answer) != nil {
				b.Fatalf("%q: %v", line, err)
			}
		}
	})
}

// BenchmarkStart measures the start of 50 extensions until all are in force.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		w := newWorld(b, 20)
		for i := range 50 {
			w.install(string(rune('a'+i/10))+string(rune('0'+i%10)), "guard")
		}
		b.StartTimer()
		w.start()
		if n := len(w.Engine.Scripts.Snapshot().Generations); n != 50 {
			b.Fatalf("%d extensions; %s", n, w.Recorded())
		}
		b.StopTimer()
		w.Loader.Close()
		w.Engine.Close()
		w.format.Wait()
		b.StartTimer()
	}
}
