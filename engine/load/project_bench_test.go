//go:build unix

package load_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/load"
)

// BenchmarkTrustCheck measures how long a start takes to check which of 50 scripts are trusted, and
// the same in a project without scripts.
func BenchmarkTrustCheck(b *testing.B) {
	for _, n := range []int{0, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			root, home := b.TempDir(), b.TempDir()
			p := &load.Project{Root: root, Home: home, Runtimes: func() []engine.Runtime {
				return []engine.Runtime{&fake{}}
			}}
			for i := range n {
				dir := filepath.Join(root, ".agent", "scripts")
				mkdir(b, filepath.Join(dir, "lib"))
				write(b, filepath.Join(dir, fmt.Sprintf("s%02d.fake", i)),
					`require "lib/x"`+strings.Repeat("\n-- a line of a script of fifty lines", 50))
				write(b, filepath.Join(dir, "lib", "x.fake"), "x")
			}
			must(b, p.Trust(false, p.Scripts().List...))
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range p.Scripts().List {
					if !s.Running() {
						b.Fatal("not trusted")
					}
				}
			}
		})
	}
}
