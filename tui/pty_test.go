//go:build unix

// This file runs the screen in a process of its own on a terminal, for effects that only a terminal
// shows.

package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/scriptfile"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/standard"
	"github.com/agentscripts/agent/js"
	"github.com/agentscripts/agent/lua"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/lineprint"
	"github.com/agentscripts/agent/tui/internal/palette"
)

const (
	// childVariable makes the test program run the screen instead of tests.
	childVariable = "TUI_TEST_CHILD"
	// masksVariable makes it mask what the screen shows.
	masksVariable = "TUI_TEST_MASKS"
	// linesVariable makes it print lines.
	linesVariable = "TUI_TEST_LINES"
	// inlineVariable makes it use the inline layout.
	inlineVariable = "TUI_TEST_INLINE"
	// keysVariable makes it offer its keys to a script in that language, "lua" or "js".
	keysVariable = "TUI_TEST_KEYS"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		child()
		return
	}
	os.Exit(rounds.Main(m).Run())
}

// child shows a screen that takes its prompts as commands of the test.
func child() {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	var u *UI
	options := engine.Options{Events: spec.Events(), Emit: func(ev *event.Event) { u.Emit(ev) }}
	if os.Getenv(masksVariable) != "" {
		options.Secrets = []string{aSecret}
	}
	eng, err := engine.New(options)
	if err != nil {
		panic(err)
	}
	emit := func(name string, f fields) { eng.Emitter.Emit(eng.Events.Named(name, nil, f)) }
	notify := func(text string) {
		emit("notification", fields{"level": "info", "message": text, "source": "agent"})
	}
	takers, takeKey := scriptWithKeys(os.Getenv(keysVariable))
	u = New(Backend{
		KeyTakers: takers, TakeKey: takeKey,
		Send: func(text, kind string) error {
			defer u.End(text, false)
			switch text {
			case "cancel":
				cancel()
			case "panic in send":
				panic("on purpose")
			case "panic in update":
				u.feed.Push(&feed.Delta{})
			case "ask":
				go func() {
					a, err := u.Approve(ctx, aQuestion())
					notify(fmt.Sprintf("answer %v %v", a.Allow, err))
				}()
			case "tokens": // 200 a second
				emit("agent_start", fields{"prompt": text})
				go func() {
					for range time.Tick(5 * time.Millisecond) {
						emit("message_delta", fields{"message_id": "m", "kind": "text",
							"delta": "token "})
					}
				}()
			case "stream":
				for range 50 {
					emit("message_delta", fields{"message_id": "m", "kind": "text",
						"delta": "word "})
				}
				emit("message_end", fields{"message_id": "m", "text": "the end of the **message**"})
			}
			return nil
		},
		Interrupt: func() []string { notify("interrupt came"); return nil },
		Resized:   func(width, height int) { notify(fmt.Sprintf("now %d by %d", width, height)) },
		Reload:    func() { panic("on purpose") },
	}, Info{Version: "test", Model: "none"})
	if os.Getenv(inlineVariable) != "" {
		u.Configure(Settings{Layout: "inline"})
		emit("session_start", fields{"cause": "startup"})
	}
	if os.Getenv(linesVariable) != "" {
		breaks := make(chan os.Signal, 1)
		signal.Reset(os.Interrupt)
		signal.Notify(breaks, os.Interrupt)
		emit("session_start", fields{"cause": "startup"})
		err = u.RunLines(ctx, os.Stdin, os.Stdout, breaks)
	} else {
		err = u.Run(ctx, os.Stdin, os.Stdout)
	}
	fmt.Printf("\r\nended: %v\r\n", err)
}

// scriptWithKeys returns the functions of a backend with a script that hears the editor's keys, and
// takes none; nil without a language.
func scriptWithKeys(language string) (takers func() []string, take func(name, text string) bool) {
	src, ok := map[string]string{"lua": `ext.keys(function(name) return name == "f9" end)`,
		"js": `ext.keys((name) => name === "f9");`}[language]
	if !ok {
		return nil, nil
	}
	eng, _, err := standard.New(standard.Options{Engine: engine.Options{
		Runtimes: []engine.Runtime{lua.New(), js.New()}}})
	if err != nil {
		panic(err)
	}
	g, err := eng.Scripts.Load(context.Background(), &scriptfile.Script{Name: "k." + language,
		Bytes: []byte(src), Header: scriptfile.Header{Grants: scriptfile.Grants{"keys"}}})
	if err != nil {
		panic(err)
	}
	eng.Scripts.Swap([]*engine.Generation{g}, nil)
	return eng.Scripts.Snapshot().KeyTakers, func(name, text string) bool {
		return eng.Commands.TakeKey(context.Background(), &event.Envelope{}, name, text)
	}
}

