package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/engine/process"
)

// BenchmarkCommand runs one command as the agent does, in a typical project, with each method that
// works here. It reports the 10th percentile of the time, which a busy machine hardly changes,
// minus the same without a sandbox. The methods take turns.
func BenchmarkCommand(b *testing.B) {
	home := b.TempDir()
	for _, name := range []string{"p/.git/hooks", ".ssh", ".aws", ".cache", ".npm", "go/pkg",
		".cargo/registry", ".cargo/git"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	project := filepath.Join(home, "p")
	for _, name := range []string{"p/.git/config", ".bash_history", ".netrc", "p/.env"} {
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	modes := []string{"none", "mounts", "namespaces", "bubblewrap", "landlock"}
	spent := make([][]time.Duration, len(modes))
	var boxes []*Sandbox
	for _, mode := range modes {
		s := New(Options{Home: filepath.Join(home, ".agent"), User: home, Project: project,
			Config: config.Sandbox{Mode: mode}, Env: emptyEnv,
			Rules: func() (writes, reads []string) { return nil, []string{"**/.env"} }})
		s.Fence.Method() // tries the method
		boxes = append(boxes, s)
	}
	for b.Loop() {
		for i, s := range boxes {
			begun := time.Now()
			p, err := process.Start(process.Command{Argv: process.Shell(":"), Dir: project,
				Output: func(string, bool) {}, Confine: s.Fence.Confine})
			if err != nil {
				b.Fatal(err)
			}
			p.Wait(context.Background(), 0)
			spent[i] = append(spent[i], time.Since(begun))
		}
	}
	fast := func(i int) time.Duration {
		slices.Sort(spent[i])
		return spent[i][len(spent[i])/10]
	}
	for i, s := range boxes {
		if m, _ := s.Fence.Method(); i > 0 && string(m) != modes[i] {
			continue
		}
		b.ReportMetric(float64((fast(i) - fast(0)).Microseconds()), "µs-"+modes[i]+"/op")
	}
}
