// This file measures the cost of the agent itself: a tool round without the model's time, and the
// memory of a run.

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
)

// roundsOf is the number of tool rounds of a prompt: that of a long question.
const roundsOf = 50

// playRounds implements a model that calls the tool until it has seen roundsOf results.
func playRounds(_ context.Context, req *chat.Request,
	emit func(chat.Chunk)) (chat.Finish, error) {
	seen := 0
	for _, m := range req.Messages {
		if m.Role == "tool" {
			seen++
		}
	}
	if seen >= roundsOf {
		emit(chat.Chunk{Text: "done"})
		return chat.Finish{Reason: "stop"}, nil
	}
	emit(chat.Chunk{ToolCall: &chat.ToolCallDelta{ID: fmt.Sprintf("call_%d", seen),
		Name: "danger", ArgsDelta: fmt.Sprintf(`{"command": "ls %d"}`, seen)}})
	return chat.Finish{Reason: "tool_calls", Usage: &chat.Usage{Input: 1000, Output: 10}}, nil
}

// BenchmarkToolRound measures a whole round of a prompt without the model's time: the request, the
// reply, one read-only tool through ten guards, and the session file. round-ns is the result. The
// session file is in a temporary folder.
func BenchmarkToolRound(b *testing.B) {
	for _, c := range []struct {
		name  string
		files map[string]string
	}{{"none", nil}, {"lua10", guards(".lua", guardLua, 10)},
		{"js10", guards(".js", guardJS, 10)}} {
		b.Run(c.name, func(b *testing.B) {
			a := openRounds(b, c.files)
			for b.Loop() {
				b.StopTimer()
				if err := a.agent.NewSession(context.Background(), "new", ""); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				end := a.agent.Prompt(context.Background(), agent.Input{Text: "go", Source: "cli"})
				if end.Status != agent.Completed || end.Response != "done" {
					b.Fatalf("%+v", end)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(roundsOf+1), "round-ns")
		})
	}
}

// openRounds starts the program with a model that runs playRounds, and a tool that costs nothing.
func openRounds(b *testing.B, files map[string]string) *app {
	b.Helper()
	d := newDrive(b, files)
	f, err := parseFlags([]string{"--model", "rounds/m"})
	if err != nil {
		b.Fatal(err)
	}
	a, err := newApp(f, front{mode: "print", emit: func(*event.Event) {},
		place: place{home: d.home, dir: d.dir}})
	if err != nil {
		b.Fatal(err)
	}
	tool := &engine.Tool{Name: "danger", Kind: "read", ReadOnly: true,
		Schema: map[string]any{"type": "object",
			"properties": map[string]any{"command": map[string]any{"type": "string"}}},
		Run: func(context.Context, *engine.Use) (*engine.Result,
			error) {
			return engine.TextResult("ran"), nil
		}}
	provider := &engine.Provider{Name: "rounds", Models: []chat.Model{
		{ID: "m", Context: 200_000}}, Stream: playRounds}
	if _, err := a.engine.Scripts.Install(engine.Plugin{Name: "bench", Tools: []*engine.Tool{tool},
		Providers: []*engine.Provider{provider}}); err != nil {
		b.Fatal(err)
	}
	if err := a.startSession(context.Background()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { a.close(context.Background(), "exit") })
	return a
}

func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// mostMemory is the promised limit for the memory of agent -p with fifty scripts.
const mostMemory = 90 << 20

// TestMemoryOfPrint runs agent -p with fifty scripts of fifty lines in a separate process, and
// reads its peak memory.
func TestMemoryOfPrint(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" || underRace() {
		t.Skip("the peak is read from /proc, and the race detector multiplies it")
	}
	home := t.TempDir()
	for i := range 50 {
		ext := []string{".lua", ".js"}[i%2]
		path := filepath.Join(home, "scripts", fmt.Sprintf("s%d%s", i, ext))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(fiftyLines(ext), "danger", "bash")),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "agent")
	if err := os.Symlink(self, name); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), driveTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, "-p", "--yolo", "--model", "offline/offline",
		"run grep VmHWM /proc/"+programID+"/status")
	cmd.Env = append(os.Environ(), "AGENT_HOME="+home, "HOME="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	_, rest, _ := strings.Cut(string(out), "VmHWM:")
	var kilobytes int
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatalf("no peak in: %s", out)
	}
	t.Logf("%d MB", kilobytes>>10)
	if kilobytes<<10 > mostMemory {
		t.Errorf("agent -p with 50 scripts used %d MB, want at most %d", kilobytes>>10,
			mostMemory>>20)
	}
}
