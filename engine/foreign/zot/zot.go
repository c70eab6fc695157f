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
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// Format implements engine.Format.
type Format struct {
	o extapi.Options

	ending sync.WaitGroup // programs whose output is read, or that have been asked to end

	mu      sync.Mutex
	crashes map[string]crash // by the path of the manifest
}

// Wait waits until all programs have ended, and their last output is in the log, but not for ever.
// All extensions must have been unloaded.
func (f *Format) Wait() {
	ended := make(chan struct{})
	go func() {
		f.ending.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(mostEnding): // a process that cannot be killed
	}
}

// mostEnding is how long Wait waits.
const mostEnding = 5 * time.Second

// crash says how often a program has ended by itself, and when it did last.
type crash struct {
	times int
	at    time.Time
}

// New returns the format.
func New(o extapi.Options) *Format { return &Format{o: o, crashes: map[string]crash{}} }

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
	if err := json.Unmarshal(src, &m); err != nil {
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

// local reports whether a program is named by a path relative to the extension's folder.
func local(name string) bool {
	return strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) && !path.IsAbs(name)
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
	name := m.Exec
	if local(name) {
		name = path.Clean(filepath.ToSlash(name))
	}
	h.Grants = scriptfile.Grants{"exec:" + name, "ui", "agent", "tools:*"}
	return h, nil
}

// Files implements engine.Format: the program, and arguments that name files. What an interpreter
// runs is the extension, as in "python3 -u main.py"; other arguments only look like files.
func (*Format) Files(src []byte, exists func(name string) bool) (files []string) {
	m, err := readManifest(src)
	if err != nil {
		return nil
	}
	if local(m.Exec) {
		files = append(files, path.Clean(filepath.ToSlash(m.Exec)))
	}
	for i, arg := range m.Args {
		name := path.Clean(filepath.ToSlash(arg))
		if filepath.IsAbs(arg) || strings.HasPrefix(arg, "-") {
			continue
		}
		// without it, the interpreter has nothing to run: it is awaited
		first := i == 0 && !local(m.Exec) && !local(arg) && len(path.Ext(arg)) > 1
		if first || exists(name) {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// program returns the path of the program of an extension in a folder.
func (m *manifest) program(folder string) (string, error) {
	switch {
	case filepath.IsAbs(m.Exec):
		return exec.LookPath(m.Exec)
	case local(m.Exec):
		return exec.LookPath(filepath.Join(folder, filepath.FromSlash(m.Exec)))
	}
	return exec.LookPath(m.Exec)
}

const (
	// mostPause is the longest wait before a program that has ended is started again.
	mostPause = time.Minute
	// steady is how long a program must have worked for its earlier ends to be forgotten.
	steady = time.Minute
)

// pause counts an end of a program, and returns how long to wait before it is started again: 0 for
// the first, then 1, 2, 4, ... seconds.
func (f *Format) pause(name string, started time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.crashes[name]
	if time.Since(started) > steady {
		c.times = 0
	}
	c.times, c.at = c.times+1, time.Now()
	f.crashes[name] = c
	if c.times == 1 {
		return 0
	}
	return min(time.Second<<min(c.times-2, 10), mostPause)
}

var _ engine.Format = (*Format)(nil)
