package scripttest_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// keyScript returns a script that takes a key, and says which keys it has heard.
func keyScript(name, key string) string {
	if name[len(name)-1] == 'a' {
		return fmt.Sprintf(`ext.keys(function(name) ext.notify("%s " .. name)
return name == "%s" end)`, name, key)
	}
	return fmt.Sprintf(`ext.keys((name) => { ext.notify("%s " + name); return name === "%s"; });`,
		name, key)
}

// loadKeys loads a script that may take keys.
func (s *stage) loadKeys(name, src string) *engine.Generation {
	s.t.Helper()
	g, err := s.eng.Scripts.Load(context.Background(), &scriptfile.Script{Name: name,
		Path: "/s/" + name, Bytes: []byte(src), Header: scriptfile.Header{
			Grants: scriptfile.Grants{"keys"}}})
	if err != nil {
		s.t.Fatal(err)
	}
	return g
}

func (s *stage) takes(key string) bool {
	return s.eng.Commands.TakeKey(context.Background(), &event.Envelope{}, key, key)
}

// TestTwoScriptsTakeKeys checks that the scripts that want keys are asked in their order, that a
// key that one takes is not offered to the next, and that a reload in between changes neither.
func TestTwoScriptsTakeKeys(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	first := s.loadKeys("a.lua", keyScript("a.lua", "x"))
	second := s.loadKeys("b.js", keyScript("b.js", "y"))
	s.eng.Scripts.Swap([]*engine.Generation{first, second}, nil)
	if got := s.eng.Scripts.Snapshot().KeyTakers(); !slices.Equal(got, []string{"a.lua", "b.js"}) {
		t.Errorf("asked: %q", got)
	}
	check := func(key string, taken bool, heard ...string) {
		t.Helper()
		s.mu.Lock()
		s.told = nil
		s.mu.Unlock()
		if got := s.takes(key); got != taken {
			t.Errorf("%s: taken %v", key, got)
		}
		for i, h := range heard {
			heard[i] = "notice " + h
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if !slices.Equal(s.told, heard) {
			t.Errorf("%s: heard %q, want %q", key, s.told, heard)
		}
	}
	check("x", true, "a.lua x")
	check("y", true, "a.lua y", "b.js y")
	check("z", false, "a.lua z", "b.js z")
	again := s.loadKeys("a.lua", keyScript("a.lua", "z"))
	check("z", false, "a.lua z", "b.js z") // it is loaded, but not in force
	s.eng.Scripts.Swap([]*engine.Generation{again, second}, nil)
	check("z", true, "a.lua z")
	check("x", false, "a.lua x", "b.js x")
	s.eng.Scripts.Swap([]*engine.Generation{second}, nil)
	check("x", false, "b.js x")
	check("y", true, "b.js y")
	s.eng.Scripts.Swap(nil, nil)
	if check("y", false); s.eng.Scripts.Snapshot().TakesKeys() {
		t.Error("keys are still wanted")
	}
}

// BenchmarkTakeKey measures what one key costs that a script does not take, in each language.
func BenchmarkTakeKey(b *testing.B) {
	for name, src := range map[string]string{
		"lua": `ext.keys(function(name) return name == "x" end)`,
		"js":  `ext.keys((name) => name === "x");`} {
		b.Run(name, func(b *testing.B) {
			s := newStage(b)
			s.eng.Scripts.Swap([]*engine.Generation{s.loadKeys("k."+name, src)}, nil)
			for b.Loop() {
				s.takes("a")
			}
		})
	}
}
