package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/value"
)

// code returns the code of a *fault.WorldError, "" if there is no error.
func code(t *testing.T, err error) string {
	t.Helper()
	var w *fault.WorldError
	if err != nil && !errors.As(err, &w) {
		t.Errorf("got %v, want a *fault.WorldError", err)
	}
	if w == nil {
		return ""
	}
	return w.Code
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// prompts returns the ids of the entries of the user's prompts on the branch.
func (w *world) prompts() []string {
	var out []string
	for _, e := range w.agent.Session().Entries() {
		if e.Message != nil && e.Message.Role == "user" {
			out = append(out, e.ID)
		}
	}
	return out
}

// talks returns the conversation for the model, as one line.
func (w *world) talks() string {
	var out []string
	for _, m := range w.agent.journal.messages() {
		out = append(out, strings.TrimSpace(talk([]*chat.Message{m})))
	}
	return strings.Join(out, " | ")
}

// causes lists session events with their causes.
func (w *world) causes() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []string
	for _, ev := range w.events {
		switch ev.Name() {
		case "session_start", "session_end", "session_before_switch", "session_compact":
			out = append(out, strings.TrimPrefix(ev.Name(), "session_")+" "+ev.Text("cause"))
		case "session_before_fork":
			out = append(out, fmt.Sprintf("before_fork %v %q", ev.Field("is_user_message"),
				ev.Text("text")))
		}
	}
	return strings.Join(out, ", ")
}

func TestNewSessionWithPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.agent.Start(w.ctx, "startup")
	w.prompt("one")
	old := w.agent.Session()
	w.on("session_start", func(ev *event.Event) any {
		return map[string]any{"context": "began by " + ev.Text("cause") + " in " +
			ev.Env().SessionID}
	})
	must(t, w.agent.NewSession(w.ctx, "new", " two "))
	w.agent.Work(w.ctx, nil)
	s := w.agent.Session()
	if s == old || w.agent.Envelope().SessionID != s.ID() ||
		w.agent.Envelope().SessionPath != s.Path() {
		t.Error("the session did not change, or the envelope has another one")
	}
	equal(t, "causes", w.causes(), "start startup, before_switch new, end switch, start new")
	equal(t, "request", w.request(1), "user:<context from=\"h.lua\">\nbegan by new in "+s.ID()+
		"\n</context>\nuser:two")
	if got := w.last("session_before_switch").Text("prompt"); got != "two" {
		t.Errorf("prompt: got %q", got)
	}
	if _, err := session.Open(old.Path()); err != nil {
		t.Errorf("the old session is still locked: %v", err)
	}
}

func TestScriptRefusesSwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.prompt("one")
	before := w.agent.Session()
	w.on("session_before_switch", func(*event.Event) any { return block("not now") })
	w.on("session_before_fork", func(*event.Event) any { return block("never") })
	w.on("session_before_compact", func(*event.Event) any { return block("all matters") })
	other := session.New(session.Options{Dir: t.TempDir()})
	if _, err := other.Append(session.Entry{Name: &session.Name{Name: "x"}}); err != nil {
		t.Fatal(err)
	}
	w.prompt("two")
	for what, do := range map[string]func() error{
		"new":     func() error { return w.agent.NewSession(w.ctx, "new", "p") },
		"resume":  func() error { return w.agent.Resume(w.ctx, other) },
		"fork":    func() error { return w.agent.Fork(w.ctx, w.prompts()[0], false) },
		"compact": func() error { return w.agent.Compact(w.ctx, "") },
	} {
		err := do()
		if code(t, err) != "refused" || !strings.Contains(err.Error(), "by h.lua: ") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	if w.agent.Session() != before || strings.Contains(w.causes(), "end ") ||
		w.talks() != "user:one | assistant:done | user:two | assistant:done" {
		t.Errorf("the session has changed: %s, %s", w.causes(), w.talks())
	}
	if _, err := session.Open(other.Path()); err != nil {
		t.Errorf("the session that was not resumed is still locked: %v", err)
	}
	if w.agent.queue.waiting() != 0 {
		t.Error("the prompt of the new session was sent to the old one")
	}
}

