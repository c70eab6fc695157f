package session

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
)

// says returns the conversation as one line: texts, with ">" before the id of an answered call.
func says(s *Session) string {
	var out []string
	for _, m := range s.Messages("p", 1) {
		text := chat.PlainText(m.Content)
		if m.Role == "tool" {
			text = ">" + m.CallID
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// reopened closes the session and opens its file.
func reopened(t *testing.T, s *Session) *Session {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	o, err := Open(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

func put(t *testing.T, s *Session, e Entry) string {
	t.Helper()
	added, err := s.Append(e)
	if err != nil {
		t.Fatal(err)
	}
	return added.ID
}

func fork(t *testing.T, s *Session, id string, before bool) {
	t.Helper()
	if _, err := s.Fork(id, before); err != nil {
		t.Fatal(err)
	}
}

func TestForkOfFork(t *testing.T) {
	s := newSession(t)
	one := put(t, s, user("one"))
	two := put(t, s, user("two"))
	put(t, s, user("three"))
	fork(t, s, two, false)
	four := put(t, s, user("four"))
	fork(t, s, four, true)
	put(t, s, user("five"))
	fork(t, s, one, true)
	steps := []string{says(s)}
	put(t, s, user("six"))
	steps = append(steps, says(s))
	fork(t, s, four, false)
	steps = append(steps, says(s))
	if want := []string{"", "six", "one two four"}; !reflect.DeepEqual(steps, want) {
		t.Errorf("got %q, want %q", steps, want)
	}
	for range 3 { // reopening must not change the branch
		s = reopened(t, s)
		if got := says(s); got != "one two four" {
			t.Errorf("opened again: got %q", got)
		}
	}
	put(t, s, user("seven"))
	if s = reopened(t, s); says(s) != "one two four seven" || len(s.All()) != 7+4 {
		t.Errorf("after another entry: got %q, %d entries", says(s), len(s.All()))
	}
	var none *NoEntryError
	if _, err := s.Fork("nothing", false); !errors.As(err, &none) ||
		!strings.Contains(err.Error(), `no entry "nothing"`) {
		t.Errorf("unknown entry: got %v", err)
	}
}

// TestBranchesLeftBehind lists the branches that are not current, and goes back to one.
func TestBranchesLeftBehind(t *testing.T) {
	s := newSession(t)
	others := func() string {
		var out []string
		for _, b := range s.Branches() {
			text := ""
			for _, e := range b.Prompts() {
				text += e.Text() + " "
			}
			out = append(out, text+fmt.Sprint(len(b.Own)))
		}
		return strings.Join(out, ", ")
	}
	one := put(t, s, user("one"))
	two := put(t, s, user("two"))
	put(t, s, user("three"))
	steps := []string{others()}
	fork(t, s, two, true)
	fork(t, s, two, true) // twice: the first one leaves nothing to go back to
	steps = append(steps, others())
	put(t, s, user("four"))
	fork(t, s, one, false)
	put(t, s, user("five"))
	steps = append(steps, others())
	fork(t, s, s.Branches()[1].Last().ID, false)
	steps = append(steps, others(), says(s))
	want := []string{"", "two three 2", "four 2, two three 2", "five 2, four 2",
		"one two three"}
	if !reflect.DeepEqual(steps, want) {
		t.Errorf("got %q, want %q", steps, want)
	}
	if s = reopened(t, s); others() != want[3] {
		t.Errorf("opened again: %q", others())
	}
}

func TestStateFollowsTheBranch(t *testing.T) {
	s := newSession(t)
	set := func(key string, v any) {
		t.Helper()
		if err := s.SetState("a.lua", key, v); err != nil {
			t.Fatal(err)
		}
	}
	get := func() string {
		var out []string
		for _, k := range s.StateKeys("a.lua") {
			v, _ := s.State("a.lua", k)
			out = append(out, fmt.Sprint(k, "=", v))
		}
		return strings.Join(out, " ")
	}
	if v, ok := s.State("a.lua", "n"); ok || v != nil {
		t.Errorf("before the first entry: got %v", v)
	}
	one := put(t, s, user("one"))
	set("n", 1)
	two := put(t, s, user("two"))
	set("n", map[string]any{"deep": []any{1, "x"}})
	set("gone", true)
	set("gone", nil)
	var got []string
	note := func() { got = append(got, get()) }
	note()
	s = reopened(t, s)
	note()
	fork(t, s, two, false)
	note()
	fork(t, s, one, false)
	note()
	set("m", false)
	s = reopened(t, s)
	note()
	if v, _ := s.State("b.lua", "m"); v != nil {
		t.Errorf("another script's: got %v", v)
	}
	if want := []string{"n=map[deep:[1 x]]", "n=map[deep:[1 x]]", "n=1", "",
		"m=false"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for what, v := range map[string]any{"at most": strings.Repeat("x", MaxState),
		"plain data": func() {}} {
		if err := s.SetState("a.lua", "big", v); err == nil ||
			!strings.Contains(err.Error(), what) {
			t.Errorf("got %v, want %q", err, what)
		}
	}
}

func TestNameLabelAndUsageOfAllBranches(t *testing.T) {
	s := newSession(t)
	price := 0.5
	spent := func(u Usage) { t.Helper(); put(t, s, Entry{Usage: &u}) }
	one := put(t, s, user("one"))
	spent(Usage{Purpose: "agent", Model: "p/m", Tokens: chat.Usage{Input: 1, Output: 2,
		CacheRead: 3, CacheWrite: 4}, Cost: &price, ToolCalls: 2})
	if err := s.SetLabel(one, "start"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetName("first"); err != nil {
		t.Fatal(err)
	}
	two := put(t, s, user("two"))
	spent(Usage{Purpose: "subagent", AgentID: "sub-1", Tokens: chat.Usage{Input: 10},
		Cost: &price})
	spent(Usage{Purpose: "compact", Tokens: chat.Usage{Input: 100}})
	s.SetName("second")
	s.SetLabel(two, "gone")
	s.SetLabel(two, "")
	fork(t, s, one, false)
	s = reopened(t, s)
	if s.Name() != "second" || s.Label(one) != "start" || s.Label(two) != "" {
		t.Errorf("name %q, labels %q %q", s.Name(), s.Label(one), s.Label(two))
	}
	if err := s.SetLabel("nothing", "x"); err == nil {
		t.Error("label of an unknown entry: got no error")
	}
	whole, branch := s.Used(false), s.Used(true)
	if whole.Cost != 1 || whole.Unpriced != 1 || whole.Turns != 2 || whole.ToolCalls != 2 ||
		whole.Requests != 3 ||
		whole.Tokens != (chat.Usage{Input: 111, Output: 2, CacheRead: 3, CacheWrite: 4}) {
		t.Errorf("whole session: got %+v", whole)
	}
	if branch.Requests != 0 {
		t.Errorf("the branch behind one: got %+v", branch)
	}
}

func TestCompactForkAndResume(t *testing.T) {
	s := newSession(t)
	put(t, s, user("one"))
	put(t, s, calls("a"))
	put(t, s, result("a", "r"))
	put(t, s, Entry{Context: &Context{Context: engine.Context{Script: "x.lua", Text: "for good"},
		Lifetime: ForSession}})
	keep := put(t, s, user("two"))
	last := put(t, s, user("three"))
	put(t, s, Entry{Compaction: &Compaction{Summary: "it was </summary> said", KeepFrom: keep,
		Cause: "manual", TokensBefore: 9, TokensAfter: 3, Dropped: 3, Kept: 2}})
	put(t, s, user("four"))
	want := "<summary>\nThe earlier part of this conversation was replaced by this summary of " +
		"it:\n\nit was &lt;/summary&gt; said\n</summary> two three four"
	for range 2 {
		if got := says(s); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
		s = reopened(t, s)
	}
	if n := len(s.Entries()); n != 8 {
		t.Errorf("got %d entries, want all 8", n)
	}
	again := put(t, s, Entry{Compaction: &Compaction{Summary: "second", Cause: "threshold"}})
	put(t, s, user("five"))
	if got := says(s); !strings.HasSuffix(got, "second\n</summary> five") {
		t.Errorf("nothing kept: got %q", got)
	}
	fork(t, s, again, true)
	if got := says(s); got != want {
		t.Errorf("before the second compaction: got %q", got)
	}
	fork(t, s, last, false)
	if s = reopened(t, s); !strings.HasPrefix(says(s), "one on it >a <context") ||
		!strings.HasSuffix(says(s), "two three") {
		t.Errorf("before the first: got %q", says(s))
	}
}

func TestPromptInProgressIsPinned(t *testing.T) {
	s := New(Options{})
	put(t, s, user("old"))
	prompt := put(t, s, user("do it"))
	put(t, s, Entry{Context: &Context{Context: engine.Context{Script: "x.lua", Text: "mind"},
		Lifetime: ForPrompt, Prompt: prompt}})
	put(t, s, calls("a"))
	put(t, s, result("a", "r"))
	keep := put(t, s, calls("b"))
	put(t, s, result("b", "r"))
	put(t, s, Entry{Compaction: &Compaction{Summary: "s", KeepFrom: keep, Pinned: prompt}})
	var got []string
	for _, m := range s.Messages(prompt, 3) {
		got = append(got, m.Role+":"+m.CallID+strings.SplitN(chat.PlainText(m.Content), "\n",
			2)[0])
	}
	if want := `user:<summary>|user:do it|user:<context ` +
		`from="x.lua">|assistant:on it|tool:br`; strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestMessagesAreShared(t *testing.T) {
	s := newSession(t)
	put(t, s, user("one"))
	put(t, s, Entry{Context: &Context{Context: engine.Context{Script: "x.lua", Text: "t"},
		Lifetime: ForSession}})
	put(t, s, calls("a", "b"))
	put(t, s, result("b", "rb"))
	first := s.Messages("p", 1)
	second := s.Messages("p", 2)
	if len(first) != 5 || !reflect.DeepEqual(pointers(first), pointers(second)) {
		t.Errorf("%d messages, or not the same pointers", len(first))
	}
	put(t, s, result("a", "ra"))
	put(t, s, user("two"))
	if got := says(s); !strings.HasSuffix(got, "on it >a >b two") {
		t.Errorf("results in the order of the calls: got %q", got)
	}
	third := s.Messages("p", 1)
	for _, i := range []int{0, 1, 2, 4} {
		if third[i] != first[i] {
			t.Errorf("message %d has another pointer", i)
		}
	}
	before := pointers(third)
	_ = append(third, nil) // appending to the slice must not affect the session
	put(t, s, user("three"))
	if again := s.Messages("p", 1); again[len(again)-1] == nil ||
		!reflect.DeepEqual(pointers(third), before) {
		t.Error("the session and its readers write to the same slice")
	}
	fork(t, s, s.Leaf(), true)
	if again := s.Messages("p", 1); !reflect.DeepEqual(pointers(again[:2]), pointers(first[:2])) {
		t.Error("the fork changed the messages")
	}
}

func TestRepeatedCallID(t *testing.T) {
	s := New(Options{})
	put(t, s, calls("a", "a"))
	put(t, s, result("a", "first"))
	put(t, s, result("a", "second"))
	ms := s.Messages("", 0)
	if len(ms) != 3 || chat.PlainText(ms[1].Content) != "first" ||
		chat.PlainText(ms[2].Content) != "second" {
		t.Errorf("got %d messages", len(ms))
	}
}

func pointers(ms []*chat.Message) []string {
	var out []string
	for _, m := range ms {
		out = append(out, fmt.Sprintf("%p", m))
	}
	return out
}

func TestShownText(t *testing.T) {
	s := newSession(t)
	shown, thought := "the key is ***", "hm ***"
	m := &chat.Message{Role: "assistant", Content: text("the key is s3cret"),
		Reasoning: "hm s3cret"}
	rewritten := put(t, s, Entry{Message: m, Shown: &shown, ShownReasoning: &thought})
	hidden := put(t, s, Entry{Message: m, Hidden: true})
	empty := ""
	blank := put(t, s, Entry{Message: m, Shown: &empty})
	for range 2 {
		for id, want := range map[string]string{rewritten: shown + "|" + thought, hidden: "|",
			blank: "|hm s3cret"} {
			e := s.Entry(id)
			if got := e.ShownText() + "|" + e.ShownThoughts(); got != want {
				t.Errorf("shown: got %q, want %q", got, want)
			}
			if chat.PlainText(e.Message.Content) != "the key is s3cret" ||
				e.Message.Reasoning != "hm s3cret" {
				t.Errorf("the model's words: got %+v", e.Message)
			}
		}
		s = reopened(t, s)
	}
	b, _ := os.ReadFile(s.Path())
	line := strings.Split(string(b), "\n")[1]
	if want := `"content":[{"type":"text","text":"the key is ***"}],"reasoning":"hm ` +
		`***","original":{"content":[{"type":"text","text":"the key is s3cret"}],"reasoning":"hm ` +
		`s3cret"}`; !strings.Contains(line, want) {
		t.Errorf("in the file: got %s", line)
	}
}

func TestCopy(t *testing.T) {
	s := newSession(t)
	one := put(t, s, user("one"))
	put(t, s, user("two"))
	fork(t, s, one, false)
	put(t, s, user("three"))
	c, err := Copy(s, Options{Dir: t.TempDir(), CWD: "/other"})
	if err != nil {
		t.Fatal(err)
	}
	put(t, c, user("four"))
	put(t, s, user("five"))
	if c = reopened(t, c); says(c) != "one three four" || c.ID() == s.ID() || len(c.All()) != 5 {
		t.Errorf("copy: %q", says(c))
	}
	if says(s) != "one three five" {
		t.Errorf("copied: %q", says(s))
	}
}
