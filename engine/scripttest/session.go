// This file runs one script of a case in an engine with a fake agent, user and screen.

package scripttest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/host"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/vm"
)

type session struct {
	t      *testing.T
	ctx    context.Context
	stop   context.CancelFunc
	eng    *engine.Engine
	host   *host.Table
	gen    *engine.Generation // nil: the script did not load
	env    event.Envelope     // of the next event or call
	user   *user
	agent  *agent
	screen *screen
	name   string // case.lua
	home   string
	dir    string       // of the project, if it has files; the case sees it as /project
	made   *event.Event // by emit
	logAt  int          // number of bytes of the log that have been printed
	out    strings.Builder

	mu   sync.Mutex
	told []string // the lines that hear added since the last step
	// full texts of script errors since the last step: they differ between languages
	errors []string
	marks  marks
}

// open loads a script into a new engine, and creates its project folder if the case has files. The
// first line of input may be headless or alone.
func (k *Kit) open(t *testing.T, rt engine.Runtime, src, input string, project []file) *session {
	t.Helper()
	s := &session{t: t, name: "case." + rt.Language(), home: t.TempDir(), user: &user{},
		screen: &screen{width: 40, pieces: map[string]ui.Piece{}}}
	s.ctx, s.stop = context.WithTimeout(context.Background(), caseTime)
	dir := s.makeProject(project)
	s.env = event.Envelope{SessionID: "s1", CWD: dir, Project: dir, Agent: "main",
		Model: "test/model", Turn: 1, Mode: "print", Permission: event.PermissionDefault}
	s.marks = readMarks(t, src)
	s.user.ask, s.agent = s.tell, newAgent(s.tell)
	ho := host.Options{Home: s.home, Version: "1.2.3", Mode: "print", CWD: dir, User: "/home/user",
		Model: func() string { return "test/model" }, LookupEnv: lookupEnv,
		Reserved: []string{"help"}}
	if services := s.agent.services(); !begins(input, "alone") {
		ho.Services = func() *service.Agent { return services }
	}
	ho.Setting = readSettings(t, input)
	o := engine.Options{Runtimes: k.Runtimes, Tools: tools(), Emit: s.hear, Envelope: s.envelope,
		Random: vm.FixedRandom(), Patience: k.Patience}
	unhurry(&o)
	if !begins(input, "headless") {
		o.Approver, o.Dialogs, o.Surface = s.user, s.user, s.screen.surface()
	}
	eng, table, err := standard.New(standard.Options{Host: ho, Engine: o})
	if err != nil {
		t.Fatal(err)
	}
	s.eng, s.host = eng, table
	s.agent.handlers = func(ctx context.Context) {
		eng.Intercept(ctx, eng.Events.Named("llm_request", s.envelope(),
			map[string]any{"purpose": "script", "model": "test/model", "messages": []any{}}))
	}
	s.load(k, rt, src)
	return s
}

// inProject is the working folder of a case without files.
const inProject = "/project"

// makeProject writes the files of a case to a temporary folder, and returns it.
func (s *session) makeProject(files []file) string {
	if len(files) == 0 {
		return inProject
	}
	dir, err := filepath.EvalSymlinks(s.t.TempDir())
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(f.data), 0o644)
		}
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.dir = dir
	return dir
}

func (s *session) load(k *Kit, rt engine.Runtime, src string) {
	script := &scriptfile.Script{Name: s.name, Path: "/scripts/" + s.name,
		Source: scriptfile.SourceUser, Bytes: []byte(src), Hash: "hash", Library: k.library(rt)}
	if k.Header != nil {
		header, err := k.Header(s.name, script.Bytes)
		if err != nil {
			s.t.Fatalf("%s: header: %v", s.name, err)
		}
		script.Header = header
	}
	gen, err := s.eng.Scripts.Load(s.ctx, script)
	if err != nil {
		s.failed(err)
		s.flush()
		return
	}
	s.gen = gen
	for _, notice := range s.eng.Scripts.Swap([]*engine.Generation{gen}, nil).Notices {
		s.tell("notice: " + notice)
	}
	s.flush()
}

