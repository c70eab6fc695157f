package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/feed"
)

// words returns n short words, all different.
func words(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("w%03d", i)
	}
	return list
}

// part matches a note about the visible part of a text.
var part = regexp.MustCompile(`(\d+)-(\d+)(?: of |/)(\d+)`)

// reader simulates a user on a small screen: it pages until the question takes yes.
type reader struct {
	*stage
	width, height int
	seen          map[string]bool
}

// look checks and records the screen.
func (r *reader) look(choice string) {
	r.t.Helper()
	if len(r.screen) > r.height {
		r.t.Fatalf("%dx%d: %d lines", r.width, r.height, len(r.screen))
	}
	for _, l := range r.screen {
		if cells.Width(l) > r.width {
			r.t.Fatalf("%dx%d: %q has %d cells", r.width, r.height, l, cells.Width(l))
		}
	}
	text := r.text()
	if m := part.FindStringSubmatch(text); m != nil {
		from, _ := strconv.Atoi(m[1])
		to, _ := strconv.Atoi(m[2])
		if all, _ := strconv.Atoi(m[3]); from < 1 || to < from || to > all {
			r.t.Fatalf("%dx%d: %s", r.width, r.height, m[0])
		}
	}
	if !strings.Contains(text, choice) {
		r.t.Fatalf("%dx%d: no choice:\n%s", r.width, r.height, text)
	}
	for w := range r.seen {
		if strings.Contains(text, w) {
			delete(r.seen, w)
		}
	}
}

// readTo pages until key is accepted. It must not be accepted before all was visible, and must be
// eventually.
func (r *reader) readTo(d *dialog, choice, key string, all []string) {
	r.t.Helper()
	r.seen = map[string]bool{}
	for _, w := range all {
		r.seen[w] = true
	}
	for range 3 * len(all) {
		if r.look(choice); len(d.answer) > 0 {
			r.t.Fatalf("%dx%d: answered by paging", r.width, r.height)
		}
		r.press(key)
		if len(d.answer) > 0 {
			if len(r.seen) > 0 {
				r.t.Fatalf("%dx%d: accepted, but %d of %d words were not on the screen", r.width,
					r.height, len(r.seen), len(all))
			}
			return
		}
		r.look(choice)
		r.press("pgdown")
	}
	r.t.Fatalf("%dx%d: never accepted; not seen: %d\n%s", r.width, r.height, len(r.seen), r.text())
}

// eachSize runs f with screen sizes, in steps. The second round, with a masked screen, runs a
// seventh of them, because masking does not depend on the size.
func eachSize(t *testing.T, step int, f func(r *reader)) {
	s := newStage(t, Backend{}, 80, 24)
	n := 0
	for width := 10; width <= 120; width += step {
		for height := 3; height <= 45; height += step {
			if step == 1 && skipsSize(width, height) {
				continue
			}
			if n++; rounds.Masks(t) && n%7 != 0 {
				continue
			}
			s.Update(tea.WindowSizeMsg{Width: width, Height: height})
			f(&reader{stage: s, width: width, height: height})
		}
	}
}

// skipsSize reports whether a size is skipped if step is 1. It skips no small sizes, at which parts
// of the screen are left out, and keeps a diagonal pattern of the others, which has each width and
// each height.
func skipsSize(width, height int) bool {
	return (width > 40 || height > 12) && (width+height)%9 != 0
}

// show opens a dialog and waits until it takes keys.
func (r *reader) show(d *dialog) {
	r.Update(feed.Batch{d})
	if len(r.screen) > r.height {
		r.t.Fatalf("%dx%d: %d lines while it waits", r.width, r.height, len(r.screen))
	}
	r.advance(seenFor)
	r.Update(armMsg{})
}

// TestNothingIsApprovedUnseen checks that nothing can be approved that has not been visible, on any
// screen.
func TestNothingIsApprovedUnseen(t *testing.T) {
	t.Parallel()
	all := words(30)
	q := aQuestion()
	q.Asks, q.Always = q.Asks[:1], "bash(wrule *)"
	q.Call.Args = fields{"command": strings.Join(all[:20], " ") + "\n" + strings.Join(all[20:],
		"\n")}
	eachSize(t, 1, func(r *reader) {
		d := newApproval(q)
		r.show(d)
		r.readTo(d, "Allo", "y", append(all, "Delete"))
	})
}

