package host

import (
	"context"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/vm"
)

// plusOne is a script's function that adds one.
type plusOne struct{ engine.Func }

func (plusOne) CallInline(args ...any) (any, error) {
	n, _ := args[0].(float64)
	return n + 1, nil
}

func storeCall(s scriptfile.Script, args ...any) *engine.HostCall {
	gen := &engine.Generation{Script: &s}
	return &engine.HostCall{Gen: gen, Run: engine.NewRun(context.Background(), gen,
		vm.KindCommand, "test", nil, nil), Args: args}
}

// TestStoreUpdate: no concurrent update is lost, although no lock is held while a script's function
// runs.
func TestStoreUpdate(t *testing.T) {
	home, script := t.TempDir(), scriptfile.Script{Name: "a.lua", Source: scriptfile.SourceUser}
	const programs, each = 4, 25
	var all sync.WaitGroup
	for range programs {
		table := New(Options{Home: home})
		defer table.Close()
		all.Go(func() {
			for range each {
				if _, err := table.storage.updateValue(storeCall(script, "n",
					plusOne{})); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	table := New(Options{Home: home})
	defer table.Close()
	if n, err := table.storage.getValue(storeCall(script, "n")); n != float64(programs*each) ||
		err != nil {
		t.Errorf("got %v, %v; want %d", n, err, programs*each)
	}
}

// TestStoreOwner: scripts do not see each other's values, even if they have the same name in two
// folders.
func TestStoreOwner(t *testing.T) {
	table := New(Options{Home: t.TempDir()})
	defer table.Close()
	scripts := []scriptfile.Script{
		{Name: "a.lua", Source: scriptfile.SourceUser, Path: "/home/.agent/scripts/a.lua"},
		{Name: "b.lua", Source: scriptfile.SourceUser, Path: "/home/.agent/scripts/b.lua"},
		{Name: "a.lua", Source: scriptfile.SourceProject, Path: "/one/.agent/scripts/a.lua"},
		{Name: "a.lua", Source: scriptfile.SourceProject, Path: "/two/.agent/scripts/a.lua"},
		{Name: "a.lua", Source: scriptfile.SourceCLI, Path: "/one/.agent/scripts/a.lua"},
		{Name: "a.lua", Source: scriptfile.SourceManaged, Path: "/etc/agent/scripts/a.lua"},
	}
	states := map[string]bool{}
	for i, s := range scripts {
		if _, err := table.storage.setValue(storeCall(s, "k", float64(i))); err != nil {
			t.Fatal(err)
		}
		// a session has one script of each name: the managed one comes before the user's
		if s.Source != scriptfile.SourceManaged {
			states[whose(&s)] = true
		}
	}
	for i, s := range scripts {
		if v, err := table.storage.getValue(storeCall(s, "k")); v != float64(i) || err != nil {
			t.Errorf("%s %s: got %v, %v; want %d", s.Source, s.Path, v, err, i)
		}
	}
	if len(states) != len(scripts)-1 {
		t.Errorf("scripts share their state: %v", states)
	}
}
