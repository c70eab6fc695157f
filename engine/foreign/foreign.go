// Package foreign has the formats of extensions that were made for other hosts: see engine.Format.
//
//	formats := foreign.New(foreign.Options{Version: "0.1.0", Dir: project, Fence: fence})
//	engine.Options{Runtimes: append(runtimes, formats.Runtimes()...)}
//	defer formats.Wait() // after the engine's end
package foreign

import (
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/zot"
)

// Options configures the formats.
type Options = extapi.Options

// Formats are the formats.
type Formats []format

// format is a format whose extensions are processes.
type format interface {
	engine.Format
	// Wait waits until the processes have ended, but not for ever. All extensions must have been
	// unloaded.
	Wait()
}

// New returns all formats.
func New(o Options) Formats { return Formats{zot.New(o)} }

// Runtimes returns the formats as an engine takes them.
func (fs Formats) Runtimes() (all []engine.Runtime) {
	for _, f := range fs {
		all = append(all, f)
	}
	return all
}

// Wait waits until the processes of all formats have ended, but not for ever.
func (fs Formats) Wait() {
	var all sync.WaitGroup
	for _, f := range fs {
		all.Go(f.Wait)
	}
	all.Wait()
}
