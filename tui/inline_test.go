package tui

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/graphics"
	"github.com/agentscripts/agent/tui/internal/inline"
	"github.com/agentscripts/agent/tui/terminal"
)

// scrollback is a terminal that keeps what is printed, and the live lines of the last frame.
type scrollback struct {
	printed []string
	frame   terminal.Frame
	frozen  bool
	images  [][2]string
}

func (b *scrollback) Show(f terminal.Frame) {
	b.printed = append(b.printed, f.Above...)
	b.frame = f
}
func (b *scrollback) SetProfile(colorprofile.Profile) {}
func (b *scrollback) SetFrozen(frozen bool)           { b.frozen = frozen }
func (b *scrollback) KeepImage(mark, sequence string) {
	b.images = append(b.images, [2]string{mark, sequence})
}

// text returns everything without colours, with a line before the live lines.
func (b *scrollback) text() string {
	lines := slices.Concat(b.printed, []string{"~~~ printed above, live below ~~~"},
		b.frame.Lines)
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// newInline returns a screen in the inline layout.
func newInline(t testing.TB, b Backend, width, height int) (*stage, *scrollback) {
	s, paper := newStage(t, b, width, height), &scrollback{}
	s.inlineOn(paper)
	return s, paper
}

// checkPrinted compares what was printed, without colours, indents and empty lines, with lines.
func (b *scrollback) checkPrinted(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, l := range b.printed {
		if l = strings.TrimSpace(ansi.Strip(l)); l != "" {
			got = append(got, l)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("printed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const greetLine = "· agent 1.0 · ~/project · /help shows keys and commands"

// wholeScenes take the whole screen.
var wholeScenes = map[string]bool{"search": true, "agents": true, "failed-panel": true}

// TestInlineScreens compares what is printed and drawn with golden files.
func TestInlineScreens(t *testing.T) {
	t.Parallel()
	for name, play := range allScenes() {
		for _, width := range []int{40, 80, 140} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				s, paper := newInline(t, Backend{}, width, 36)
				play(s)
				if whole := s.View().AltScreen; whole != wholeScenes[name] {
					t.Errorf("it takes the whole screen: %v", whole)
				} else if whole { // it looks as in the other layout
					return
				}
				for _, l := range slices.Concat(paper.printed, paper.frame.Lines) {
					if w := ansi.StringWidth(l); w > width {
						t.Errorf("a line is %d cells wide, the screen %d: %q", w, width, l)
					}
				}
				s.goldenText(fmt.Sprintf("inline-%s-%d", name, width), paper.text())
			})
		}
	}
}

// TestInlineOrder checks that entries are printed once, in their order, and only when they are
// finished and all before them are.
func TestInlineOrder(t *testing.T) {
	t.Parallel()
	s, paper := newInline(t, Backend{}, 80, 30)
	s.input("prompt", "go")
	s.send("agent_start", fields{"prompt": "go"})
	paper.checkPrinted(t, greetLine, "› go")
	s.tool("tool_start", "c1", "sleep 1", nil)
	s.tool("tool_start", "c2", "ls", nil)
	s.tool("tool_result", "c2", "ls", fields{"content": []any{}})
	s.tool("tool_end", "c2", "ls", fields{"duration_ms": 1.0, "is_error": false})
	paper.checkPrinted(t, greetLine, "› go")
	if got := paper.text(); strings.Count(got, "● bash  ls") != 1 ||
		strings.Count(got, "sleep 1  running") != 1 {
		t.Errorf("the live lines are\n%s", got)
	}
	s.tool("tool_end", "c1", "sleep 1", fields{"duration_ms": 1.0, "is_error": false})
	if got := paper.text(); !strings.Contains(got, "ls\n~~~") {
		t.Errorf("both calls have ended:\n%s", got)
	}
	before := s.transcript.entries[1].drawnEpoch
	s.transcript.redraw()
	s.typeText("x")
	if s.transcript.entries[1].drawnEpoch != before {
		t.Error("an entry that is printed is drawn again")
	}
	paper.printed = nil
	for range 3 {
		s.send("notification", fields{"level": "warn", "message": "red", "source": "ci.lua"})
	}
	paper.checkPrinted(t) // the next one may be the same
	s.send("message_delta", fields{"message_id": "m1", "kind": "text", "delta": "one\n\ntwo"})
	paper.checkPrinted(t, "! [ci.lua] red (3 times)")
	s.send("message_end", fields{"message_id": "m1", "text": "one\n\ntwo"})
	paper.checkPrinted(t, "! [ci.lua] red (3 times)", "◇ one", "two")
	s.send("agent_end", fields{"status": "completed"})
	s.Update(tea.WindowSizeMsg{Width: 40, Height: 20})
	s.Update(stillMsg(1))
	paper.checkPrinted(t, "! [ci.lua] red (3 times)", "◇ one", "two")
	if paper.frame.Width != 40 {
		t.Error("the live lines are not drawn for the new size")
	}
}

// TestInlineOvertaken checks that a shell line of the user that goes on does not hold back the
// conversation, and is printed again when it has ended.
func TestInlineOvertaken(t *testing.T) {
	t.Parallel()
	s, paper := newInline(t, Backend{}, 80, 30)
	s.send("user_shell", fields{"command": "serve", "in_context": false})
	s.userTool("tool_start", "u1", "serve")
	s.input("prompt", "go")
	s.send("agent_start", fields{"prompt": "go"})
	paper.checkPrinted(t, greetLine)
	s.send("message_end", fields{"message_id": "m1", "text": "the answer"})
	const running = "● bash  serve  not in context  running"
	paper.checkPrinted(t, greetLine, running, "› go", "◇ the answer")
	s.tool("tool_end", "u1", "serve", fields{"duration_ms": 9000.0, "is_error": false})
	paper.checkPrinted(t, greetLine, running, "› go", "◇ the answer",
		"● bash  serve  not in context  9.0 s")
}

// TestInlineDrawings checks that an entry is printed as a script draws it, and waits for that.
func TestInlineDrawings(t *testing.T) {
	t.Parallel()
	s, paper := newInline(t, Backend{Draw: func(q ui.DrawRequest) (ui.Drawing, bool) {
		return ui.Drawing{Lines: []ui.Line{{{Text: fmt.Sprint("drawn in ", q.Width)}}}}, true
	}}, 80, 30)
	_, cmd := s.Update(feed.Batch{entryMsg{"e1", newEntryBlock("note", "x")}})
	s.send("say", fields{"source": "a.lua", "markdown": "behind it"})
	paper.checkPrinted(t, greetLine)
	for _, msg := range run(cmd) {
		s.Update(msg)
	}
	paper.checkPrinted(t, greetLine, "drawn in 80", "[a.lua]", "behind it")
}

// TestInlineImages checks that an image is printed when the terminal has it.
func TestInlineImages(t *testing.T) {
	t.Parallel()
	s, paper := newInline(t, Backend{}, 80, 30)
	s.transcript.canvas.sketches.images.Paints = true
	var pixels bytes.Buffer
	if err := png.Encode(&pixels, image.NewGray(image.Rect(0, 0, 64, 64))); err != nil {
		t.Fatal(err)
	}
	cmd := s.send("tool_result", fields{"call_id": "c1", "tool": "plot",
		"content": []any{fields{"type": "image", "mime_type": "image/png",
			"data": base64.StdEncoding.EncodeToString(pixels.Bytes())}}})
	s.send("tool_end", fields{"call_id": "c1", "duration_ms": 1.0})
	paper.checkPrinted(t, greetLine)
	for _, msg := range run(cmd) {
		if answer, ok := msg.(imageMsg); ok {
			s.Update(answer)
			paper.checkPrinted(t, greetLine)
			s.Update(imageSentMsg(answer))
		}
	}
	got := strings.Join(paper.printed, "\n")
	if !strings.Contains(got, "[image png 64x64") || !strings.ContainsRune(got, graphics.Mark) {
		t.Errorf("printed %s", got)
	}
}

// TestInlineTail checks that an answer that streams takes few lines, however long it is.
func TestInlineTail(t *testing.T) {
	t.Parallel()
	for _, height := range []int{5, 12, 40} {
		s, paper := newInline(t, Backend{}, 60, height)
		s.input("prompt", "go")
		s.send("agent_start", fields{"prompt": "go"})
		s.send("message_delta", fields{"message_id": "m1", "kind": "text",
			"delta": strings.Repeat("line\n\n", 100)})
		n := len(paper.frame.Lines)
		if n > height || n > max(liveLeast, height/liveShare)+6 {
			t.Errorf("%d live lines on a terminal of %d", n, height)
		}
		if len(paper.printed) > 5 {
			t.Errorf("printed before it has ended: %q", paper.printed)
		}
		s.send("message_end", fields{"message_id": "m1", "text": strings.Repeat("line\n\n", 100)})
		if n := strings.Count(strings.Join(paper.printed, "\n"), "line"); n != 100 {
			t.Errorf("printed %d lines of 100", n)
		}
	}
}

// TestInlineSession checks that of a long session the last entries are printed, and how many are
// not is said, and that what follows is printed.
func TestInlineSession(t *testing.T) {
	t.Parallel()
	s, paper := newInline(t, Backend{}, 80, 30)
	var items loadMsg
	for i := range 100 {
		items = append(items, Item{Kind: ItemUser, Text: fmt.Sprint("prompt ", i)})
	}
	s.Update(feed.Batch{items})
	got := strings.Join(paper.printed, "\n")
	if strings.Count(got, "prompt ") != inline.RecentShown || !strings.Contains(got, "prompt 99") ||
		!strings.Contains(got, "… 81 earlier entries are not printed; ctrl+o shows all") {
		t.Errorf("printed\n%s", got)
	}
	paper.printed = nil
	s.input("prompt", "another")
	paper.checkPrinted(t, "› another")

	s, paper = newStage(t, Backend{}, 80, 30), &scrollback{}
	for i := range 2 * inline.RecentShown {
		s.send("say", fields{"source": "a.lua", "markdown": fmt.Sprint("remark ", i)})
	}
	s.inlineOn(paper)
	if got := strings.Join(paper.printed, "\n"); strings.Count(got,
		"remark") != 2*inline.RecentShown {
		t.Errorf("of the remarks at the start it printed\n%s", got)
	}
	s.inline.toggle()
	for i := range 2 * inline.RecentShown {
		s.send("say", fields{"source": "a.lua", "markdown": fmt.Sprint("on the screen ", i)})
	}
	paper.printed = nil
	s.inline.toggle()
	s.typeText("x")
	if got := strings.Join(paper.printed, "\n"); strings.Count(got, "on the screen") !=
		inline.RecentShown || !strings.Contains(got, "20 earlier entries are not printed") {
		t.Errorf("of what was on the whole screen it printed\n%s", got)
	}
}

// TestInlineWholeScreen checks what takes the whole screen, and that the live lines return
// afterwards, with what was finished meanwhile printed once.
func TestInlineWholeScreen(t *testing.T) {
	t.Parallel()
	b := Backend{Scripts: func() ([]Script, string) { return nil, "" }}
	for name, open := range map[string]func(s *stage){
		"ctrl+o": func(s *stage) { s.press("ctrl+o") },
		"pgup":   func(s *stage) { s.press("pgup") },
		"search": func(s *stage) { s.press("ctrl+f") },
		"select": func(s *stage) { s.press("shift+up") },
		"prompt": func(s *stage) { s.press("alt+up") },
		"panel": func(s *stage) {
			s.typeText("/scripts")
			for _, msg := range run(s.press("enter")) {
				s.Update(msg)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, paper := newInline(t, b, 80, 20)
			s.input("prompt", "first\n"+strings.Repeat("line\n", 60)+"last")
			s.send("agent_start", fields{"prompt": "first"})
			before := len(paper.printed)
			open(s)
			if !s.View().AltScreen || len(paper.printed) != before {
				t.Fatalf("the screen is\n%s", s.text())
			}
			s.send("message_end", fields{"message_id": "m1", "text": "the answer"})
			if name != "panel" {
				s.has("the answer")
			}
			if len(paper.printed) != before {
				t.Error("printed while the whole screen is taken")
			}
			s.advance(time.Second) // a panel takes keys after a pause
			s.press("esc")
			if s.View().AltScreen || s.View().Content != "" {
				t.Fatalf("esc leads to\n%s", s.text())
			}
			got := strings.Join(paper.printed[before:], "\n")
			if n := strings.Count(got, "the answer"); n != 1 {
				t.Errorf("the answer is printed %d times", n)
			}
			if got = strings.Join(paper.printed, "\n"); strings.Count(got, "line") > folded+1 {
				t.Errorf("printed unfolded:\n%s", got)
			}
		})
	}
}

// TestInlineKeys checks the keys of the whole transcript.
func TestInlineKeys(t *testing.T) {
	t.Parallel()
	s, _ := newInline(t, Backend{}, 80, 20)
	s.input("prompt", strings.Repeat("line\n", 60)+"last")
	whole := func(want bool, after string) {
		t.Helper()
		if got := s.View().AltScreen; got != want {
			t.Errorf("%s: whole screen %v, want %v", after, got, want)
		}
	}
	s.press("pgdown", "ctrl+end")
	whole(false, "pgdown")
	s.press("ctrl+o")
	whole(true, "ctrl+o")
	s.has("esc goes back", "last")
	s.press("ctrl+o")
	whole(false, "ctrl+o again")
	s.press("pgup", "pgup")
	whole(true, "pgup")
	s.typeText("x")
	whole(false, "a letter")
	if s.editor.value() != "x" {
		t.Errorf("the editor has %q", s.editor.value())
	}
	s.press("ctrl+c")
	s.typeText("/fullscreen")
	s.press("enter")
	whole(true, "/fullscreen")
	s.press("esc")
	whole(true, "esc")
	s.typeText("/fullscreen")
	s.press("enter")
	whole(false, "/fullscreen again")
}

// TestInlineRest checks that entries which are not finished are printed when the screen ends.
func TestInlineRest(t *testing.T) {
	t.Parallel()
	s, _ := newInline(t, Backend{}, 80, 20)
	s.input("prompt", "go")
	s.send("agent_start", fields{"prompt": "go"})
	s.send("message_delta", fields{"message_id": "m1", "kind": "text", "delta": "half an ans"})
	s.press("ctrl+o")
	if got := ansi.Strip(strings.Join(s.inline.rest(), "\n")); !strings.Contains(got,
		"half an ans") || len(s.inline.rest()) > 0 {
		t.Errorf("the rest is %q", got)
	}
	s.inline.on = false
	s.send("notification", fields{"level": "warn", "message": "red", "source": "ci.lua"})
	if got := s.inline.rest(); len(got) > 0 {
		t.Errorf("printed after the whole screen: %q", got)
	}
}

// TestInlineResizes checks that nothing is drawn while the size changes.
func TestInlineResizes(t *testing.T) {
	t.Parallel()
	s, paper := newInline(t, Backend{}, 80, 20)
	for i, width := range []int{70, 60, 50} {
		paper.frame = terminal.Frame{}
		s.Update(tea.WindowSizeMsg{Width: width, Height: 20})
		s.press("x")
		s.Update(stillMsg(i))
		if paper.frame.Width != 0 {
			t.Errorf("drawn %d wide", paper.frame.Width)
		}
	}
	s.clock = s.clock.Add(time.Second)
	if s.Update(stillMsg(3)); paper.frame.Width != 50 {
		t.Error("not drawn for the last size")
	}
}

// TestInlineTerminals checks which terminals are known not to wrap their lines again.
func TestInlineTerminals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		terminal, version string
		frozen            bool
	}{
		{"xterm-256color ", "", false},
		{"xterm-256color ", "XTerm(390)", true},
		{"xterm-256color WezTerm", "WezTerm 2025", false},
		{"screen-256color tmux", "tmux 3.4", false},
		{"screen.xterm-256color ", "", true},
		{"st-256color ", "", true},
	} {
		s, paper := newInline(t, Backend{}, 80, 20)
		s.inline.shared = &shared{info: Info{Terminal: test.terminal}}
		s.inline.handleMsg(tea.ColorProfileMsg{})
		s.inline.handleMsg(tea.TerminalVersionMsg{Name: test.version})
		if paper.frozen != test.frozen {
			t.Errorf("%+v: frozen %v", test, paper.frozen)
		}
	}
}

// TestLayoutSetting checks which layout the setting chooses.
func TestLayoutSetting(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		layout, terminal string
		inline           bool
		problem          string
	}{
		{"", "xterm-256color ", true, ""},
		{"inline", "linux ", true, ""},
		{"fullscreen", "xterm ", false, ""},
		{"auto", "xterm ", true, ""},
		{"auto", "linux ", false, ""},
		{"side", "xterm ", true,
			`config.toml:2: tui.layout: got "side", want inline, fullscreen or auto`},
	} {
		u := New(Backend{}, Info{Terminal: test.terminal})
		problems := u.Configure(Settings{Layout: test.layout, LayoutWhere: "config.toml:2"})
		if got := strings.Join(problems, "\n"); got != test.problem ||
			u.model.inline.on != test.inline {
			t.Errorf("%q on %q: inline %v, %s", test.layout, test.terminal, u.model.inline.on, got)
		}
	}
}