func TestSwitchDuringPrompt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.answers = []answer{{text: "done", before: func(context.Context) {
		for what, err := range map[string]error{"new": w.agent.NewSession(w.ctx, "new", ""),
			"fork": w.agent.Fork(w.ctx, "x", false), "compact": w.agent.Compact(w.ctx, "")} {
			if code(t, err) != "busy" {
				t.Errorf("%s: got %v, want busy", what, err)
			}
		}
	}}}
	w.prompt("one")
	if code(t, w.agent.Fork(w.ctx, "nothing", false)) != "not_found" {
		t.Error("fork at an unknown entry: want not_found")
	}
	w.agent.Close(w.ctx, "exit")
	if code(t, w.agent.NewSession(w.ctx, "new", "")) != "cancelled" {
		t.Error("after Close: want cancelled")
	}
}

func TestForkAndResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "a1"}, answer{text: "a2"}, answer{text: "a3"},
		answer{text: "a4"})
	w.agent.Start(w.ctx, "startup")
	w.prompt("one")
	w.prompt("two")
	ids := w.prompts()
	must(t, w.agent.Fork(w.ctx, ids[1], true))
	w.prompt("three")
	equal(t, "before two", w.request(2), "user:one\nassistant:a1\nuser:three")
	must(t, w.agent.Fork(w.ctx, ids[0], false))
	w.prompt("four")
	equal(t, "behind one", w.request(3), "user:one\nuser:four")
	equal(t, "causes", w.causes(),
		`start startup, before_fork true "two", end switch, start fork, before_fork true "one", `+
			`end switch, start fork`)
	if cost := w.agent.Envelope().Cost; cost != nil {
		t.Errorf("cost: got %v, want none without counts", cost())
	}
	id := w.agent.Session().ID()
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	must(t, w.agent.ResumeID(w.ctx, id[:6]))
	equal(t, "resumed", w.talks(), "user:one | user:four | assistant:a4")
	if got := w.agent.Envelope().SessionID; got != id {
		t.Errorf("session: got %s, want %s", got, id)
	}
	if code(t, w.agent.ResumeID(w.ctx, id)) != "refused" ||
		code(t, w.agent.ResumeID(w.ctx, "zz")) != "not_found" {
		t.Error("resuming the current session, and an unknown one")
	}
}

func TestCostOfResumedSession(t *testing.T) {
	t.Parallel()
	a := answer{text: "hi", finish: chat.Finish{Usage: &chat.Usage{Input: 100, Output: 50}}}
	w := newWorld(t, Options{}, a, a, a, a)
	w.prompt("one")
	first := w.prompts()[0]
	w.prompt("two")
	must(t, w.agent.Fork(w.ctx, first, false))
	id, cost := w.agent.Session().ID(), w.agent.Envelope().Cost()
	must(t, w.agent.NewSession(w.ctx, "clear", ""))
	if got := w.agent.Envelope().Cost(); got != 0 {
		t.Errorf("a new session: got %v", got)
	}
	w.prompt("in between")
	if got := w.agent.Envelope().Cost(); got != cost/2 {
		t.Errorf("a new session with half as much: got %v", got)
	}
	must(t, w.agent.ResumeID(w.ctx, id))
	if got := w.agent.Envelope().Cost(); got != cost || cost == 0 {
		t.Errorf("got %v, want %v", got, cost)
	}
	whole, branch := w.agent.Usage(false), w.agent.Usage(true)
	if whole["turns"] != 2 || whole["cost"] != cost || branch["turns"] != 0 {
		t.Errorf("usage: got %v and %v", whole, branch)
	}
	if _, ok := branch["cost"]; ok {
		t.Error("the branch has a cost without requests")
	}
	w.prompt("three")
	if got := w.agent.Envelope().Cost(); got != w.agent.Session().Used(false).Cost || got <= cost {
		t.Errorf("after another request: got %v", got)
	}
}

func TestNameLabelEntriesAndTreeAfterResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.prompt("one\nand more")
	prompt := w.prompts()[0]
	if name, err := w.agent.Name(" the name "); err != nil || name != "the name" {
		t.Errorf("got %q %v", name, err)
	}
	must(t, w.agent.journal.label(prompt, "begin"))
	if code(t, w.agent.journal.label("nothing", "x")) != "not_found" {
		t.Error("label of an unknown entry: want not_found")
	}
	custom, err := w.agent.journal.appendCustom("note", map[string]any{"n": 1})
	must(t, err)
	id := w.agent.Session().ID()
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	must(t, w.agent.ResumeID(w.ctx, id))
	if name, _ := w.agent.Name(""); name != "the name" {
		t.Errorf("name: got %q", name)
	}
	var tree []string
	leaves := 0
	for _, v := range w.agent.journal.tree() {
		m := v.(map[string]any)
		if m["leaf"] == true {
			leaves++
		}
		if m["id"] == prompt || m["id"] == custom {
			tree = append(tree, fmt.Sprint(m["type"], " ", m["role"], " ", m["text"], " ",
				m["label"]))
		}
	}
	if got := strings.Join(tree, ", "); got != "message user one begin, custom <nil> note <nil>" ||
		leaves != 1 {
		t.Errorf("tree: got %s, %d leaves", got, leaves)
	}
	entries := w.agent.Entries()
	for _, v := range entries {
		p, err := value.Plain(v)
		must(t, err)
		if m := p.(map[string]any); m["id"] == custom &&
			(m["kind"] != "note" || fmt.Sprint(m["data"]) != "map[n:1]") {
			t.Errorf("custom entry: got %v", m)
		}
	}
	if list, err := w.agent.Sessions(10); err != nil || len(list) != 1 ||
		list[0].Name != "the name" || list[0].First != "one" {
		t.Errorf("sessions: got %+v %v", list, err)
	}
}

func TestHistoryShowsRewrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, answer{text: "the key is s3cret", chunks: use("ls", "").chunks},
		answer{text: "hide s3cret"})
	w.on("assistant_message", func(ev *event.Event) any {
		if strings.Contains(ev.Text("text"), "hide") {
			return block("")
		}
		return map[string]any{"text": strings.ReplaceAll(ev.Text("text"), "s3cret", "***")}
	})
	w.prompt("what is it?")
	id := w.agent.Session().ID()
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	must(t, w.agent.ResumeID(w.ctx, id))
	var got []string
	for _, i := range w.agent.History() {
		got = append(got, fmt.Sprintf("%s %s%s %s", i.Kind, i.Text, i.Tool, i.ToolKind))
	}
	if g := strings.Join(got,
		"|"); g != "user what is it? |assistant the key is *** |tool ls read" {
		t.Errorf("got %s", g)
	}
	if !strings.Contains(w.talks(), "the key is s3cret") {
		t.Errorf("want the model's own words, got %s", w.talks())
	}
	w.on("session_before_compact",
		func(*event.Event) any { return map[string]any{"summary": "it was s3cret"} })
	w.prompt("and now?")
	must(t, w.agent.Compact(w.ctx, ""))
	if !strings.Contains(w.talks(), "it was s3cret") {
		t.Errorf("want the model's own summary, got %s", w.talks())
	}
	for _, x := range []session.Export{{}, {All: true}} {
		var b strings.Builder
		must(t, x.JSON(&b, w.agent.Session()))
		must(t, x.Markdown(&b, w.agent.Session()))
		if strings.Contains(b.String(), "s3cret") {
			t.Errorf("exported: %s", b.String())
		}
	}
}

