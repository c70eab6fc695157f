// Package zot runs extensions that were made for zot as scripts of the engine: a folder with an
// extension.json, which names a program that exchanges JSON, one object per line, over its standard
// input and output.
//
//	f := zot.New(extapi.Options{Version: "0.1.0", Dir: project, Fence: fence})
//	engine.Options{Runtimes: []engine.Runtime{lua.New(), js.New(), f}}
//
// The program registers through the functions of ext, as scripts do: its commands, tools and
// handlers are on the same road, under the same order, policies and time limits. It needs no
// changes. Where a script would have a VM, it has a process:
//
//   - It is started when the extension is loaded, in the sandbox of the agent, with a clean
//     environment. It is in force when it has said ready, or has been silent after registering.
//   - If it ends by itself, it is started again, after a pause that grows with each time. Until
//     then its handlers fail, and their policies answer: calls that it guards are asked about.
//   - When the extension is replaced or unloaded, the program is asked to end, then killed.
package zot

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/internal/peer"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Format implements engine.Format.
type Format struct {
	o      extapi.Options
	host   *peer.Host
	events atomic.Int64 // sent to programs
}

// New returns the format.
func New(o extapi.Options) *Format {
	return &Format{o: o, host: &peer.Host{Options: o, EndGrace: endGrace}}
}

// Wait waits until all programs have ended, and their last output is in the log, but not for ever.
// All extensions must have been unloaded.
func (f *Format) Wait() { f.host.Wait() }

// Language implements engine.Runtime.
func (*Format) Language() string { return "zot" }

// Extensions implements engine.Runtime: only the name of the manifest tells an extension.
func (*Format) Extensions() []string { return nil }

// Manifest implements engine.Format.
func (*Format) Manifest() string { return "extension.json" }

// manifest is the content of an extension.json.
type manifest struct {
	Name        string   `json:"name"`
	Version     string   `json:"version"`
	Exec        string   `json:"exec"`
	Args        []string `json:"args"`
	Description string   `json:"description"`
	Enabled     *bool    `json:"enabled"`
}

// readManifest reads an extension.json. Fields that it does not know are for others.
func readManifest(src []byte) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(plain.TrimBOM(src), &m); err != nil {
		return m, fmt.Errorf("not a valid extension.json: %w", err)
	}
	switch {
	case m.Name == "":
		return m, errors.New(`extension.json: name is missing: write {"name": "...", "exec": ...}`)
	case m.Exec == "":
		return m, errors.New(
			`extension.json: exec is missing: it names the program, such as "./main.py"`)
	case strings.ContainsRune(m.Exec+strings.Join(m.Args, ""), 0):
		return m, errors.New("extension.json: exec and args must not contain NUL")
	}
	return m, nil
}

// Header implements engine.Format. The program has the grants of the functions that frames of the
// protocol can call.
func (*Format) Header(src []byte) (scriptfile.Header, error) {
	m, err := readManifest(src)
	h := scriptfile.Header{Name: m.Name, Version: m.Version, API: 1, Summary: m.Description,
		Off: m.Enabled != nil && !*m.Enabled}
	if err != nil {
		return h, err
	}
	h.Grants = scriptfile.Grants{peer.Grant(m.Exec), "ui", "agent", "tools:*"}
	return h, nil
}

// Files implements engine.Format.
func (*Format) Files(src []byte, in engine.ExtensionFolder) []engine.ExtensionFile {
	m, err := readManifest(src)
	if err != nil {
		return nil
	}
	return peer.Files(m.Exec, m.Args, in)
}

var _ engine.Format = (*Format)(nil)
