// Package foreign has the formats of extensions that were made for other hosts: see engine.Format.
//
//	formats := foreign.New(foreign.Options{Version: "0.1.0", Dir: project, Fence: fence})
//	engine.Options{Runtimes: append(runtimes, formats.Runtimes()...)}
//	defer formats.Wait() // after the engine's end
package foreign

import (
	"errors"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/foreign/hooks"
	"github.com/agentscripts/agent/engine/foreign/hosts"
	"github.com/agentscripts/agent/engine/foreign/internal/extapi"
	"github.com/agentscripts/agent/engine/foreign/picoclaw"
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
func New(o Options) Formats {
	all := Formats{zot.New(o), picoclaw.New("picoclaw.json", o),
		picoclaw.New(".picoclaw/config.json", o)}
	if o.Settings.Path != "" {
		all = append(all, picoclaw.NewSection(o))
	}
	var files []*hooks.Format
	for _, file := range []string{"hooks/hooks.json", "hooks.json", ".claude/settings.json",
		".claude/settings.local.json", "agent.yaml", "cagent.yaml",
		hosts.DockerManifest("config.yaml"), hosts.DockerManifest("hooks.d/*.yaml"),
		hosts.DockerManifest("hooks.d/*.yml")} {
		f := hooks.New(file, o)
		files, all = append(files, f), append(all, f)
	}
	hooks.Share(files...)
	return all
}

// Runtimes returns the formats as an engine takes them.
func (fs Formats) Runtimes() (all []engine.Runtime) {
	for _, f := range fs {
		all = append(all, f)
	}
	return all
}

// ShellSetup returns the shell that hooks of extensions want the commands of a session to run
// first; "" = none.
func (fs Formats) ShellSetup(session string) (text string) {
	for _, f := range fs {
		if h, ok := f.(*hooks.Format); ok {
			text += h.ShellSetup(session)
		}
	}
	return text
}

// Wait waits until the processes of all formats have ended, but not for ever.
func (fs Formats) Wait() {
	var all sync.WaitGroup
	for _, f := range fs {
		all.Go(f.Wait)
	}
	all.Wait()
}

// explainer is a format that tells more of an extension than its grants.
type explainer interface {
	// Explain returns what of an extension is used here, and what has no counterpart: a line each.
	Explain(manifest []byte) (uses, lacks []string)
}

// Explain tells what of an extension is used here, and what has no counterpart: a line each. name
// ends with FOLDER/MANIFEST.
func Explain(name string, manifest []byte) (uses, lacks []string, err error) {
	for _, f := range New(Options{}) {
		if !engine.HasFormat(f, name) {
			continue
		}
		header, err := f.Header(manifest)
		if err != nil {
			return nil, nil, err
		}
		if e, ok := f.(explainer); ok {
			uses, lacks = e.Explain(manifest)
			return uses, lacks, nil
		}
		for _, grant := range header.Grants {
			if program, ok := strings.CutPrefix(grant, "exec:"); ok {
				uses = append(uses, "runs "+program+", which says what it adds when it starts")
			}
		}
		return uses, nil, nil
	}
	return nil, nil, errors.New("it is not an extension that is known here")
}
