package zot_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/foreign/internal/foreigntest"
	"github.com/agentscripts/agent/engine/foreign/zot"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/stdio"
	"github.com/agentscripts/agent/lua"
)

// BenchmarkGuard measures in turn a call that passes an extension's guard, the same call without an
// extension, and the same exchange without an engine: the same frame encoded and written to such a
// process, and its answer read and decoded. "x-bare" is what the guard adds to a call, in bare
// exchanges. All are medians.
func BenchmarkGuard(b *testing.B) {
	calls := func(w *world) func() {
		w.start()
		w.Answers = true
		call := &engine.Call{ID: "1", Tool: "look", Args: map[string]any{"command": "pwd"},
			Origin: "model", Env: &event.Envelope{}}
		return func() {
			w.Engine.DispatchTo(context.Background(), call, func(r *engine.Result) {
				if r.IsError {
					b.Fatal(r.Content)
				}
			})
		}
	}
	program := buildGuard(b)
	p := &bare{}
	p.start(b, program)
	defer p.end()
	script := newWorld(b, 20, lua.New())
	script.Write("x.lua", "ext.on('tool_call', function() end)\next.guard(function() end)\n")
	foreign := newWorld(b, 20)
	foreign.write("x", fmt.Sprintf(`{"name": "x", "exec": %q}`, program))
	ways := []func(){calls(foreign), calls(script),
		calls(newWorld(b, 20)), func() { p.exchange(b) }}
	took := make([][]time.Duration, len(ways))
	for b.Loop() {
		for i, way := range ways {
			began := time.Now()
			way()
			took[i] = append(took[i], time.Since(began))
		}
	}
	medians := make([]float64, len(ways))
	for i := range took {
		slices.Sort(took[i])
		medians[i] = float64(took[i][len(took[i])/2])
	}
	for i, name := range []string{"foreign-ns", "script-ns", "unguarded-ns", "bare-ns"} {
		b.ReportMetric(medians[i], name)
	}
	b.ReportMetric((medians[0]-medians[2])/medians[3], "x-bare")
	b.ReportMetric((medians[0]-medians[1])/medians[3], "x-bare-over-script")
}

// BenchmarkStart measures the start of 50 extensions in Go until all are in force, and, as
// "processes", how long 50 of the same programs take to say that they are ready without an engine.
func BenchmarkStart(b *testing.B) {
	const count = 50
	program := buildGuard(b)
	b.Run("extensions", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			w := newWorld(b, 20)
			for i := range count {
				w.write(fmt.Sprint("x", i), fmt.Sprintf(`{"name": "x", "exec": %q}`, program))
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
			var all []*bare
			var started sync.WaitGroup
			for range count {
				p := &bare{}
				all = append(all, p)
				started.Go(func() { p.start(b, program) })
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

// buildGuard builds a program of an extension: what a test program links takes longer to start.
func buildGuard(b *testing.B) string {
	program := filepath.Join(b.TempDir(), "guard")
	source := program + ".go"
	if err := os.WriteFile(source, []byte(guardSource), 0o600); err != nil {
		b.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", program, source).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

const guardSource = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	fmt.Println("{\"type\":\"hello\",\"name\":\"x\"}")
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		var f struct{ Type, ID string }
		if err != nil || json.Unmarshal(line, &f) != nil {
			return
		}
		switch f.Type {
		case "hello_ack":
			fmt.Println("{\"type\":\"subscribe\",\"intercept\":[\"tool_call\"]}")
			fmt.Println("{\"type\":\"ready\"}")
		case "event_intercept":
			fmt.Printf("{\"type\":\"event_intercept_response\",\"id\":%q}\n", f.ID)
		}
	}
}
`

// bare is an extension without an engine.
type bare struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
}

// start starts a guard, and reads what it says until it is ready.
func (p *bare) start(b *testing.B, program string) {
	p.cmd = exec.Command(program)
	// as an extension: the kernel schedules a session of its own in another way
	p.cmd.SysProcAttr = process.OwnGroup()
	p.cmd.Env = stdio.Environment(foreigntest.Environment)
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

// exchange asks about a call, as the engine does.
func (p *bare) exchange(b *testing.B) {
	frame, err := zot.Encode(map[string]any{"type": "event_intercept", "id": "1",
		"event": "tool_call", "tool_id": "1", "tool_name": "look",
		"tool_args": map[string]any{"command": "pwd"}})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.in.Write(frame); err != nil {
		b.Fatal(err)
	}
	line, err := p.lines.ReadBytes('\n')
	if err != nil || zot.Decode(line) != nil {
		b.Fatalf("%q: %v", line, err)
	}
}

func (p *bare) end() {
	p.in.Close()
	_ = p.cmd.Wait()
}