// console is a child on a terminal.
type console struct {
	t      testing.TB
	keys   *os.File // written bytes are typed keys
	tty    *os.File
	before *term.State
	cmd    *exec.Cmd
	exited chan error
	inline bool

	mu   sync.Mutex
	out  bytes.Buffer
	came chan time.Time // times of output that waitFor has not handled
}

func startTerminal(t testing.TB, environ ...string) *console {
	t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	x := &console{t: t, keys: keys, tty: tty, inline: slices.Contains(environ, inlineVariable+"=1"),
		exited: make(chan error, 1),
		came:   make(chan time.Time, 1)}
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	if x.before, err = term.GetState(tty.Fd()); err != nil {
		t.Fatal(err)
	}
	x.cmd = exec.Command(os.Args[0])
	x.cmd.Env = append(os.Environ(), childVariable+"=1", "TERM=xterm-256color",
		"COLORTERM=", "NO_COLOR=", "TMUX=")
	if rounds.Masks(t) {
		x.cmd.Env = append(x.cmd.Env, masksVariable+"=1")
	}
	x.cmd.Env = append(x.cmd.Env, environ...)
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = tty, tty, tty
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { x.exited <- x.cmd.Wait() }()
	go x.read()
	t.Cleanup(func() {
		x.cmd.Process.Kill()
		keys.Close()
		tty.Close()
	})
	x.waitFor("/help shows keys")
	return x
}

func (x *console) read() {
	b := make([]byte, 4096)
	for {
		n, err := x.keys.Read(b)
		select {
		case x.came <- time.Now():
		default:
		}
		x.mu.Lock()
		x.out.Write(b[:n])
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (x *console) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

// waitFor polls until the output, from its beginning, holds text.
func (x *console) waitFor(text string) {
	x.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if strings.Contains(x.output(), text) {
			return
		}
	}
	x.t.Fatalf("no %q in the output: %q", text, x.output())
}

func (x *console) typeKeys(keys string) {
	x.t.Helper()
	if _, err := x.keys.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// waitExit waits for the child's end.
func (x *console) waitExit() {
	x.t.Helper()
	select {
	case err := <-x.exited: // Wait has set ProcessState
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			x.t.Fatal(err)
		}
	case <-time.After(patience):
		x.t.Fatalf("the child did not end: %q", x.output())
	}
}

// checkRestored checks that every mode was switched off after it was switched on.
func (x *console) checkRestored() {
	x.t.Helper()
	out := x.output()
	for _, mode := range []struct{ name, on, off string }{
		{"alternate screen", "\x1b[?1049h", "\x1b[?1049l"},
		{"bracketed paste", "\x1b[?2004h", "\x1b[?2004l"},
		{"mouse buttons", "\x1b[?1002h", "\x1b[?1002l"},
		{"mouse encoding", "\x1b[?1006h", "\x1b[?1006l"},
		{"hidden cursor", "\x1b[?25l", "\x1b[?25h"},
	} {
		if x.inline && slices.Contains([]string{"alternate screen", "mouse buttons",
			"mouse encoding"}, mode.name) {
			continue
		}
		on, off := strings.LastIndex(out, mode.on), strings.LastIndex(out, mode.off)
		if on < 0 && mode.name != "hidden cursor" { // only some frames hide it
			x.t.Errorf("%s was never switched on: the test is blind", mode.name)
		}
		if off < on {
			x.t.Errorf("%s is left on", mode.name)
		}
	}
	if push, pop := strings.Count(out, "\x1b[>1u")+strings.Count(out, "\x1b[=1;1u"),
		strings.Count(out, "\x1b[<1u")+strings.Count(out, "\x1b[<u"); push > pop {
		x.t.Errorf("the keyboard protocol was switched on %d times and off %d times", push, pop)
	}
	after, err := term.GetState(x.tty.Fd())
	if err != nil {
		x.t.Fatal(err)
	}
	if !reflect.DeepEqual(x.before, after) {
		x.t.Errorf("the terminal's state is %+v, was %+v", after, x.before)
	}
}

func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end  func(x *console)
		want string
	}{
		"/quit":        {func(x *console) { x.typeKeys("/quit\r") }, "ended: <nil>"},
		"ctrl+d":       {func(x *console) { x.typeKeys("\x04") }, "ended: <nil>"},
		"ctrl+c twice": {func(x *console) { x.typeKeys("\x03\x03") }, "ended: <nil>"},
		"context": {func(x *console) { x.typeKeys("cancel\r") },
			"ended: context canceled"},
		"SIGTERM": {func(x *console) { x.cmd.Process.Signal(syscall.SIGTERM) },
			"ended: context canceled"},
		"SIGINT": {func(x *console) { x.cmd.Process.Signal(syscall.SIGINT) },
			"ended: context canceled"},
		"panic in Update": {func(x *console) { x.typeKeys("panic in update\r") },
			"ended: run screen: program was killed"},
		"panic in Send": {func(x *console) { x.typeKeys("panic in send\r") },
			"ended: run screen: program was killed"},
		"panic in a tea.Cmd": {func(x *console) { x.typeKeys("/reload\r") },
			"ended: run screen: program was killed"},
	} {
		for in, layout := range layouts {
			t.Run(name+" "+in, func(t *testing.T) {
				x := startTerminal(t, layout)
				test.end(x)
				x.waitFor(test.want)
				x.waitExit()
				x.checkRestored()
			})
		}
	}
}

