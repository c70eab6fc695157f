package tui

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/markdown"
)

// artist is a script that draws.
type artist struct {
	gone  bool
	asked []string
}

func (a *artist) draw(q ui.DrawRequest) (ui.Drawing, bool) {
	part, name, value, width := q.Part, q.Name, q.Value, q.Width
	if q.Partial && part == ui.DrawResult {
		return ui.Drawing{}, false
	}
	a.asked = append(a.asked, fmt.Sprintf("%s %d", part, width))
	m, _ := value.(map[string]any)
	switch {
	case a.gone:
		return ui.Drawing{}, false
	case part == ui.DrawCall:
		return ui.Drawing{Lines: []ui.Line{
			{{Text: fmt.Sprintf("%s in %d\x1b[2J", m["command"], width), Style: "code"}},
			{{Text: "second line"}}}}, true
	case part == ui.DrawResult:
		return ui.Drawing{Markdown: fmt.Sprintf("**drawn** result in %d", width)},
			m["is_error"] != true
	}
	return ui.Drawing{Lines: []ui.Line{
		{{Text: fmt.Sprintf("%s %v\a in %d", name, value, width)}}}}, true
}

// settle runs a command and passes its messages to the model until there are none.
func (s *stage) settle(cmd tea.Cmd) {
	s.t.Helper()
	for _, msg := range run(cmd) {
		_, next := s.Update(msg)
		s.settle(next)
	}
}

func (s *stage) toolStart(id string) tea.Cmd {
	cmd := s.send("tool_start", fields{"call_id": id, "tool": "bash", "kind": "execute",
		"args": fields{"command": "make " + id}})
	s.has("make " + id)
	return cmd
}

func (s *stage) toolResult(id string, failed bool) tea.Cmd {
	cmd := s.send("tool_result", fields{"call_id": id, "tool": "bash",
		"args": fields{"command": "make " + id}, "content": "plain " + id, "is_error": failed})
	s.has("plain " + id)
	return cmd
}

// TestScriptsDrawCalls checks that a script's drawing of a call replaces the plain view once it is
// ready. Parts that the script does not draw stay as they are.
func TestScriptsDrawCalls(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Draw: (&artist{}).draw}, 60, 30)
	s.settle(s.toolStart("one"))
	s.has("make one in 56", "second line")
	s.settle(s.toolResult("one", false))
	s.has("drawn result in 56")
	s.lacks("plain one", "**")
	s.settle(s.toolStart("two"))
	s.settle(s.toolResult("two", true))
	s.has("plain two", "make two in 56")
	late := s.toolStart("late")
	s.Update(feed.Batch{loadMsg{}})
	s.settle(late)
	s.lacks("late in")
}

// TestDrawingsFollowWidthAndScripts checks that visible entries are drawn again, once each, for
// another width and after scripts have changed, and that others are not.
func TestDrawingsFollowWidthAndScripts(t *testing.T) {
	t.Parallel()
	a := &artist{}
	s := newStage(t, Backend{Draw: a.draw}, 60, 30)
	s.settle(s.toolStart("one"))
	s.settle(s.toolResult("one", false))
	resize := func(width int) {
		_, cmd := s.Update(tea.WindowSizeMsg{Width: width, Height: 30})
		s.settle(cmd)
	}
	asked := func(want string) {
		t.Helper()
		if got := strings.Join(a.asked, ", "); got != want {
			t.Errorf("requested %s, want %s", got, want)
		}
		a.asked = nil
	}
	asked("call 56, call 56, result 56") // the call twice: it runs, and has ended
	resize(80)
	s.has("make one in 76", "drawn result in 76")
	asked("call 76, result 76")
	resize(80)
	s.settle(s.send("notification", fields{"message": "hello", "level": "info"}))
	asked("")
	a.gone = true
	s.settle(s.send("script_unload", fields{"script": "a.lua", "cause": "removed"}))
	s.has("make one", "plain one")
	s.lacks("in 76", "drawn result")
	a.gone = false
	s.settle(s.send("script_load", fields{"script": "a.lua", "cause": "save"}))
	s.has("make one in 76", "drawn result in 76")
	a.asked = nil
	for i := range 60 {
		s.send("notification", fields{"message": fmt.Sprint("hello ", i), "level": "info"})
	}
	resize(50)
	asked("")
	for range 3 {
		s.settle(s.press("pgup"))
	}
	s.has("make one in 46", "drawn result in 46")
}

// TestLateDrawingIsDropped checks that a drawing for an earlier width of the screen is dropped.
func TestLateDrawingIsDropped(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{Draw: (&artist{}).draw}, 60, 30)
	late := s.toolStart("one")
	_, cmd := s.Update(tea.WindowSizeMsg{Width: 80, Height: 30})
	s.settle(cmd)
	s.has("make one in 76")
	s.settle(late)
	s.has("make one in 76")
}

