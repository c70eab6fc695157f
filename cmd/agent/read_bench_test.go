package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/llm/llmtest"
)

// readRoundsOf is how many times the model reads the file in BenchmarkReadRound: a long prompt.
const readRoundsOf = 200

// BenchmarkReadRound runs the whole program as a process, while a model server makes it read a file
// again and again. cpu-us/round is the CPU time of one round: the request over HTTP, the reply, the
// tool, and the session file. The CPU time of a run without rounds is subtracted.
func BenchmarkReadRound(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "agent")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	var spent time.Duration
	for b.Loop() {
		spent += readRounds(b, bin, readRoundsOf) - readRounds(b, bin, 0)
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N)/readRoundsOf, "cpu-us/round")
}

// readRounds returns the CPU time of a run in which the model reads that many times.
func readRounds(b *testing.B, bin string, rounds int) time.Duration {
	b.Helper()
	var replies []llmtest.Reply
	for i := range rounds {
		replies = append(replies, llmtest.Reply{Calls: []llmtest.Call{{ID: fmt.Sprint("call_", i),
			Name: "read", Args: fmt.Sprintf(`{"path":"file.txt","limit":%d}`, 100+i)}}})
	}
	web := httptest.NewServer(llmtest.New(append(replies,
		llmtest.Reply{Text: "done"})...).Anthropic())
	defer web.Close()
	home := b.TempDir()
	if err := os.WriteFile(filepath.Join(home, "file.txt"),
		[]byte(strings.Repeat("a line of the file that is read\n", 20)), 0o644); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(bin, "-p", "go", "--yolo", "--model", "anthropic/claude-sonnet-4-5",
		"--limit", fmt.Sprint("turns=", rounds+1))
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "AGENT_HOME="+home, "HOME="+home,
		"ANTHROPIC_BASE_URL="+web.URL,
		"ANTHROPIC_API_KEY=sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz")
	if out, err := cmd.CombinedOutput(); err != nil || strings.TrimSpace(string(out)) != "done" {
		b.Fatalf("%v\n%s", err, out)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}
