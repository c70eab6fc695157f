package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
)

func TestList(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	make := func(id string, age time.Duration, entries ...Entry) *Session {
		s := New(Options{Dir: dir, CWD: "/w", Now: func() time.Time { return now }, NewID: ids(id)})
		add(t, s, entries...)
		s.Close()
		os.Chtimes(s.Path(), now.Add(-age), now.Add(-age))
		return s
	}
	make("aa11", 3*time.Hour, user("  first line\nsecond"), calls("x"), result("x", "r"),
		user("more"), Entry{Name: &Name{"old"}}, Entry{Name: &Name{"new"}})
	make("aa22", time.Hour, user(strings.Repeat("long ", 100)))
	broken := make("bb33", 2*time.Hour, user("fine"), user("lost"), user("fine too"))
	b, _ := os.ReadFile(broken.Path())
	lines := strings.SplitAfter(string(b), "\n")
	lines[2] = "garbage\x00\n"
	write(t, broken.Path(), strings.Join(lines, "")+`{"type":"mess`, now.Add(-2*time.Hour))
	write(t, filepath.Join(dir, "20260101T000000Z-cc44.jsonl"), "", now.Add(-4*time.Hour))
	write(t, filepath.Join(dir, "notes.txt"), "no session", now)
	os.Mkdir(filepath.Join(dir, "x.jsonl"), 0o700)

	list, err := List(dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range list {
		got = append(got, fmt.Sprintf("%s %q %q %d %s %v %s", i.ID, i.Name, i.First, i.Messages,
			i.CWD, i.More, i.Damaged))
	}
	want := []string{
		fmt.Sprintf(`aa22 "" %q 1 /w false `, strings.Repeat("long ", 40)+"..."),
		`bb33 "" "fine" 2 /w false line 3 cannot be read`,
		`aa11 "new" "first line" 3 /w false `,
		`cc44 "" "" 0  false not a session file`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if list, _ := List(dir, 2); len(list) != 2 || list[1].ID != "bb33" {
		t.Errorf("the newest two: got %+v", list)
	}
	if list, err := List(filepath.Join(dir, "none"), 0); err != nil || len(list) != 0 {
		t.Errorf("no folder: got %v %v", list, err)
	}

	for id, want := range map[string]string{"aa11": "", "aa2": "", "bb": "", "cc44": "",
		"aa": "2 sessions have an id that begins with aa (aa11, aa22)",
		"zz": "no session of this project has an id that begins with zz", "": "got no id"} {
		path, err := Find(dir, id)
		switch {
		case want == "" && (err != nil || !strings.HasPrefix(idOf(path), id)):
			t.Errorf("find %q: got %q %v", id, path, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("find %q: got %v, want %q", id, err, want)
		}
	}
	if _, err := Find(filepath.Join(dir, "none"), "a"); err == nil ||
		!strings.Contains(err.Error(), "none yet") {
		t.Errorf("find in nothing: got %v", err)
	}
}

func ids(first string) func() string {
	n := 0
	return func() string {
		if n++; n == 1 {
			return first
		}
		return fmt.Sprint("e", n)
	}
}

func write(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Chtimes(path, at, at)
}

func TestListReadsTheEndsOfALargeFile(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{Dir: dir})
	add(t, s, user("begin"))
	for range 6 {
		add(t, s, result("x", strings.Repeat("x", 1<<20)))
	}
	add(t, s, user("end"), Entry{Name: &Name{"large"}})
	list, err := List(dir, 0)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if i := list[0]; i.First != "begin" || i.Name != "large" || i.Messages != 2 || !i.More ||
		i.Damaged != "" {
		t.Errorf("got %+v", i)
	}
}

// spoken returns a session with everything that an export and a screen can show.
func spoken(t *testing.T) *Session {
	s := newSession(t)
	put(t, s, user("left behind"))
	fork(t, s, s.Entries()[0].ID, true)
	one := put(t, s,
		Entry{Message: &chat.Message{Role: "user",
			Content: append(text("show me\nthe key"),
				chat.Block{Type: "image", MimeType: "image/png", Data: "AA=="})}})
	shown := "the key is ***"
	m := calls("a", "b", "c")
	m.Message.Content, m.Message.Reasoning, m.Shown = text("the key is s3cret"), "", &shown
	put(t, s, m)
	r := result("b", "model's result\n```\n")
	r.Tool = &ToolRun{Tool: "sh", Args: map[string]any{"x": 1.0}, Skipped: "denied",
		Display: &ui.Display{Kind: "diff", Text: "-a\n+b"}}
	put(t, s, r)
	long := result("a", strings.Repeat("line\n", 100))
	long.Tool, long.Message.IsError = nil, false
	put(t, s, long)
	put(t, s, Entry{Message: &chat.Message{Role: "assistant", Content: text("whispered s3cret")},
		Hidden: true})
	put(t, s, Entry{Event: &Event{"agent_end", map[string]any{"status": "completed"}}})
	s.SetLabel(one, "the\nstart")
	s.SetName("A # name")
	brief := "in short"
	put(t, s, Entry{Compaction: &Compaction{Summary: "in short, s3cret", Shown: &brief}})
	put(t, s, user("again"))
	put(t, s, Entry{Event: &Event{"agent_end", map[string]any{"status": "blocked",
		"error": "refused by g.lua: no"}}})
	return s
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	s := spoken(t)
	if err := (Export{}).Markdown(&b, s); err != nil {
		t.Fatal(err)
	}
	fence := "```"
	want := "# A # name\n\nSession " + s.ID() + ", begun 2026-01-02 03:04 UTC in `/w`\n" +
		"\n## User (the start)\n\nshow me\nthe key\n\n*images: 1*\n" +
		"\n## Agent\n\nthe key is ***\n" +
		"\n### Tool bash\n\n" + fence + "json\n{\"command\":\"ls <&>\\n\"}\n" + fence + "\n" +
		"\n" + fence + "\n" + strings.Repeat("line\n", 40) + "... 300 bytes left out\n" + fence +
		"\n" +
		"\n### Tool sh: denied\n\n" + fence + "json\n{\"x\":1}\n" + fence + "\n\n" + fence +
		"diff\n-a\n+b\n" + fence + "\n" +
		"\n### Tool bash: aborted\n\n" + fence + "json\n{\"command\":\"ls <&>\\n\"}\n" + fence +
		"\n" +
		"\n## Summary of the above, for the model\n\nin short\n" +
		"\n## User\n\nagain\n" +
		"\n*blocked: refused by g.lua: no*\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	(Export{Original: true}).Markdown(&b, s)
	for _, words := range []string{"the key is s3cret", "whispered s3cret", "in short, s3cret"} {
		if !strings.Contains(b.String(), words) {
			t.Errorf("on request: got no %q in\n%s", words, b.String())
		}
	}
}

func TestMarkdownOfToolOutput(t *testing.T) {
	s := newSession(t)
	put(t, s, calls("a", "b", "c"))
	for id, run := range map[string]*ToolRun{"a": {ForUser: "for the user"}, "b": {Silent: true},
		"c": nil} {
		r := result(id, "````\nfor the model "+id)
		r.Tool = run
		put(t, s, r)
	}
	var b strings.Builder
	if err := (Export{}).Markdown(&b, s); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{"\nfor the user\n": true, "for the model a": false,
		"for the model b":                         false,
		"\n`````\n````\nfor the model c\n`````\n": true} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("%q: want %v in\n%s", text, want, b.String())
		}
	}
}