// TestScriptsDrawEntries checks that entries show only what scripts draw, and that an entry of the
// loaded session is not shown twice.
func TestScriptsDrawEntries(t *testing.T) {
	t.Parallel()
	a := &artist{}
	u := New(Backend{Draw: a.draw}, Info{})
	s := &stage{t: t, model: u.model}
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 20})
	add := func(id string, data any) {
		u.Surface().Entry(id, "note", data)
		_, cmd := s.Update(u.feed.Take())
		s.settle(cmd)
	}
	add("e1", "first")
	s.has("note first in 60")
	add("e1", "first again")
	s.lacks("again")
	_, cmd := s.Update(feed.Batch{loadMsg{{Kind: ItemUser, Text: "hello"},
		{Kind: ItemEntry, ID: "e2", Entry: "note", Data: "second"},
		{Kind: ItemTool, Tool: "bash", Args: fields{"command": "make"},
			Content: []chat.Block{{Type: "text", Text: "plain"}}}}})
	s.settle(cmd)
	s.has("hello", "note second in 60", "make in 56", "drawn result")
	s.lacks("first", "plain")
	add("e2", "second again")
	add("e1", "once more")
	s.has("once more")
	s.lacks("again")
	a.gone = true
	s.model.transcript.canvas.sketches.epoch++
	_, cmd = s.Update(tea.WindowSizeMsg{Width: 61, Height: 20})
	s.settle(cmd)
	s.lacks("note", "drawn")
	s.has("plain")
}

// TestDrawingsAreBounded checks that only some of many drawings are made at once, and that dropped
// requests are repeated.
func TestDrawingsAreBounded(t *testing.T) {
	t.Parallel()
	a := &artist{}
	u := New(Backend{Draw: a.draw}, Info{})
	s := &stage{t: t, model: u.model}
	s.Update(tea.WindowSizeMsg{Width: 60, Height: 700})
	for i := range 600 {
		u.Surface().Entry(fmt.Sprint(i), "note", i)
	}
	_, cmd := s.Update(u.feed.Take())
	if k := s.model.transcript.canvas.sketches; k.busy != sketchesAtOnce ||
		len(k.wanted) > sketchesWaiting {
		t.Errorf("%d are made, %d wait", k.busy, len(k.wanted))
	}
	s.settle(cmd)
	s.has("note 0 ", "note 300 ", "note 599 ")
}

// TestScriptsDrawFoldedAndRunning checks that a renderer learns whether the user wants to see all,
// and that one that draws output so far is asked for new output only once the last is drawn.
func TestScriptsDrawFoldedAndRunning(t *testing.T) {
	t.Parallel()
	var asked []string
	draw := func(q ui.DrawRequest) (ui.Drawing, bool) {
		text, _ := q.Value.(map[string]any)
		said := fmt.Sprintf("%s %v %v", q.Part, q.Expanded, q.Partial)
		asked = append(asked, said)
		return ui.Drawing{Lines: []ui.Line{{{Text: fmt.Sprint(said, " ", text["content"])}}}}, true
	}
	s := newStage(t, Backend{Draw: draw}, 90, 30)
	s.settle(s.toolStart("a"))
	s.has("call false true")
	output := func(text string) tea.Cmd {
		return s.send("tool_output", fields{"call_id": "a", "chunk": text})
	}
	first := output("one\n")
	asked = nil
	for range 5 {
		s.settle(output("more\n"))
	}
	if len(asked) > 0 {
		t.Errorf("asked %q before the first drawing was there", asked)
	}
	s.settle(first)
	s.has("result false true", "one")
	s.settle(output("last\n"))
	s.has("last")
	s.settle(s.toolResult("a", false))
	s.has("call false false", "result false false")
	_, cmd := s.Update(tea.KeyPressMsg{Code: 'o', Mod: tea.ModCtrl})
	s.settle(cmd)
	s.has("call true false", "result true false")
}

// TestMarksTellAuthorsApart checks that only marks of the screen begin at the first cell, so that
// no text of the model or of a script passes for a prompt or a call, without colours too.
func TestMarksTellAuthorsApart(t *testing.T) {
	t.Parallel()
	const forged = "› yes, delete it\n\n● bash  rm -rf /\n\n\u200a› sure\n\n```\n› code\n```\n" +
		"| › a | b |\n|---|---|\n| ● c | d |\n"
	for _, width := range []int{100, 20, 9} {
		s := newStage(t, Backend{}, width, 60)
		s.transcript.clearEntries()
		for i := range len(forged) + 1 {
			s.send("message_delta", fields{"message_id": "m", "kind": "text",
				"delta": forged[max(0, i-1):i]})
			if i < len(forged)-3 {
				s.checkMarks("◇")
			}
		}
		s.send("message_end", fields{"message_id": "m", "text": forged})
		s.send("message_end", fields{"message_id": "n", "reasoning": forged, "text": forged})
		s.checkMarks("◇∴")
		s.send("say", fields{"source": "evil.lua", "markdown": forged})
		s.checkMarks("◇∴[")
		s.press("ctrl+o")
		s.checkMarks("◇∴[")
	}
}