// TestResumedCallsLookAsBefore checks that a call whose arguments only got another form is not
// shown as rewritten after a refusal, and that an approval of the user and what a prompt has used
// are shown again.
func TestResumedCallsLookAsBefore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	w := &world{t: t, ctx: ctx, home: t.TempDir(),
		answers: []answer{counted(uses("read", `{"file_path":"a"}`, "bash",
			`{"command":"echo hi"}`)), counted(answer{text: "ok"})}}
	w.approver = approver(func(*engine.Question) engine.Answer {
		return engine.Answer{Allow: true}
	})
	w.start(Options{}, cancel)
	w.on("guard", func(ev *event.Event) any {
		if ev.Text("tool") == "read" {
			return block("no")
		}
		return map[string]any{"ask": "sure?"}
	})
	w.prompt("go")
	id := w.agent.Session().ID()
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	must(t, w.agent.ResumeID(w.ctx, id))
	var got []string
	for _, i := range w.agent.History() {
		if i.Kind == session.ItemTool {
			got = append(got, fmt.Sprintf("%s: %v %q %q", i.Tool, i.Rewritten != nil, i.Why,
				chat.PlainText(i.Content)))
		}
	}
	end := w.agent.Session().Transcript()
	if u := end[len(end)-1].Used; fmt.Sprint(u["turns"]) != "2" || u["cost"] == nil {
		t.Errorf("got %v, want what the prompt has used", u)
	}
	want := `read: false "" "refused by h.lua: no"|bash: false "you allowed it" "hi\n"`
	if g := strings.Join(got, "|"); g != want {
		t.Errorf("got %s, want %s", g, want)
	}
}

func TestStateFollowsForkAndResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	st := w.agent.journal.state()
	if v, ok := st.Get("a.lua", "k"); v != nil || ok {
		t.Errorf("before the first value: got %v", v)
	}
	w.prompt("one")
	first := w.prompts()[0]
	must(t, st.Set("a.lua", "k", map[string]any{"n": 1.0}))
	w.prompt("two")
	id := w.agent.Session().ID()
	get := func() string { v, _ := st.Get("a.lua", "k"); return fmt.Sprint(v) }
	got := get()
	must(t, w.agent.Fork(w.ctx, first, false))
	got += " " + get()
	must(t, w.agent.Fork(w.ctx, w.agent.Session().All()[len(w.agent.Session().All())-2].ID, false))
	must(t, w.agent.NewSession(w.ctx, "new", ""))
	got += " " + get()
	must(t, w.agent.ResumeID(w.ctx, id))
	got += " " + get()
	equal(t, "state", got, "map[n:1] <nil> <nil> map[n:1]")
	if err := st.Set("a.lua", "k", strings.Repeat("x", session.MaxState)); err == nil {
		t.Error("too large: got no error")
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 20 {
				st.Set("a.lua", fmt.Sprint("key", i), float64(n))
				st.Get("a.lua", "k")
				st.Keys("a.lua")
			}
		})
	}
	wg.Wait()
	if keys := st.Keys("a.lua"); len(keys) != 9 {
		t.Errorf("keys: got %v", keys)
	}
	if s, err := session.Load(w.agent.Session().Path()); err != nil ||
		len(s.StateKeys("a.lua")) != 9 {
		t.Errorf("after the write: got %v", err)
	}
}

func TestSessionInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{})
	w.prompt("one")
	path := w.agent.Session().Path()
	_, err := session.Open(path)
	if err == nil || !strings.Contains(err.Error(), "in use by this process") {
		t.Errorf("got %v", err)
	}
	b, _ := os.ReadFile(path)
	if !strings.Contains(string(b), fmt.Sprintf(`"pid":%d`, os.Getpid())) {
		t.Errorf("the file does not name the process: %s", b)
	}
}

func TestNamesAndLabelsAreOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Options{}, says("ok"))
	w.prompt("go")
	if name, err := w.agent.Name("the great\nrefactoring\t2\n"); err != nil ||
		name != "the great refactoring 2" {
		t.Errorf("got %q, %v", name, err)
	}
	id := w.agent.Session().Entries()[0].ID
	if err := w.agent.journal.label(id, "before\nit"); err != nil ||
		w.agent.Session().Label(id) != "before it" {
		t.Errorf("got %q, %v", w.agent.Session().Label(id), err)
	}
}
