// This file measures the cost of streaming to another program.

package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/llm/llmtest"
)

const (
	// tokenEvery is the rate of a fast model: 200 pieces a second.
	tokenEvery   = 5 * time.Millisecond
	streamTokens = 1000
)

// paced is a writer that delays flushes to one every tokenEvery, on average.
type paced struct {
	http.ResponseWriter
	next time.Time
}

func (p *paced) Flush() {
	if p.next.IsZero() {
		p.next = time.Now()
	}
	p.next = p.next.Add(tokenEvery)
	time.Sleep(time.Until(p.next))
	_ = http.NewResponseController(p.ResponseWriter).Flush()
}

// BenchmarkStream runs the whole program as a process, while a model server streams 200 tokens a
// second. percent-of-a-core is the CPU time of streaming: that of a run with a short answer, which
// has the same start and end, is subtracted. -p is the case without streaming.
func BenchmarkStream(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "agent")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	rpc := strings.Join(
		[]string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocol":1,` +
			`"client":{"name":"bench"}}}`,
			`{"jsonrpc":"2.0","id":2,"method":"prompt","params":{"text":"talk"}}`,
			`{"jsonrpc":"2.0","id":3,"method":"shutdown","params":{"when":"idle"}}`, ""}, "\n")
	for _, c := range []struct {
		name, stdin string
		args        []string
	}{{"print", "", []string{"-p", "talk"}}, {"json", "", []string{"--json", "talk"}},
		{"rpc", rpc, []string{"rpc"}}} {
		b.Run(c.name, func(b *testing.B) {
			args := append([]string{bin}, c.args...)
			var spent, wall time.Duration
			lines := 0
			for b.Loop() {
				short, shortWall, _ := streamed(b, args, c.stdin, "token")
				long, longWall, n := streamed(b, args, c.stdin,
					strings.Repeat("tokens ", streamTokens))
				spent, wall, lines = spent+long-short, wall+longWall-shortWall, lines+n
			}
			b.ReportMetric(100*spent.Seconds()/wall.Seconds(), "percent-of-a-core")
			b.ReportMetric(float64(lines)/wall.Seconds(), "lines/s")
		})
	}
}

// streamed runs the program against a model server that answers with text. It returns the CPU time,
// the elapsed time, and the number of lines that the program printed.
func streamed(b *testing.B, args []string, stdin, text string) (spent, wall time.Duration,
	lines int) {
	b.Helper()
	model := llmtest.New(llmtest.Reply{Text: text})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		model.Anthropic().ServeHTTP(&paced{ResponseWriter: w}, r)
	}))
	defer web.Close()
	home := b.TempDir()
	cmd := exec.Command(args[0], append(args[1:len(args):len(args)], "--model",
		"anthropic/claude-sonnet-4-5")...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "AGENT_HOME="+home, "ANTHROPIC_BASE_URL="+web.URL,
		"ANTHROPIC_API_KEY=sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz")
	cmd.Stdin, cmd.Stderr = strings.NewReader(stdin), os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	lines = countLines(out)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), time.Since(start), lines
}

func countLines(r io.Reader) (lines int) {
	in := bufio.NewScanner(r)
	for in.Buffer(nil, 1<<20); in.Scan(); lines++ {
	}
	return lines
}