// close ends the session and returns its output.
func (s *session) close() string {
	s.eng.Close()
	s.host.Close()
	s.stop()
	for line, m := range s.marks {
		if !m.met {
			s.t.Errorf("%s:%d: got no error, want one that matches %q", s.name, line, m.want)
		}
	}
	return s.out.String()
}

func (s *session) envelope() *event.Envelope {
	s.mu.Lock()
	defer s.mu.Unlock()
	env := s.env
	return &env
}

// tell adds a line to the output of the current step.
func (s *session) tell(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, line)
}

// hear receives the engine's events and adds a line for each that a user would see.
func (s *session) hear(ev *event.Event) {
	switch ev.Name() {
	case "notification":
		s.tell(fmt.Sprintf("notice of %s, %s: %s", ev.Text("source"), ev.Text("level"),
			ev.Text("message")))
	case "say":
		s.tell(fmt.Sprintf("%s says: %s", ev.Text("source"), ev.Text("markdown")))
	case "error":
		s.tell(fmt.Sprintf("error in %s: %s", ev.Text("stage"), ev.Text("message")))
	case "script_error":
		if s.made == ev { // the case itself fired this event
			return
		}
		se, _ := engine.ScriptErrorOf(ev)
		s.scriptError(se)
	}
}

// failed records an error that a call returned.
func (s *session) failed(err error) {
	if se, ok := err.(*fault.ScriptError); ok {
		s.scriptError(se)
		return
	}
	s.tell("error: " + err.Error())
}

// scriptError compares an error with the mark on its line.
func (s *session) scriptError(se *fault.ScriptError) {
	// a panel may fail at any time, and awaitScreen prints its error
	if strings.HasPrefix(se.Handler, "ui.") || strings.Contains(se.Handler, " panel ") {
		s.screen.act("failed: " + se.Handler)
	} else {
		s.tell("failed: " + se.Handler)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors = append(s.errors, se.Error())
	m := s.marks[se.Line]
	if m == nil {
		m = s.marks[0]
	}
	switch {
	case se.File != s.name:
		s.t.Errorf("%s: got an error in file %q: %v", s.name, se.File, se)
	case m == nil:
		s.t.Errorf("got an error without a mark: %s", se.Detail())
	case !m.want.MatchString(se.Message):
		s.t.Errorf("%v: want an error that matches %q", se, m.want)
	default:
		m.met = true
	}
}

// longestChain is how often flush waits for observers: an observer may cause events that others
// observe.
const longestChain = engine.MaxCallDepth + 2

// flush writes the output of the current step, then lines.
func (s *session) flush(lines ...string) {
	for range longestChain {
		s.eng.Emitter.Drain(s.ctx)
	}
	log := s.newLog()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		s.t.Fatalf("%s: not finished after %v", s.name, caseTime)
	}
	for _, line := range append(append(s.told, log...), lines...) {
		s.out.WriteString(s.neutral(line) + "\n")
	}
	s.told, s.errors = nil, nil
}

// newLog returns the lines that the script has logged since the last step.
func (s *session) newLog() []string {
	data, err := os.ReadFile(filepath.Join(s.home, "logs", s.name+".log"))
	if err != nil {
		return nil
	}
	if len(data) < s.logAt { // the log was rotated
		s.logAt = 0
	}
	text := strings.TrimSuffix(string(data[s.logAt:]), "\n")
	s.logAt = len(data)
	if text == "" {
		return nil
	}
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, "log: "+stamp.ReplaceAllString(line, ""))
	}
	return lines
}

// stamp matches the time at the beginning of a line of the log.
var stamp = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} `)

// place matches a script's file name, and the line if there is one.
var place = regexp.MustCompile(`\bcase\.(lua|js)\b(:\d+)*`)

// neutral removes what depends on the language from a line: file names, line numbers, and the
// errors of interpreters. The caller must hold s.mu.
func (s *session) neutral(line string) string {
	for _, e := range s.errors {
		line = strings.ReplaceAll(line, e, "(error)")
		quoted := compact(e)
		line = strings.ReplaceAll(line, quoted[1:len(quoted)-1], "(error)")
	}
	if s.dir != "" {
		line = strings.ReplaceAll(line, s.dir, inProject)
	}
	return place.ReplaceAllString(line, "case")
}
