package host_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/scripttest"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/lua"
)

// TestTemporaryFilesAreRemoved: temporary files are removed when their script is unloaded.
func TestTemporaryFilesAreRemoved(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	e := scripttest.NewStandard(t, standard.Options{Host: host.Options{CWD: t.TempDir()},
		Engine: engine.Options{Runtimes: []engine.Runtime{lua.New()}}})
	const src = `local file = ext.fs.temp{ suffix = ".txt" }
ext.fs.write(file, "kept")
ext.command{ name = "where", run = function() return { display = file .. " " .. ext.fs.read(file) } end }`
	g, err := e.Scripts.Load(ctx, &scriptfile.Script{Name: "a.lua", Path: "a.lua", Bytes: []byte(
		src),
		Header: scriptfile.Header{Grants: scriptfile.Grants{"fs.write"}}})
	if err != nil {
		t.Fatal(err)
	}
	e.Scripts.Swap([]*engine.Generation{g}, nil)
	r, err := e.Commands.Run(ctx, e.Events.Envelope(), "where", "")
	if err != nil {
		t.Fatal(err)
	}
	path := r.Display[:len(r.Display)-len(" kept")]
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%q: %v", r.Display, err)
	}
	e.Scripts.Swap(nil, nil)
	for ctx.Err() == nil {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%s still exists", path)
}
