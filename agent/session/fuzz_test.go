package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/chat"
)

const fuzzHead = `{"type":"session","version":1,"id":"s","time":"2026-01-02T03:04:05Z"}` + "\n"

// FuzzOpen opens any bytes as a session, appends to it, and opens it again: no entry may be lost.
func FuzzOpen(f *testing.F) {
	for _, lines := range []string{
		`{"type":"message","id":"a","role":"user","content":[{"type":"text","text":"x"}],` +
			`"time":"2026-01-02T03:04:05Z"}` + "\n",
		`{"type":"message","id":"a","role":"assistant","tool_calls":[{"id":"1","tool":"x"},` +
			`{"id":"1","tool":"x"}]}` + "\n" +
			`{"type":"message","id":"b","parent":"a","role":"tool","call_id":"1"}` + "\n" +
			`{"type":"fork","id":"c","target":"a"}` + "\n",
		`{"type":"state","id":"a","script":"x","key":"k","data":[1]}` + "\n" +
			`{"type":"compaction","id":"b","parent":"a","summary":"s","keep_from":"a",` +
			`"pinned":"a"}` + "\n{\"type\":",
		`{"type":"message","id":"a","role":"assistant","hidden":true,"content":[{"type":"image"}` +
			`],"original":{"reasoning":"r"}}` + "\n\n\x00\n" + `{"type":"open","pid":1}` + "\n",
		`{"type":"label","id":"a","target":"a","text":"t"}` + "\n" +
			`{"type":"name","id":"b","name":"n"}` + "\n" +
			`{"type":"usage","id":"d","parent":"zz","usage":{"input":1},"cost":2}` + "\n",
	} {
		f.Add([]byte(fuzzHead + lines))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, "20260101T000000Z-s.jsonl")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Load(path)
		if err != nil {
			if _, err := Open(path); err == nil {
				t.Error("Open succeeded although Load failed")
			}
			return
		}
		readAll(t, l)
		o, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := dump(o.All()), dump(l.All()); got != want {
			t.Errorf("opened: got %s\nwant %s", got, want)
		}
		put(t, o, user("more"))
		put(t, o, Entry{Fork: &Fork{}})
		all, said := dump(o.All()), dump(o.Entries())
		o.Close()
		again, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := dump(again.All()); got != all {
			t.Errorf("loaded again: got %s\nwant %s", got, all)
		}
		if got := dump(again.Entries()); got != said {
			t.Errorf("the branch: got %s\nwant %s", got, said)
		}
		readAll(t, again)
	})
}

// readAll calls all methods that read a session.
func readAll(t *testing.T, s *Session) {
	t.Helper()
	open := 0
	for _, m := range s.Messages("p", 1) {
		if m.Role == "tool" {
			if open--; open < 0 {
				t.Error("a result without a call")
			}
			continue
		}
		if open > 0 {
			t.Error("a call without a result")
		}
		open = len(m.ToolCalls)
	}
	s.History()
	s.Used(true)
	for _, e := range s.All() {
		e.Value()
		if e.Parent != "" && s.Entry(e.Parent) == nil {
			t.Errorf("entry %s has no parent", e.ID)
		}
	}
	if err := (Export{Original: true}).Markdown(new(strings.Builder), s); err != nil {
		t.Error(err)
	}
	if err := (Export{All: true}).JSON(new(strings.Builder), s); err != nil {
		t.Error(err)
	}
	if _, err := List(filepath.Dir(s.Path()), 0); err != nil {
		t.Error(err)
	}
}

// long returns a session of n realistic entries: prompts, answers, calls and results of 1 KB.
func long(tb testing.TB, dir string, n int) *Session {
	s := New(Options{Dir: dir, CWD: "/w"})
	price := 0.01
	for i := 0; len(s.All()) < n; i++ {
		id := fmt.Sprint("call", i)
		for _, e := range []Entry{user(fmt.Sprintf("please do step %d", i)), calls(id),
			result(id, strings.Repeat("output ", 150)),
			{Usage: &Usage{Purpose: "agent", Model: "p/m",
				Tokens: chat.Usage{Input: 1000, Output: 100}, Cost: &price, ToolCalls: 1}}} {
			if _, err := s.Append(e); err != nil {
				tb.Fatal(err)
			}
		}
	}
	s.Close()
	return s
}

// BenchmarkOpen opens a session of 10,000 entries. The target is under 300 ms.
func BenchmarkOpen(b *testing.B) {
	s := long(b, b.TempDir(), 10_000)
	st, _ := os.Stat(s.Path())
	b.SetBytes(st.Size())
	for b.Loop() {
		o, err := Open(s.Path())
		if err != nil {
			b.Fatal(err)
		}
		o.Close()
	}
}

// BenchmarkMessages measures the cost of the conversation for a request.
func BenchmarkMessages(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		s := long(b, "", n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Messages("p", 1)
			}
		})
	}
}

// BenchmarkAppend measures the cost of appending to 10,000 entries, without the disk.
func BenchmarkAppend(b *testing.B) {
	s := long(b, "", 10_000)
	b.ReportAllocs()
	for b.Loop() {
		s.Append(user("more"))
	}
}

// BenchmarkList lists 2,000 sessions, 50 of them in full.
func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	text, err := os.ReadFile(long(b, b.TempDir(), 400).Path())
	if err != nil {
		b.Fatal(err)
	}
	for i := range 2000 {
		os.WriteFile(filepath.Join(dir, fmt.Sprintf("20260102T030405Z-%08x.jsonl", i)), text, 0o600)
	}
	for b.Loop() {
		if l, err := List(dir, 50); err != nil || len(l) != 50 {
			b.Fatal(len(l), err)
		}
	}
}

func TestHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("20 MB")
	}
	path := filepath.Join(t.TempDir(), "20260101T000000Z-s.jsonl")
	huge := strings.Repeat("x", 20<<20)
	for what, line := range map[string]string{
		"text": `{"type":"message","id":"b","role":"user","content":[{"type":"text","text":"` +
			huge + `"}]}`,
		"garbage": huge, "nested": strings.Repeat("[", 1<<20),
	} {
		write(t, path, fuzzHead+
			`{"type":"message","id":"a","role":"user","content":[{"type":"text","text":"hi"}]}`+
			"\n"+line+"\n", time.Now())
		s, err := Open(path)
		if err != nil {
			t.Fatal(what, err)
		}
		if n, want := len(s.Messages("", 0)), map[bool]int{true: 2,
			false: 1}[what == "text"]; n != want {
			t.Errorf("%s: got %d messages, want %d", what, n, want)
		}
		s.Close()
		if list, err := List(filepath.Dir(path), 0); err != nil || len(list) != 1 ||
			list[0].ID != "s" {
			t.Errorf("%s: list: got %+v %v", what, list, err)
		}
	}
}