// TestNothingIsApprovedUnseenOfOthers checks the same for all other kinds of questions, and for the
// editor of arguments.
func TestNothingIsApprovedUnseenOfOthers(t *testing.T) {
	t.Parallel()
	all := words(60)
	lines := strings.Join(all, "\n")
	for name, open := range map[string]func() (d *dialog, choice string, keys []string){
		"diff": func() (*dialog, string, []string) {
			q := aQuestion()
			q.Asks = q.Asks[:1]
			q.Preview = &ui.Preview{Note: "replaces a file",
				Display: ui.Display{Title: "a.txt", Kind: "diff",
					Text: "@@ -0,0 +1,60 @@\n+" + strings.Join(all, "\n+")}}
			return newApproval(q), "Allo", []string{"y"}
		},
		"session": func() (*dialog, string, []string) {
			q := aQuestion()
			q.Asks, q.Call.Args = q.Asks[:1], fields{"command": lines}
			return newApproval(q), "Allo", []string{"right", "enter"}
		},
		"always": func() (*dialog, string, []string) {
			q := aQuestion()
			q.Asks, q.Call.Args, q.Always = q.Asks[:1], fields{"command": "x"},
				"bash("+strings.Join(all, " ")+")"
			return newApproval(q), "", []string{"right", "right", "enter"}
		},
		"confirm": func() (*dialog, string, []string) {
			return newConfirm(&ui.Dialog{Script: "x.lua", Title: "Really?", Detail: lines,
				Yes: "Deploy", Default: true}), "Depl", []string{"y"}
		},
		"select": func() (*dialog, string, []string) {
			return newDialog(selecting(&ui.Dialog{Title: "Which?", Detail: lines,
					Choices: []ui.Choice{{Value: "pick me"}, {Value: "no"}}}, false)), "pick",
				[]string{"enter"}
		},
		"arguments": func() (*dialog, string, []string) {
			q := aQuestion()
			q.Call.Args = fields{}
			for _, w := range all {
				q.Call.Args[w] = 1.0
			}
			d := newApproval(q)
			d.form.(*question).editing = true
			return d, "", []string{"ctrl+s"}
		},
		"command": func() (*dialog, string, []string) {
			q := aQuestion()
			q.Call.Args = fields{"command": lines}
			d := newApproval(q)
			d.form.(*question).editing = true
			d.form.(*question).edit.Area.MoveTo(0)
			return d, "", []string{"ctrl+s"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachSize(t, 11, func(r *reader) {
				d, choice, keys := open()
				r.show(d)
				for _, k := range keys[:len(keys)-1] {
					r.press(k)
				}
				r.readTo(d, choice, keys[len(keys)-1], all)
			})
		})
	}
}

// TestFormsFitAnyScreen checks that the input line of a form is visible.
func TestFormsFitAnyScreen(t *testing.T) {
	t.Parallel()
	detail := strings.Join(words(40), "\n")
	eachSize(t, 3, func(r *reader) {
		for _, d := range []*dialog{newDialog(newLiner("x.lua asks: name", detail, "here")),
			newDialog(newTexter("x.lua asks: edit", detail, "here"))} {
			r.show(d)
			r.look("here")
			r.press("esc")
		}
	})
}

// TestEditedArgumentsMustBeSeen checks that pasted text beyond the screen is not approved unseen.
func TestEditedArgumentsMustBeSeen(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 60, 20)
	q := aQuestion()
	q.Call.Args = fields{"command": "make"}
	d := s.ask(q)
	s.press("e")
	s.Update(tea.PasteMsg{Content: "\n" + strings.Repeat("true\n", 50) + "rm -rf /\n" +
		strings.Repeat("true\n", 50)})
	s.press("ctrl+s")
	if len(d.answer) > 0 {
		t.Fatal("allowed unseen")
	}
	s.has("not all of it has been on the screen")
	for i := 0; len(d.answer) == 0; i++ {
		if i > 50 {
			t.Fatalf("never allowed:\n%s", s.text())
		}
		s.press("pgdown", "ctrl+s")
	}
	if a := (<-d.answer).(engine.Answer); !strings.Contains(a.Args["command"].(string), "rm -rf") {
		t.Errorf("got %+v", a)
	}
}

// TestLargerScreenShowsTheRest checks that enlarging the screen counts like paging.
func TestLargerScreenShowsTheRest(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 40, 10)
	q := aQuestion()
	q.Asks, q.Call.Args = q.Asks[:1], fields{"command": strings.Join(words(30), "\n")}
	d := s.ask(q)
	if s.press("y"); len(d.answer) > 0 {
		t.Fatal("allowed unseen")
	}
	s.has("page down")
	s.Update(tea.WindowSizeMsg{Width: 100, Height: 60})
	s.has("w000", "w029")
	if s.press("y"); len(d.answer) == 0 {
		t.Error("not allowed, though all of it is visible")
	}
}