func TestJSONOriginalOnRequest(t *testing.T) {
	s := spoken(t)
	for _, x := range []Export{{}, {All: true}, {Original: true}} {
		var b strings.Builder
		if err := x.JSON(&b, s); err != nil {
			t.Fatal(err)
		}
		var entries []map[string]any
		if err := json.Unmarshal([]byte(b.String()), &entries); err != nil {
			t.Fatal(err)
		}
		want := len(s.Entries())
		if x.All {
			want = len(s.All())
		}
		if len(entries) != want {
			t.Errorf("%+v: got %d entries, want %d", x, len(entries), want)
		}
		if got := strings.Count(b.String(), "s3cret"); (got == 3) != x.Original || got != 0 &&
			got != 3 {
			t.Errorf("%+v: the model's words occur %d times", x, got)
		}
		if !strings.Contains(b.String(), "the key is ***") {
			t.Errorf("%+v: the text that the user saw is missing", x)
		}
	}
}

// TestSender checks that a prompt keeps the name of the script that sent it.
func TestSender(t *testing.T) {
	s := newSession(t)
	sent := user("go on")
	sent.Sender = "guard.lua"
	add(t, s, user("hello"), sent)
	s = reopened(t, s)
	var got []string
	for _, i := range s.History() {
		got = append(got, i.Sender+":"+i.Text)
	}
	if strings.Join(got, " ") != ":hello guard.lua:go on" {
		t.Errorf("got %q", got)
	}
	var b strings.Builder
	if err := (Export{}).Markdown(&b, s); err != nil ||
		!strings.Contains(b.String(), "## User\n\nhello\n\n## User (sent by guard.lua)\n\ngo on") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

func TestHistoryShowsWhatTheUserSaw(t *testing.T) {
	s := reopened(t, spoken(t))
	if !strings.Contains(says(s), "in short, s3cret") {
		t.Errorf("the model has its own summary: got %s", says(s))
	}
	var got []string
	for _, i := range s.History() {
		got = append(got, fmt.Sprintf("%s %q %s %s %v %q %s", i.Kind, i.Text, i.Tool, i.CallID,
			i.IsError, i.Skipped, i.Status))
	}
	want := []string{
		`user "show me\nthe key"   false "" `,
		`assistant "the key is ***"   false "" `,
		`tool "" bash a false "" `,
		`tool "" sh b true "denied" `,
		`tool "" bash c true "aborted" `,
		`summary "in short"   false "" `,
		`user "again"   false "" `,
		`end "refused by g.lua: no"   false "" blocked`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFormIsNoRewrite checks that arguments which only got the form of the tool's schema are not
// shown as rewritten, and that those which a script changed are.
func TestFormIsNoRewrite(t *testing.T) {
	s := newSession(t)
	put(t, s, calls("a", "b"))
	for _, id := range []string{"a", "b"} {
		r := result(id, "done")
		r.Tool = &ToolRun{Args: map[string]any{"edits": []any{"x"}}}
		if id == "b" {
			r.Tool.Trail = engine.Trail{{Script: "g.lua", Line: 3, Event: "tool_call",
				Outcome: "rewrite", Changed: []string{"args"}}}
		}
		put(t, s, r)
	}
	var got []string
	for _, i := range reopened(t, s).History() {
		if i.Kind == ItemTool && i.Rewritten != nil {
			got = append(got, i.CallID+" by "+i.Rewritten.By[0].String())
		}
	}
	if strings.Join(got, ", ") != "b by g.lua:3" {
		t.Errorf("got %q as rewritten", got)
	}
}
