package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
)

func text(s string) []chat.Block { return []chat.Block{{Type: "text", Text: s}} }

func user(s string) Entry {
	return Entry{Message: &chat.Message{Role: "user", Content: text(s)}}
}

func calls(ids ...string) Entry {
	m := &chat.Message{Role: "assistant", Content: text("on it"), Reasoning: "hm"}
	for _, id := range ids {
		m.ToolCalls = append(m.ToolCalls, chat.ToolUse{ID: id, Tool: "bash",
			Args: map[string]any{"command": "ls <&>\n"}})
	}
	return Entry{Message: m}
}

func result(id, s string) Entry {
	return Entry{Message: &chat.Message{Role: "tool", CallID: id, Tool: "bash", Content: text(s),
		IsError: true},
		Tool: &ToolRun{Tool: "sh", Args: map[string]any{"x": 1.0}, Skipped: "denied",
			Details: map[string]any{"exit_code": 2.0},
			Display: &ui.Display{Kind: "diff", Text: "-a\n+b"}, ForUser: "u", Silent: true,
			Source: "user_once", Took: 5 * time.Second,
			Trail: engine.Trail{{Script: "guard.lua", Line: 3, Event: "guard", Outcome: "block",
				Reason: "no", Duration: 7 * time.Microsecond}}}}
}

func newSession(t *testing.T) *Session {
	return New(Options{Dir: filepath.Join(t.TempDir(), "sessions", "p"), CWD: "/w",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }})
}

