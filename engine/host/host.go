// This file puts the table together and answers facts.

package host

import (
	"net/http"
	"net/url"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/store"
	"github.com/agentscripts/agent/engine/value"
)

// APIVersion is the version of the API that this program speaks: what a header's @api names.
const APIVersion = 1

// Options is what the functions know of the program around them.
type Options struct {
	// ~/.agent; logs go to its logs folder, what ext.store keeps to store. "" = logs are dropped,
	// nothing is kept
	Home     string
	Version  string
	Mode     string // tui, print, json, ...
	CWD      string
	Project  string        // its root: where relative globs of grants begin; "" = CWD
	User     string        // the user's home, what ~ stands for; "" = nothing
	Model    func() string // provider/id of the current model; may be nil
	Reserved []string      // slash commands of the program, which scripts cannot have
	// Services is what the agent does for scripts: asked at each call. nil, or returning nil: there
	// is no agent here.
	Services func() *engine.Services
	// Setting is what the user has set for an option of a script. nil: nothing.
	Setting func(script, name string) (engine.Setting, bool)
	// Like makes the provider of a model server whose API the program knows; nil: no server can be
	// asked here.
	Like func(engine.ModelServer) *engine.Provider
	// LookupEnv asks the environment: what ext.env reads, and programs inherit; nil = os.LookupEnv.
	LookupEnv func(name string) (string, bool)
	// Proxy is http.ProxyFromEnvironment, or what stands in for it; nil = requests of scripts use
	// no proxies.
	Proxy func(*http.Request) (*url.URL, error)
	// Started is told of each program that runs: see process.Command. nil: nobody is.
	Started func(pid int) (ended func())
	// Outside stands in for programs and servers; nil: they are reached.
	Outside *Outside
	// Tests is given each test of a script as it loads, with its line; an error is that of the
	// load. nil: nobody runs tests.
	Tests func(g *engine.Generation, name string, line int, fn engine.Func) error
}

// Table is the host side of the API table.
type Table struct {
	o     Options
	logs  *logs
	state stateLock
	store *store.Store // nil: there is no home
	board board
	regex patterns
	calls atomic.Uint64 // tool calls that scripts made
	temps temps

	timers            timers
	panels, questions counter

	programs chan struct{} // holds one for each program that runs
}

// New makes the table. Close it in the end.
func New(o Options) *Table {
	t := &Table{o: o, logs: newLogs(o.Home), programs: make(chan struct{}, mostPrograms)}
	if o.Home != "" {
		t.store = store.New(filepath.Join(o.Home, "store"))
	}
	return t
}

// Close closes the log files, and removes the temporary ones of scripts.
func (t *Table) Close() {
	t.logs.close()
	t.temps.close()
}

// Funcs returns the functions by the names of their rows.
func (t *Table) Funcs() map[string]engine.HostFunc {
	return map[string]engine.HostFunc{
		"on": on, "guard": guard, "tool": tool, "command": t.command, "option": t.option,
		"shortcut": shortcut, "render": render, "provider": t.provider, "redact": redact,
		"test":      t.test,
		"log.debug": t.log("debug"), "log.info": t.log("info"), "log.warn": t.log("warn"),
		"log.error": t.log("error"),
		"notify":    notify, "say": say,
		"every": t.startTimer("every", true, leastEvery), "after": t.startTimer("after", false, 0),
		"tools.only": toolsOnly,
		"sleep":      sleep, "all": all, "fail": fail,
		"regex.test": t.regexTest, "regex.find": t.regexFind, "regex.find_all": t.regexFindAll,
		"regex.replace": t.regexReplace, "regex.split": t.regexSplit,
		"match": match, "diff": textDiff,
		"text.truncate": textTruncate, "text.wrap": textWrap, "text.width": textWidth,
		"text.plain": textPlain, "text.redact": textRedact, "text.transcript": textTranscript,
		"fs.read": t.fs("read", fsRead), "fs.lines": t.fs("lines", fsLines),
		"fs.write": t.fs("write", fsWrite), "fs.append": t.fs("append", fsAppend),
		"fs.list": t.fs("list", fsList), "fs.stat": t.fs("stat", fsStat),
		"fs.exists": t.fs("exists", fsExists), "fs.mkdir": t.fs("mkdir", fsMkdir),
		"fs.remove": t.fs("remove", fsRemove), "fs.rename": t.fs("rename", fsRename),
		"fs.find": t.fs("find", fsFind), "fs.temp": t.fsTemp,
		"base64.encode": base64Encode, "base64.decode": base64Decode, "hash.sha256": hashSHA256,
		"uuid": uuid, "random": random,
		"time.now": timeNow, "time.format": timeFormat, "time.parse": timeParse,
		"path.join": pathJoin, "path.base": pathBase, "path.dir": pathDir, "path.ext": pathExt,
		"path.abs": t.pathAbs, "path.rel": t.pathRel,
		"shell.check": shellCheck, "shell.parse": shellParse, "shell.paths": t.shellPaths,
		"shell.quote": shellQuote, "shell.split": shellSplit,
		"copy": same, "list": same, "json.encode": jsonEncode, "json.decode": jsonDecode,
		"yaml.encode": yamlEncode, "yaml.decode": yamlDecode, "toml.encode": tomlEncode,
		"toml.decode": tomlDecode,
		"ui.confirm":  t.confirm, "ui.select": t.choose, "ui.input": t.input, "ui.edit": t.edit,
		"ui.status": t.uiStatus, "ui.widget": t.uiWidget, "ui.footer": t.uiFooter,
		"ui.title": t.uiTitle, "ui.redraw": t.uiRedraw, "ui.panel": t.uiPanel,
		"ui.insert": t.uiInsert, "ui.copy": t.uiCopy, "ui.desktop": t.uiDesktop,
		"ui.focused": uiFocused,
		"emit":       emit,
		"agent.send": t.agentSend, "agent.abort": t.agentAbort, "agent.compact": t.agentCompact,
		"agent.exit": t.agentExit,
		"agent.set":  t.agentSet, "agent.models": t.agentModels, "agent.idle": t.agentIdle,
		"agent.spawn":      t.agentSpawn,
		"session.messages": t.sessionMessages, "session.entries": t.sessionEntries,
		"session.append": t.sessionAppend, "session.name": t.sessionName,
		"session.label": t.sessionLabel, "session.tree": t.sessionTree,
		"session.usage": t.sessionUsage,
		"session.new":   t.sessionNew, "session.fork": t.sessionFork,
		"state.get": t.stateGet, "state.set": t.stateSet, "state.delete": t.stateDelete,
		"state.keys": t.stateKeys, "state.update": t.stateUpdate,
		"store.get": t.storeGet, "store.set": t.storeSet, "store.delete": t.storeDelete,
		"store.keys": t.storeKeys, "store.update": t.storeUpdate,
		"llm.complete": t.llmComplete, "tools.list": toolsList, "tools.call": t.toolsCall,
		"exec": t.exec, "sh": t.sh, "env": t.envGet,
		"http.request": t.httpRequest, "http.get": t.httpMethod("ext.http.get", "GET"),
		"http.post": t.httpMethod("ext.http.post", "POST"),
		"secret":    t.secret,
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
		return map[string]any{"name": g.Name, "path": g.Path, "dir": filepath.Dir(g.Path),
			"generation": g.Number}
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

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func number(v any) float64 {
	n, _ := value.Number(v)
	return n
}

func truth(v any) bool {
	b, _ := v.(bool)
	return b
}