func TestOnATerminal(t *testing.T) {
	t.Parallel()
	x := startTerminal(t)
	x.typeKeys("\x1b")
	x.waitFor("interrupt came")
	x.typeKeys("stream\r")
	x.waitFor("the end of the")
	x.typeKeys("ask\r")
	x.waitFor("Delete files?")
	x.waitFor("› Reject") // the question takes keys
	x.typeKeys("y")
	x.waitFor("answer true")
	if err := pty.Setsize(x.keys, &pty.Winsize{Rows: 20, Cols: 50}); err != nil {
		t.Fatal(err)
	}
	x.waitFor("now 50 by 20")
	x.typeKeys("\x04")
	x.waitFor("ended: <nil>")
	x.waitExit()
	x.checkRestored()
}

// TestInlineOnATerminal checks that nothing clears the terminal in the inline layout, nor its
// scrollback, and that the whole screen is not taken.
func TestInlineOnATerminal(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, inlineVariable+"=1")
	x.typeKeys("stream\r")
	x.waitFor("the end of the")
	x.typeKeys("ask\r")
	x.waitFor("› Reject")
	x.typeKeys("y")
	x.waitFor("answer true")
	for i, size := range []pty.Winsize{{Rows: 20, Cols: 50}, {Rows: 12, Cols: 90},
		{Rows: 30, Cols: 100}} {
		if err := pty.Setsize(x.keys, &size); err != nil {
			t.Fatal(err)
		}
		x.waitFor(fmt.Sprintf("now %d by %d", size.Cols, size.Rows))
		x.typeKeys(fmt.Sprintf("draft%d", i))
		x.waitFor(fmt.Sprintf("draft%d", i))
	}
	x.typeKeys("\x0c") // ctrl+l
	x.typeKeys("\x15\x04")
	x.waitFor("ended: <nil>")
	x.waitExit()
	x.checkRestored()
	for _, clear := range []string{"\x1b[2J", "\x1b[3J", "\x1bc", "\x1b[H", "\x1b[?1049h"} {
		if strings.Contains(x.output(), clear) {
			t.Errorf("%q was written: %q", clear, x.output())
		}
	}
}

// TestLongPasteOnATerminal checks that a paste that exceeds the editor is refused with a message
// that stays in the transcript, and that the keys after it are handled.
func TestLongPasteOnATerminal(t *testing.T) {
	t.Parallel()
	x := startTerminal(t)
	x.typeKeys("\x1b[200~" + strings.Repeat("a line of a long paste\r", editorLimit/22) +
		"\x1b[201~")
	x.waitFor("which holds 1024 KB: the 1070 KB are not pasted")
	x.typeKeys("ask\r")
	x.waitFor("Delete files?")
	x.typeKeys("\x04")
	x.waitFor("ended: <nil>")
	x.waitExit()
}

// TestIdleScreenSleeps waits for a second in which no thread of the program wakes up.
func TestIdleScreenSleeps(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("no /proc here")
	}
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := startTerminal(t, layout)
			for end := time.Now().Add(patience); time.Now().Before(end); {
				before := x.wakeUps()
				time.Sleep(time.Second)
				if x.wakeUps() == before {
					return
				}
			}
			t.Error("the screen keeps waking up while nothing happens")
		})
	}
}

// wakeUps counts how often the child's threads have gone to sleep, which is once for each time they
// woke up.
func (x *console) wakeUps() string {
	x.t.Helper()
	dir := fmt.Sprintf("/proc/%d/task", x.cmd.Process.Pid)
	tasks, err := os.ReadDir(dir)
	if err != nil {
		x.t.Fatal(err)
	}
	var counts strings.Builder
	for _, task := range tasks {
		b, _ := os.ReadFile(filepath.Join(dir, task.Name(), "status"))
		if _, after, ok := strings.Cut(string(b), "\nvoluntary_ctxt_switches:"); ok {
			counts.WriteString(task.Name() + plain.FirstLine(after) + "\n")
		}
	}
	return counts.String()
}