func add(t *testing.T, s *Session, entries ...Entry) {
	t.Helper()
	for _, e := range entries {
		if _, err := s.Append(e); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNewSessionHasNoFile(t *testing.T) {
	s := newSession(t)
	if _, err := os.Stat(filepath.Dir(s.Path())); !os.IsNotExist(err) {
		t.Errorf("folder: got %v, want none", err)
	}
	if want := "20260102T030405Z-" + s.ID() + ".jsonl"; filepath.Base(s.Path()) != want {
		t.Errorf("got %s, want %s", filepath.Base(s.Path()), want)
	}
}

func TestAppendedEntriesAreReadBack(t *testing.T) {
	s := newSession(t)
	entries := []Entry{user("hi\nthere"), calls("c1"), result("c1", "refused"),
		{Context: &Context{Context: engine.Context{Script: "a.lua", Text: "ctx"},
			Lifetime: ForTurn, Prompt: "p1", Turn: 2, Tool: "read", Path: "a.txt"}},
		{Event: &Event{"agent_end", map[string]any{"status": "completed"}}}}
	for i, e := range entries {
		add(t, s, e)
		b, err := os.ReadFile(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(string(b), "\n"); len(lines) != i+3 || lines[i+2] != "" {
			t.Fatalf("after %d entries: got %d lines, want header and entries:\n%s", i+1,
				len(lines), b)
		}
	}
	l, err := Load(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := dump(l.Entries()), dump(s.Entries()); got != want {
		t.Errorf("read back:\n%s\nwant:\n%s", got, want)
	}
	if l.ID() != s.ID() || l.CWD() != "/w" || !l.Time().Equal(s.Time()) {
		t.Errorf("header: got %s %s %v", l.ID(), l.CWD(), l.Time())
	}
}

func dump(es []*Entry) string {
	b, _ := json.MarshalIndent(es, "", " ")
	return string(b)
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	s := newSession(t)
	add(t, s, user("x"))
	for path, want := range map[string]os.FileMode{s.Path(): 0o600, filepath.Dir(s.Path()): 0o700} {
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: got %v %v, want %v", path, st.Mode().Perm(), err, want)
		}
	}
}

func TestIncompleteLastLineIsRemoved(t *testing.T) {
	s := newSession(t)
	add(t, s, user("one"), user("two"), user("three"))
	s.Close()
	whole, _ := os.ReadFile(s.Path())
	last := strings.LastIndex(strings.TrimSuffix(string(whole), "\n"), "\n") + 1
	for cut := last + 1; cut < len(whole); cut++ { // cut at every byte
		os.WriteFile(s.Path(), whole[:cut], 0o600)
		l, err := Open(s.Path())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(l.Entries()); n != 2 {
			t.Fatalf("cut at %d: got %d entries, want 2", cut, n)
		}
		add(t, l, user("four"))
		l.Close()
		again, err := Load(s.Path())
		if err != nil || len(again.Damaged()) > 0 || len(again.Entries()) != 3 {
			t.Fatalf("cut at %d, after another entry: %v, damaged %v, %d entries", cut, err,
				again.Damaged(), len(again.Entries()))
		}
	}
}

func TestFailedWriteDoesNotDamageNextLine(t *testing.T) {
	s := newSession(t)
	add(t, s, user("one"))
	n, err := s.file.f.Write([]byte(`{"type":"mess`)) // as if truncating it had failed
	if err != nil {
		t.Fatal(err)
	}
	s.file.keep, s.file.torn = s.file.keep+int64(n), true
	add(t, s, user("two"), user("three"))
	if l, err := Load(s.Path()); err != nil || says(l) != "one two three" ||
		!reflect.DeepEqual(l.Damaged(), []int{3}) {
		t.Errorf("got %q, damaged %v, %v", says(l), l.Damaged(), err)
	}
}

// TestUnwrittenEntriesAreRetried checks that entries that could not be written are written later,
// in order: before the next entry, or at Close.
func TestUnwrittenEntriesAreRetried(t *testing.T) {
	s := newSession(t)
	add(t, s, user("one"))
	good := s.file.f
	s.file.f, _ = os.Open(s.Path()) // read-only, so that writes fail as on a full disk
	for _, text := range []string{"two", "three"} {
		if _, err := s.Append(user(text)); err == nil ||
			strings.Count(err.Error(), s.Path()) != 1 {
			t.Fatalf("got %v, want an error with the path once", err)
		}
	}
	s.file.f.Close()
	s.file.f = good
	add(t, s, user("four"))
	if l, err := Load(s.Path()); err != nil || says(l) != "one two three four" ||
		len(l.Damaged()) > 0 {
		t.Errorf("before the next entry: got %q, damaged %v, %v", says(l), l.Damaged(), err)
	}
	s.file.f, _ = os.Open(s.Path())
	if _, err := s.Append(user("five")); err == nil {
		t.Fatal("the write succeeded")
	}
	s.file.f.Close()
	s.file.f = good
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if l, err := Load(s.Path()); err != nil || says(l) != "one two three four five" {
		t.Errorf("at the end: got %q, %v", says(l), err)
	}
}

func TestTruncatedFile(t *testing.T) {
	s := newSession(t)
	one := put(t, s, user("one"))
	put(t, s, calls("a"))
	put(t, s, result("a", "r"))
	fork(t, s, one, false)
	s.SetState("a.lua", "k", 1)
	put(t, s, Entry{Compaction: &Compaction{Summary: "s", KeepFrom: one}})
	put(t, s, user("two"))
	s.Close()
	whole, _ := os.ReadFile(s.Path())
	head := strings.Index(string(whole), "\n") + 1
	for cut := range whole {
		os.WriteFile(s.Path(), whole[:cut], 0o600)
		l, err := Open(s.Path())
		if cut < head {
			if !errors.Is(err, ErrNoSession) {
				t.Fatalf("cut at %d: got %v", cut, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		n := strings.Count(string(whole[:cut]), "\n") - 1
		add(t, l, user("more"))
		l.Close()
		again, err := Load(s.Path())
		if err != nil || len(again.All()) != n+1 || len(again.Damaged()) > 0 {
			t.Fatalf("cut at %d: got %v, want %d entries", cut, err, n+1)
		}
		readAll(t, again)
	}
}

func TestDamagedLinesAreSkipped(t *testing.T) {
	s := newSession(t)
	add(t, s, user("one"), user("two"), user("three"))
	b, _ := os.ReadFile(s.Path())
	lines := strings.SplitAfter(string(b), "\n")
	lines[2] = "\x00\x00garbage\n"
	os.WriteFile(s.Path(), []byte(strings.Join(lines, "")), 0o600)
	l, err := Load(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(l.Damaged(), []int{3}) || len(l.Messages("", 0)) != 2 {
		t.Errorf("damaged %v, %d messages; want [3] and 2", l.Damaged(), len(l.Messages("", 0)))
	}
}

func TestLoadRejectsOtherFiles(t *testing.T) {
	for name, content := range map[string]string{"empty": "", "text": "hello\n", "json": "{}\n",
		"torn header": `{"type":"session","id":"x"`} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		os.WriteFile(path, []byte(content), 0o600)
		if _, err := Load(path); !errors.Is(err, ErrNoSession) {
			t.Errorf("%s: got %v, want ErrNoSession", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	os.WriteFile(path, []byte(`{"type":"session","version":99,"id":"x"}`+"\n"), 0o600)
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "newer") {
		t.Errorf("newer format: got %v", err)
	}
}

func TestLoadedSessionIsReadOnly(t *testing.T) {
	s := newSession(t)
	add(t, s, user("one"))
	before, _ := os.ReadFile(s.Path())
	l, err := Load(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(user("two")); !errors.Is(err, ErrReadOnly) {
		t.Errorf("got %v, want ErrReadOnly", err)
	}
	if after, _ := os.ReadFile(s.Path()); string(after) != string(before) {
		t.Errorf("the file has changed:\n%s", after)
	}
}

func TestAppendAfterClose(t *testing.T) {
	s := newSession(t)
	add(t, s, user("one"))
	s.Close()
	add(t, s, user("two"))
	if l, err := Load(s.Path()); err != nil || len(l.Entries()) != 2 {
		t.Errorf("got %v, want two entries", err)
	}
}

func TestInvalidDetailsAreDropped(t *testing.T) {
	s := newSession(t)
	e := result("c1", "x")
	e.Tool.Details = map[string]any{"n": math.NaN()}
	add(t, s, e)
	l, err := Load(s.Path())
	if err != nil || len(l.Entries()) != 1 || l.Entries()[0].Tool.Details["not_json"] == nil {
		t.Errorf("got %v %v", err, dump(l.Entries()))
	}
}

func TestInMemorySession(t *testing.T) {
	s := New(Options{})
	add(t, s, user("one"))
	if s.Path() != "" || len(s.Messages("", 0)) != 1 {
		t.Errorf("path %q, %d messages", s.Path(), len(s.Messages("", 0)))
	}
}

func TestAppendFromManyGoroutines(t *testing.T) {
	s := newSession(t)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { s.Append(user(fmt.Sprint(i))) })
	}
	wg.Wait()
	if l, err := Load(s.Path()); err != nil || len(l.Damaged()) > 0 || len(l.Entries()) != 20 {
		t.Errorf("got %v", err)
	}
}

func TestMessagesAreValid(t *testing.T) {
	ctx := func(life Lifetime, prompt string, turn int) Entry {
		return Entry{Context: &Context{Context: engine.Context{Script: "a.lua",
			Text: string(life) + prompt + fmt.Sprint(turn)}, Lifetime: life,
			Prompt: prompt, Turn: turn}}
	}
	tests := []struct {
		name    string
		entries []Entry
		want    string // role:text or role>call id
	}{
		{"answered", []Entry{user("u"), calls("a", "b"), result("a", "ra"), result("b", "rb")},
			"user:u assistant tool>a tool>b"},
		{"killed in the batch", []Entry{user("u"), calls("a", "b"), result("a", "ra"), user("v")},
			"user:u assistant tool>a tool>b user:v"},
		{"killed at the end", []Entry{user("u"), calls("a")}, "user:u assistant tool>a"},
		{"result of nothing", []Entry{user("u"), result("x", "r")}, "user:u"},
		{"context in the batch comes after it", []Entry{user("u"), calls("a", "b"),
			result("a", "r"), ctx(ForPrompt, "p", 1), result("b", "r")},
			"user:u assistant tool>a tool>b user:<prompt p 1>"},
		{"lifetimes", []Entry{ctx(ForSession, "", 0), ctx(ForPrompt, "o", 0),
			ctx(ForPrompt, "p", 0), ctx(ForTurn, "p", 1), ctx(ForTurn, "p", 2), user("u")},
			"user:<session  0> user:<prompt p 0> user:<turn p 2> user:u"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{})
			add(t, s, tt.entries...)
			var got []string
			for _, m := range s.Messages("p", 2) {
				switch m.Role {
				case "assistant":
					got = append(got, m.Role)
				case "tool":
					got = append(got, "tool>"+m.CallID)
				default:
					x := chat.PlainText(m.Content)
					if strings.HasPrefix(x, "<context") {
						for _, life := range []Lifetime{ForSession, ForPrompt, ForTurn} {
							for _, p := range []string{"", "o", "p"} {
								for n := range 3 {
									if strings.Contains(x, "\n"+string(life)+p+fmt.Sprint(n)+"\n") {
										x = fmt.Sprintf("<%s %s %d>", life, p, n)
									}
								}
							}
						}
					}
					got = append(got, "user:"+x)
				}
			}
			if g := strings.Join(got, " "); g != tt.want {
				t.Errorf("got  %s\nwant %s", g, tt.want)
			}
		})
	}
}

func TestDirIsUniquePerProject(t *testing.T) {
	a, b := Dir("/h", "/x/app"), Dir("/h", "/y/app")
	if a == b || !strings.HasPrefix(filepath.Base(a), "app-") {
		t.Errorf("got %s and %s", a, b)
	}
	if d := Dir("/h", "/"); filepath.Dir(d) != filepath.Join("/h", "sessions") {
		t.Errorf("root: got %s", d)
	}
	if n := len(filepath.Base(Dir("/h", "/"+strings.Repeat("é x", 200)))); n > 60 {
		t.Errorf("long name: %d bytes", n)
	}
}

func FuzzParse(f *testing.F) {
	head := `{"type":"session","version":1,"id":"s","time":"2026-01-02T03:04:05Z"}` + "\n"
	f.Add([]byte(head +
		`{"type":"message","id":"a","role":"user","content":[{"type":"text","text":"x"}],` +
		`"time":"2026-01-02T03:04:05Z"}` + "\n"))
	f.Add([]byte(head + `{"type":"message","id":"a","parent":"a","role":"tool"}` + "\n" +
		`{"type":"later","id":"b","parent":"zz"}` + "\n{"))
	f.Add([]byte(head +
		`{"type":"message","id":"a","role":"assistant","tool_calls":[{"id":"1","tool":"x",` +
		`"args":null}]}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parse(b)
		if err != nil {
			return
		}
		for i, m := range s.Messages("p", 1) {
			if m.Role == "tool" && i == 0 {
				t.Error("the conversation begins with a result")
			}
		}
		// Writing and reading the entries again must not change them.
		out := []byte(head)
		for _, e := range s.All() {
			line, err := encode(e)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, line...)
		}
		again, err := parse(out)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := dump(again.All())+dump(again.Entries()),
			dump(s.All())+dump(s.Entries()); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	})
}

func TestParent(t *testing.T) {
	s := New(Options{Dir: t.TempDir(), Parent: "ab12"})
	if _, err := s.Append(Entry{Message: &chat.Message{Role: "user"}}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	back, err := Load(s.Path())
	if err != nil || back.Parent() != "ab12" || len(back.Entries()) != 1 ||
		back.Entries()[0].Parent != "" {
		t.Errorf("got parent %q, %v", back.Parent(), err)
	}
}