// TestStatusGivesWay checks in which order the parts of the status line go on narrower screens, and
// that it always says how to stop.
func TestStatusGivesWay(t *testing.T) {
	t.Parallel()
	s := newStage(t, Backend{}, 200, 20)
	s.env = &event.Envelope{Model: "acme/large", Permission: event.PermissionPlan,
		Window: func() fields { return fields{"percent": 42.4} },
		Cost:   func() float64 { return 1.234 }}
	s.send("agent_start", fields{"prompt": "x"})
	s.Update(stateMsg{9, State{Session: "the release", Thinking: "high", Tokens: 1500,
		Broken: []string{"guard.lua", "other.lua"}, Failed: []string{"guard.lua", "new.lua"},
		Unfenced: true, Review: 2, Waiting: []Waiting{{Text: "next", Kind: kindSteer}}}})
	var gone []string
	parts := []string{"BROKEN guard.lua, other.lua", "2 scripts wait", "✗ new.lua", "working 0s",
		"esc interrupts", "1 queued", "no sandbox", "plan", "acme/large", "thinks high", "large",
		"window 42%", "1.5k tokens", "$1.23", "the release"}
	for width := 200; width > 0; width-- {
		s.Update(tea.WindowSizeMsg{Width: width, Height: 20})
		screen := strings.Split(s.text(), "\n")
		status := screen[len(screen)-1]
		parts = slices.DeleteFunc(parts, func(p string) bool {
			if strings.Contains(status, p) {
				return false
			}
			gone = append(gone, p)
			return true
		})
		if width >= 30 && !strings.Contains(status, "esc ") {
			t.Errorf("%d columns: %s", width, status)
		}
		if width >= 30 && strings.Contains(status, "…") {
			t.Errorf("%d columns: cut: %s", width, status)
		}
	}
	want := "the release, 1.5k tokens, $1.23, window 42%, thinks high, acme/large, large, plan, " +
		"1 queued, no sandbox, 2 scripts wait, ✗ new.lua, working 0s, esc interrupts, " +
		"BROKEN guard.lua, other.lua"
	if got := strings.Join(gone, ", "); got != want {
		t.Errorf("the parts go in the order\n%s, want\n%s", got, want)
	}
}

// TestToastsCoverNothing checks that toasts are visible, and that no line that is read is covered.
func TestToastsCoverNothing(t *testing.T) {
	t.Parallel()
	states := map[string]func(s *stage){
		"editor": func(*stage) {},
		"scrolled": func(s *stage) {
			s.press("pgup")
		},
		"selected": func(s *stage) {
			s.press("shift+up")
		},
		"question": func(s *stage) {
			s.ask(aQuestion())
		},
		"panel": playScripts,
		"shell": func(s *stage) {
			s.typeText("!ls")
		},
	}
	for name, begin := range states {
		for _, size := range [][2]int{{100, 30}, {60, 16}, {44, 7}} {
			s := newStage(t, Backend{}, size[0], size[1])
			line := strings.Repeat("x", size[0]-len("◇")+1)
			s.send("message_end", fields{"message_id": "m",
				"text": strings.Repeat(line+"\n\n", 50)})
			begin(s)
			s.model.toasts.addToast("warn", "the build is red")
			s.Update(nil)
			if name != "question" || size[1] > dialogTight { // which has the screen to itself
				s.has("the build is red")
			}
			n := 0
			for _, row := range s.screen {
				if row = strings.TrimLeft(ansi.Strip(row), " ◇"); strings.HasPrefix(row, "xx") {
					n++
					if row != line {
						t.Errorf("%s %v: a line is %q", name, size, row)
					}
				}
			}
			if name != "question" && name != "panel" && n == 0 || len(s.screen) > size[1] {
				t.Errorf("%s %v: %d lines of the message:\n%s", name, size, n, s.text())
			}
		}
	}
}

// TestQuestionGetsRoomFromTheTranscript checks that a question is not scrolled while lines of the
// transcript take the room that it needs.
func TestQuestionGetsRoomFromTheTranscript(t *testing.T) {
	t.Parallel()
	scrolled := 0
	for n := range 30 {
		s := newStage(t, Backend{}, 80, 24)
		for range 10 {
			s.send("message_end", fields{"message_id": "m", "text": "text"})
		}
		q := aQuestion()
		q.Asks = q.Asks[:1]
		q.Call.Args = fields{"command": strings.Join(words(n+1), "\n")}
		s.ask(q)
		if strings.Contains(s.text(), "page down") {
			scrolled++
			continue
		}
		if scrolled > 0 {
			t.Errorf("%d lines fit, and fewer do not:\n%s", n+1, s.text())
		}
		s.has(words(n + 1)...)
	}
	if scrolled != 18 { // the last one that fits leaves one line to the transcript
		t.Errorf("%d of 30 questions had to be scrolled", scrolled)
	}
}
