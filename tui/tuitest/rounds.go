// Package tuitest runs the tests of screens twice: unchanged, and with everything that is shown
// masked. Both rounds expect the same screens, so a screen that masking changes is a failure.
//
//	var rounds tuitest.Rounds
//
//	func TestMain(m *testing.M) { os.Exit(rounds.Main(m).Run()) }
//
//	func newScreen(t *testing.T) *screen {
//		if rounds.Masks(t) {
//			// register a secret, or a redactor, that is nowhere in what the tests show
//		}
//	}
//
// A test that opens its screen with such a helper runs in both rounds.
package tuitest

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Rounds is the state that the tests of one package share. The zero value is ready to use.
type Rounds struct {
	mu     sync.Mutex
	names  []string // tests that called Masks in the first round
	second bool
}

// Masks reports whether to mask the screen of this test. If not, the test runs again with a mask.
func (r *Rounds) Masks(t testing.TB) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, test := t.(*testing.T); !test {
		return false
	}
	if r.second {
		t.Cleanup(func() {
			if t.Failed() {
				t.Log("this is the second round, in which the screen is masked")
			}
		})
		return true
	}
	if !slices.Contains(r.names, t.Name()) {
		r.names = append(r.names, t.Name())
	}
	return false
}

// Main returns a runner that runs the tests of m once, and those that called Masks a second time.
func (r *Rounds) Main(m *testing.M) interface{ Run() int } { return both{r, m} }

type both struct {
	rounds *Rounds
	m      *testing.M
}

// Run implements the same interface as testing.M. Only the first round writes golden files, and
// benchmarks and fuzzing are not repeated.
func (b both) Run() int {
	code := b.m.Run()
	b.rounds.mu.Lock()
	again := pattern(b.rounds.names)
	b.rounds.second = true
	b.rounds.mu.Unlock()
	if code != 0 || again == "" || isSet("test.fuzz") || isSet("update") {
		return code
	}
	for name, value := range map[string]string{"test.run": again, "test.bench": ""} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	return b.m.Run()
}

// isSet reports whether a flag has a value other than its zero value.
func isSet(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != "" && f.Value.String() != "false"
}

// pattern matches the tests of these names and their subtests, and no others.
func pattern(names []string) string {
	patterns := make([]string, len(names))
	for i, name := range names {
		parts := strings.Split(name, "/")
		for j, part := range parts {
			parts[j] = "^" + regexp.QuoteMeta(part) + "$"
		}
		patterns[i] = strings.Join(parts, "/")
	}
	return strings.Join(patterns, "|")
}