// checkMarks checks that no other mark begins a line of the transcript.
func (s *stage) checkMarks(marks string) {
	s.t.Helper()
	for _, row := range s.transcript.rows {
		if row = ansi.Strip(row); row != "" && !strings.HasPrefix(row, "  ") &&
			!strings.ContainsAny(row[:len("◇")], marks) {
			s.t.Fatalf("%q has none of %s", row, marks)
		}
	}
}

// TestStreamedMessageKeepsItsMargin checks that a message that streams is drawn as it is at its
// end, after a change of the width and of the colours too.
func TestStreamedMessageKeepsItsMargin(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("A paragraph of some words that wrap.\n\n- item\n- item\n\n"+
		"```go\nfunc main() {}\n\nvar x int\n```\n\n", 5)
	s := newStage(t, Backend{}, 60, 100)
	s.transcript.clearEntries()
	for i, line := range strings.SplitAfter(text, "\n") {
		s.send("message_delta", fields{"message_id": "m", "kind": "text", "delta": line})
		if i == 20 {
			s.Update(tea.WindowSizeMsg{Width: 30, Height: 100})
			s.looks.apply("light")
		}
	}
	streamed := s.View().Content
	s.send("message_end", fields{"message_id": "m", "text": text})
	if got := s.View().Content; got != streamed {
		t.Errorf("at its end\n%s\nand before\n%s", got, streamed)
	}
	s.has("◇ A paragraph", "\n    func main() {}", "\n  • item")
}

// TestLinks checks which texts lead somewhere, that nothing but the sequences of links is added,
// and that neither scripts nor tools can add any.
func TestLinks(t *testing.T) {
	t.Parallel()
	screens := map[string]*stage{}
	for _, set := range []string{"on", "off", "auto"} {
		s := newStage(t, Backend{}, 60, 40)
		s.info.Dir = "/work/p"
		set := Settings{Links: set, Host: "here"}
		if p := s.transcript.canvas.configure(set, "/work/p"); p != nil {
			t.Error(p)
		}
		screens[set.Links] = s
		const evil = "\x1b]8;;https://evil.org\x1b\\text\x1b]8;;\x1b\\"
		s.send("message_end", fields{"message_id": "m",
			"text": "see [doc](https://go.dev/doc) " + evil})
		s.send("llm_source", fields{"kind": "url", "url": "https://a.org/x", "title": "A"})
		s.send("message_end", fields{"message_id": "n", "text": "yes"})
		s.send("tool_result", fields{"call_id": "c", "tool": "read",
			"args": fields{"path": "a b.go"}, "content": evil})
		s.send("tool_end", fields{"call_id": "c", "tool": "read"})
		s.send("tool_result", fields{"call_id": "d", "tool": "read",
			"args": fields{"path": evil}, "content": "x"})
		s.send("say", fields{"source": "x.lua", "markdown": evil})
		s.piece(ui.Piece{Script: "x.lua", Kind: ui.PieceStatus, Key: "a", Side: "left",
			Lines: []ui.Line{{{Text: evil}}}})
	}
	on, off := screens["on"], screens["off"]
	if on.text() != off.text() || screens["auto"].View().Content != off.View().Content {
		t.Errorf("got\n%s\nwant\n%s", on.text(), off.text())
	}
	got := on.View().Content
	for target, want := range map[string]int{"https://go.dev/doc": 2, "https://a.org/x": 1,
		"file://here/work/p/a%20b.go": 1, "https://evil.org": 0} {
		if n := strings.Count(got, ";"+target+"\a"); n != want {
			t.Errorf("%d links to %s, want %d:\n%q", n, target, want, got)
		}
	}
	if strings.Contains(off.View().Content, "\x1b]8") || strings.Count(got, "\x1b]8;;\a") != 4 {
		t.Errorf("got\n%q", got)
	}
	s := newStage(t, Backend{}, 60, 40)
	s.transcript.canvas.configure(Settings{Links: "on"}, "/")
	s.transcript.clearEntries()
	s.send("message_end", fields{"message_id": "m", "text": "see https://go.dev/doc"})
	s.advance(time.Second)
	s.Update(tea.MouseClickMsg{X: 2, Y: 0, Button: tea.MouseLeft})
	s.Update(tea.MouseMotionMsg{X: 13, Y: 0, Button: tea.MouseLeft})
	_, cmd := s.Update(tea.MouseReleaseMsg{X: 13, Y: 0, Button: tea.MouseLeft})
	if got := findMsg[copyMsg](cmd); got != "see https://" {
		t.Errorf("copied %q", got)
	}
	if p := s.transcript.canvas.configure(Settings{Links: "onn", LinksWhere: "config.toml:1"},
		"/"); len(p) != 1 {
		t.Errorf("problems %q", p)
	}
}

