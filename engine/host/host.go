// This file puts the table together and answers facts.
package host

import (
	"path/filepath"
	"runtime"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
)

// APIVersion is the version of the API that this program speaks: what a header's @api names.
const APIVersion = 1

// Options is what the functions know of the program around them.
type Options struct {
	Home     string // ~/.agent; logs go to its logs folder. "" = logs are dropped
	Version  string
	Mode     string // tui, print, json, ...
	CWD      string
	Model    func() string // provider/id of the current model; may be nil
	Reserved []string      // slash commands of the program, which scripts cannot have
	// Services is what the agent does for scripts: asked at each call. nil, or returning nil: there is no agent here.
	Services func() *engine.Services
}

// Table is the host side of the API table.
type Table struct {
	o     Options
	logs  *logs
	state stateLock
	calls atomic.Uint64 // tool calls that scripts made
}

// New makes the table. Close it to close its log files.
func New(o Options) *Table { return &Table{o: o, logs: newLogs(o.Home)} }

// Close closes the log files.
func (t *Table) Close() { t.logs.close() }

// Funcs returns the functions by the names of their rows.
func (t *Table) Funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"on": on, "guard": guard, "tool": tool, "command": t.command, "provider": provider, "redact": redact,
		"log.debug": t.log("debug"), "log.info": t.log("info"), "log.warn": t.log("warn"), "log.error": t.log("error"),
		"notify": notify, "say": say,
		"sleep": sleep, "all": all, "fail": fail,
		"copy": same, "list": same, "json.encode": jsonEncode, "json.decode": jsonDecode,
		"ui.confirm": confirm, "ui.select": choose, "ui.input": input, "emit": emit,
		"agent.send": t.agentSend, "agent.abort": t.agentAbort, "agent.compact": t.agentCompact, "agent.exit": t.agentExit,
		"agent.set": t.agentSet, "agent.models": t.agentModels, "agent.idle": t.agentIdle, "agent.spawn": t.agentSpawn,
		"session.messages": t.sessionMessages, "session.entries": t.sessionEntries, "session.append": t.sessionAppend, "session.name": t.sessionName,
		"session.label": t.sessionLabel, "session.tree": t.sessionTree, "session.usage": t.sessionUsage,
		"session.new": t.sessionNew, "session.fork": t.sessionFork,
		"state.get": t.stateGet, "state.set": t.stateSet, "state.delete": t.stateDelete, "state.keys": t.stateKeys, "state.update": t.stateUpdate,
		"llm.complete": t.llmComplete, "tools.list": toolsList, "tools.call": t.toolsCall,
	}
}

// Fact returns the value of a fact as g sees it.
func (t *Table) Fact(g *engine.Generation, name string) any {
	switch name {
	case "version":
		return t.o.Version
	case "api":
		return APIVersion
	case "language":
		return g.Language
	case "mode":
		return t.o.Mode
	case "os":
		return runtime.GOOS
	case "arch":
		return runtime.GOARCH
	case "cwd":
		return t.o.CWD
	case "model_id":
		if t.o.Model != nil {
			if m := t.o.Model(); m != "" {
				return m
			}
		}
	case "script":
		return map[string]any{"name": g.Name, "path": g.Path, "dir": filepath.Dir(g.Path), "generation": g.Number}
	}
	return nil
}

// optional arguments.

func text(v any) string {
	s, _ := v.(string)
	return s
}

func table(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func number(v any) float64 {
	n, _ := engine.Number(v)
	return n
}

func truth(v any) bool {
	b, _ := v.(bool)
	return b
}
