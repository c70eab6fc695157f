package zot_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/foreigntest"
	"github.com/agentscripts/agent/engine/foreign/zot"
)

// TestMain lets the test program act as an extension: its arguments are "extension" and the name of
// one of extensions.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "extension" {
		extensions[os.Args[2]](&extension{in: bufio.NewReaderSize(os.Stdin, 1<<20)})
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// extension is the other end of the protocol, in a process of its own.
type extension struct{ in *bufio.Reader }

func (x *extension) send(frame string) { fmt.Println(frame) }

// receive returns the next frame; nil at the end.
func (x *extension) receive() map[string]any {
	line, err := x.in.ReadBytes('\n')
	if err != nil {
		return nil
	}
	var m map[string]any
	if err := json.Unmarshal(line, &m); err != nil {
		fmt.Fprintln(os.Stderr, "bad frame:", string(line))
		os.Exit(3)
	}
	return m
}

// begin registers, and receives the answer to hello.
func (x *extension) begin(frames ...string) map[string]any {
	x.send(`{"type":"hello","name":"x","version":"1.0.0"}`)
	ack := x.receive()
	for _, f := range frames {
		x.send(f)
	}
	x.send(`{"type":"ready"}`)
	return ack
}

// serve answers frames until shutdown.
func (x *extension) serve(answer func(f map[string]any) string) {
	for f := x.receive(); f != nil && f["type"] != "shutdown"; f = x.receive() {
		if text := answer(f); text != "" {
			if id, ok := f["id"].(string); ok {
				text = strings.Replace(text, "ID", id, 1)
			}
			x.send(text)
		}
	}
}

// world is an engine with a loader, for extensions.
type world struct {
	*foreigntest.World
	t      testing.TB
	format *zot.Format
}

// newWorld makes a world, which has other runtimes besides. Time limits are multiplied by patience.
func newWorld(t testing.TB, patience float64, others ...engine.Runtime) *world {
	t.Helper()
	format := zot.New(extapi.Options{Version: "9.8.7", Dir: t.TempDir(),
		Data:      filepath.Join(t.TempDir(), "data"),
		Model:     func() string { return "maker/model-1" },
		LookupEnv: foreigntest.Environment})
	return &world{foreigntest.New(t, patience, append(others, format)...), t, format}
}

// install writes an extension whose program is one of extensions.
func (w *world) install(name, kind string) *world {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	m, _ := json.Marshal(map[string]any{"name": "x", "version": "1.0.0", "exec": self,
		"args": []string{"extension", kind}})
	w.write(name, string(m))
	return w
}

func (w *world) write(name, manifest string) {
	w.t.Helper()
	w.Write(name+"/extension.json", manifest)
}

func (w *world) start() *world {
	w.t.Helper()
	w.Start()
	return w
}