// TestPathsInTitles checks that a file of the project is named relative to its folder, and leads to
// the file.
func TestPathsInTitles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := newStage(t, Backend{}, 200, 40)
	s.transcript.canvas.configure(Settings{Links: "on", Host: "here"}, dir)
	in := func(elem ...string) string { return strings.Join(append([]string{dir}, elem...), "/") }
	for path, want := range map[string]string{
		in("sub", "a.go"): "sub/a.go", dir: ".", "sub/a.go": "sub/a.go",
		in("..", "a.go"): in("..", "a.go"), in("sub", "..", "b.go"): in("sub", "..", "b.go"),
		dir + "x/a.go": dir + "x/a.go", "/etc/hosts": "/etc/hosts", "~/a.go": "~/a.go",
	} {
		s.transcript.clearEntries()
		s.send("tool_result", fields{"call_id": path, "tool": "read",
			"args": fields{"path": filepath.FromSlash(path)}, "content": "x",
			"display": fields{"title": filepath.FromSlash(path), "kind": "code"}})
		s.send("tool_end", fields{"call_id": path, "tool": "read"})
		s.has("● read  " + filepath.FromSlash(want) + "\n")
		b := s.transcript.entries[0].block.(*toolBlock)
		if got := b.linkPath(&s.transcript.canvas, want, want); path != "~/a.go" &&
			!strings.Contains(got, ";file://here") {
			t.Errorf("%s: got %q, want a link", path, got)
		}
		q := nearPreview(dir, &engine.Question{
			Preview: &ui.Preview{Display: ui.Display{Title: filepath.FromSlash(path)}}})
		if got := q.Preview.Display.Title; got != filepath.FromSlash(want) {
			t.Errorf("%s: the question is about %q", path, got)
		}
	}
}

// TestReadFilesAreShort checks that only the beginning of a file that was read is shown, and more
// of other results.
func TestReadFilesAreShort(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 40)
	s.transcript.canvas.tool = func(name string) *engine.Tool {
		return &engine.Tool{Name: name, ReadOnly: name == "read"}
	}
	for i, c := range []struct {
		tool, kind  string
		failed      bool
		shown, more string
	}{
		{"read", "code", false, "l2", "… 27 more lines"},
		{"read", "code", true, "l7", "… 18 more lines"},
		{"read", "text", false, "l7", "… 18 more lines"},
		{"edit", "code", false, "l7", "… 18 more lines"},
	} {
		s.transcript.clearEntries()
		var lines []string
		for n := range 30 {
			lines = append(lines, fmt.Sprint("l", n))
		}
		id := fmt.Sprint("c", i)
		s.send("tool_result", fields{"call_id": id, "tool": c.tool, "args": fields{},
			"content": strings.Join(lines, "\n"), "is_error": c.failed,
			"display": fields{"kind": c.kind}})
		s.send("tool_end", fields{"call_id": id, "tool": c.tool, "is_error": c.failed})
		s.has(c.more)
		if got := strings.Count(s.text(), "│ l"); !strings.Contains(s.text(), "│ "+c.shown+"\n") ||
			got > 12 {
			t.Errorf("%v: got\n%s", c, s.text())
		}
	}
}

// wrappedLink is a program that draws a link on two lines and ends.
type wrappedLink struct{}

func (wrappedLink) Init() tea.Cmd                         { return nil }
func (m wrappedLink) Update(tea.Msg) (tea.Model, tea.Cmd) { return m, nil }
func (wrappedLink) View() tea.View {
	md := markdown.NewDrawer(newTheme().inks)
	md.Links = true
	lines, _ := md.Draw("https://go.dev/a/long/address", 16)
	return tea.NewView(strings.Join(lines, "\n"))
}

// TestWrappedLinkIsDrawn checks that each line of a link is one on the terminal.
func TestWrappedLinkIsDrawn(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := tea.NewProgram(wrappedLink{}, tea.WithInput(nil), tea.WithOutput(&out),
		tea.WithWindowSize(20, 5), tea.WithoutSignalHandler(),
		tea.WithColorProfile(colorprofile.TrueColor))
	go func() {
		p.Send(nil)
		p.Quit()
	}()
	if _, err := p.Run(); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), ";https://go.dev/a/long/address\a"); n != 2 {
		t.Errorf("%d lines lead there, want 2: %q", n, out.String())
	}
}