// BenchmarkPlainPaste pastes 32 KB into a terminal without bracketed paste: each character is a
// key. The Esc after them is handled after the last of them, and its effect is drawn in one piece.
// The last words of the paste may be drawn letter by letter.
func BenchmarkPlainPaste(b *testing.B) {
	const size = 32 << 10
	for b.Loop() {
		x := startTerminal(b)
		start := time.Now()
		x.typeKeys(strings.Repeat("lorem ipsum dolor sit amet ", size/27) + "\x1b")
		x.waitFor("interrupt came")
		b.ReportMetric(float64(time.Since(start).Milliseconds()), "paste-ms")
		x.typeKeys("\x03\x03")
		x.waitExit()
	}
}

// BenchmarkKeyToBytes types a letter into an idle screen, in both layouts, and inline with a
// script that hears the keys, in each language. The metric is the median time until output reaches
// the console.
func BenchmarkKeyToBytes(b *testing.B) {
	const pause = 50 * time.Millisecond // of a fast typist
	inline := layouts["inline"]
	for name, way := range map[string][]string{"fullscreen": nil, "inline": {inline},
		"lua": {inline, keysVariable + "=lua"}, "js": {inline, keysVariable + "=js"}} {
		b.Run(name, func(b *testing.B) {
			x := startTerminal(b, way...)
			x.waitFor("Ask")
			var took []time.Duration
			for b.Loop() {
				time.Sleep(pause)
				select {
				case <-x.came:
				default:
				}
				start := time.Now()
				x.typeKeys("x")
				took = append(took, (<-x.came).Sub(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			x.typeKeys("\x03\x03")
			x.waitExit()
		})
	}
}

// layouts are the environments of the two layouts.
var layouts = map[string]string{"fullscreen": "", "inline": inlineVariable + "=1"}

// BenchmarkStreamingOnTerminal streams 200 tokens per second to a terminal. The metric is the share
// of a core that the whole program takes, including its start.
func BenchmarkStreamingOnTerminal(b *testing.B) {
	const stretch = 3 * time.Second
	for name, layout := range layouts {
		b.Run(name, func(b *testing.B) {
			var used time.Duration
			for b.Loop() {
				x := startTerminal(b, layout)
				x.typeKeys("tokens\r")
				x.waitFor("token")
				time.Sleep(stretch)
				x.typeKeys("\x03\x03")
				x.waitExit()
				used += x.cmd.ProcessState.UserTime() + x.cmd.ProcessState.SystemTime()
			}
			b.ReportMetric(100*used.Seconds()/stretch.Seconds()/float64(b.N), "%core")
		})
	}
}

// TestGroundIsAsked checks that the terminal is asked for its background, that the answer sets the
// theme, and that none of its bytes is treated as typed.
func TestGroundIsAsked(t *testing.T) {
	t.Parallel()
	x := startTerminal(t)
	x.waitFor("\x1b]11;?")
	x.typeKeys("can")
	x.typeKeys("\x1b]11;rgb:ffff/ffff/ffff\x1b\\")
	light := colorprofile.ANSI256.Convert(palette.Named("light").Color(palette.User))
	x.waitFor(fmt.Sprintf("38;5;%d;1m", light))
	x.typeKeys("cel\r")
	x.waitFor("ended: context canceled") // the text was cancel, and nothing else
	x.waitExit()
	if strings.Contains(x.output(), "ffff") {
		t.Errorf("the answer is on the screen: %q", x.output())
	}
	x.checkRestored()
}

// TestLinesOnTerminal checks that nothing controls a terminal that only prints.
func TestLinesOnTerminal(t *testing.T) {
	t.Parallel()
	x := startTerminal(t, linesVariable+"=1", "TERM=dumb")
	x.waitFor("> ")
	x.typeKeys("ask\n")
	x.waitFor("r and the reason")
	time.Sleep(lineprint.AnswerAfter) // a line that comes at once is no answer
	x.typeKeys("y\n")
	x.waitFor("answer true")
	x.typeKeys("stream\n")
	x.waitFor("the end of the **message**")
	x.typeKeys("\x03")
	x.waitFor("nothing runs")
	x.typeKeys("\x04")
	x.waitFor("ended: <nil>")
	x.waitExit()
	if out := x.output(); strings.ContainsAny(out, "\x1b│─●") {
		t.Errorf("the output has what a screen is made of: %q", out)
	}
}
