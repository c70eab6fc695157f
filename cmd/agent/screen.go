// This file runs the interactive program: the screen, and the agent that works on its input.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/agentscripts/agent/agent"
	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/cmd/agent/internal/cli"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/audit"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ledger"
	"github.com/agentscripts/agent/engine/load"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/service"
	"github.com/agentscripts/agent/engine/suggest"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui"
	"github.com/agentscripts/agent/tui/terminal"
)

func runScreen(f *flags, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	if !terminal.IsTerminal(stdin) || !terminal.IsTerminal(stdout) {
		why := "no terminal here: use agent -p \"...\" or --json"
		if near := cli.Near(f.words); near != "" {
			why += suggest.Meant("agent " + near)
		}
		return usageError(stderr, errors.New(why))
	}
	lines := f.plain || os.Getenv("TERM") == "dumb"
	ctx, ended := screenSignals(lines)
	defer ended.done(&code)
	s := &screen{done: make(chan struct{}), begun: make(chan struct{})}
	s.completer = sync.OnceValue(func() *cli.Completer { return cli.NewCompleter(s.app.at.names) })
	dir, _ := os.Getwd() // newApp reports the error
	ui := tui.New(s.backend(), tui.Info{Version: version(), Dir: dir,
		Terminal: os.Getenv("TERM") + " " + os.Getenv("TERM_PROGRAM")})
	s.ui = ui
	w := &watcher{}
	defer w.bye()
	how := front{mode: "tui", emit: s.emitEvent, wants: tui.Shown(), approver: ui, dialogs: ui,
		exit: ui.Quit, confirm: ui.Confirm}
	if !lines {
		how.surface, how.started = ui.Surface(), w.started
	}
	a, err := newApp(f, how)
	if err != nil {
		fmt.Fprintf(stderr, "agent: %s\n", shownError(err))
		return exitError
	}
	s.app = a
	configureScreen(a, ui, f.fullScreen)
	work, cancel := context.WithCancel(ctx)
	go s.work(work, f)
	if lines {
		err = runLines(ctx, ui, stdin, stdout)
	} else {
		w.start(stdin, stdout, a.crashLog())
		err = ui.Run(ctx, stdin, stdout)
	}
	cancel()
	s.waitIdle()
	s.pastes.removeUnsent()
	s.drafts.removeAll()
	cause := "exit"
	if ctx.Err() != nil {
		cause = "signal"
	}
	a.close(context.Background(), cause)
	if err != nil && ctx.Err() == nil { // the end by a signal is not an error
		fmt.Fprintf(stderr, "agent: %s\n", shownError(err))
		return exitError
	}
	if s.prompted.Load() {
		last := a.agent.Session()
		fmt.Fprint(stdout, lastLines(last.Path(), last.Used(false)))
	}
	return exitOK
}

// screenSignals returns a context that ends by the signals that end the screen: any of them
// restores the terminal. In lines, ctrl+c is a signal, and interrupts.
func screenSignals(lines bool) (context.Context, *signals) {
	if lines {
		return endOn(syscall.SIGQUIT)
	}
	return endOnSignals(syscall.SIGQUIT)
}

// runLines runs the screen on a terminal that only prints.
func runLines(ctx context.Context, u *tui.UI, in io.Reader, out io.Writer) error {
	breaks := make(chan os.Signal, 1)
	signal.Notify(breaks, os.Interrupt)
	defer signal.Stop(breaks)
	return u.RunLines(ctx, in, out, breaks)
}

// keptTheme is the file with the name of the theme that the user has chosen.
func keptTheme(home string) ledger.File[string] {
	return ledger.File[string]{Path: filepath.Join(home, "state", "theme.json"), Version: 1}
}

// keepTheme keeps the theme that the user has chosen. It replaces a file that cannot be read: it
// holds nothing else.
func keepTheme(home, name string) error {
	file := keptTheme(home)
	if _, err := file.Read(); err != nil {
		_ = os.Remove(file.Path) // if it fails, Update says why
	}
	return file.Update(func([]string) []string { return []string{name} })
}

// configureScreen hands the user's settings of the screen to it, and reports what is wrong with
// them.
func configureScreen(a *app, u *tui.UI, fullScreen bool) {
	themes, wrong := config.LoadThemes(a.home, a.program.Keeper)
	for _, w := range wrong {
		a.program.Warn(w.String())
	}
	set := a.program.Settings.TUI
	host, _ := os.Hostname() // links to files need no host
	s := tui.Settings{Theme: set.Theme, ThemeWhere: set.ThemeWhere, Ground: os.Getenv("COLORFGBG"),
		Links: set.Links, LinksWhere: set.LinksWhere, Images: set.Images,
		ImagesWhere: set.ImagesWhere, Editor: set.Editor, EditorWhere: set.EditorWhere, Host: host,
		Env: os.Getenv, Layout: set.Layout, LayoutWhere: set.LayoutWhere}
	if fullScreen {
		s.Layout = "fullscreen"
	}
	kept, err := keptTheme(a.home).Read()
	if err != nil {
		a.program.Warn("the theme that you chose is not used, because its file cannot be read; " +
			"/theme writes it again: " + plain.Error(err))
	}
	for _, name := range kept {
		s.Kept = name
	}
	for _, k := range a.program.Settings.Keys {
		s.Keys = append(s.Keys, tui.Binding(k))
	}
	for _, t := range themes {
		theme := tui.Theme{Name: t.Name, Where: t.Where, Base: t.Base}
		for _, c := range t.Colors {
			theme.Colors = append(theme.Colors, tui.ThemeColor(c))
		}
		s.Themes = append(s.Themes, theme)
	}
	for _, text := range u.Configure(s) {
		a.program.Warn(text)
	}
}

// lastLines says what a session cost, as far as prices are known, and how to continue it; path is
// that of its file, "" = it has none.
func lastLines(path string, used session.Total) string {
	cost := "Session cost: " + plain.Dollars(used.Cost)
	switch {
	case used.Unpriced > 0 && used.Cost > 0:
		cost += ", and requests whose price is unknown"
	case used.Unpriced > 0:
		cost = "Session cost: unknown"
	}
	if path == "" {
		return cost + "\n"
	}
	return cost + "\nTo continue: agent -c\n"
}

// screen connects the screen and the agent.
type screen struct {
	app  *app
	ui   *tui.UI
	done chan struct{} // closed when all work has ended
	// of the arguments of /ext; made when they are typed first
	completer func() *cli.Completer
	// closed when the scripts are loaded, and with them the redactors
	begun chan struct{}

	files   projectFiles
	pastes  pastes
	drafts  drafts
	keys    keys
	finding atomic.Bool // servers are being asked for their models
	// the user or the command line has sent a prompt
	prompted atomic.Bool

	mu    sync.Mutex
	forks map[string]string // the prompts that can be edited after /fork, by its argument
}

// shutdownWait is how long the program waits for a cancelled prompt before it exits.
const shutdownWait = 3 * time.Second

func (s *screen) backend() tui.Backend {
	return tui.Backend{
		Send: func(text, kind string) error {
			s.pastes.sent(text)
			return s.app.agent.Send(agent.Input{Text: text, Kind: kind, Source: "interactive"})
		},
		Interrupt: func() []string {
			s.keys.stopShortcuts()
			return typed(s.app.agent.Interrupt("hard"))
		},
		Draw: func(q ui.DrawRequest) (ui.Drawing, bool) {
			return s.app.engine.Screen.Draw(q)
		},
		Tool: func(name string) *engine.Tool {
			return s.app.engine.Scripts.Snapshot().Tool(name)
		},
		Shortcut:  s.shortcut,
		Shortcuts: s.shortcuts,
		TakeBack:  s.takeBack,
		Prompts:   s.earlierPrompts,
		Remember:  s.remember,
		KeepImage: s.keepImage,
		KeepPaste: s.keepPaste,
		Files:     s.files.list(s),
		State:     s.state,
		Reload:    func() { go s.app.agent.Reload(context.Background()) },
		Scripts: func() ([]tui.Script, string) {
			return s.scripts(), plain.Text(fenceLine(s.app.program.Sandbox))
		},
		Registered: s.registered,
		ScriptPast: s.scriptPast,
		EnableScript: func(path string, on bool) error {
			return s.app.agent.EnableScript(context.Background(), path, on)
		},
		Welcome: s.welcome, AddStarter: s.addStarter,
		Editor:    editorCommand,
		EditDraft: s.drafts.edit,
		Trust:     func() { go s.trust() },
		Ext:       func(line string) { go s.ext(line) },
		Commands:  s.commands,
		Pages:     topics, Page: page,
		Complete:  s.completeArgs,
		KeepTheme: func(name string) error { return keepTheme(s.app.home, name) },
		Completes: func(word string) bool {
			return s.app.engine.Scripts.Snapshot().WordCompleter(word) != nil
		},
		CompleteWord: s.completeWord,
		KeyTakers: func() []string {
			return s.app.engine.Scripts.Snapshot().KeyTakers()
		},
		TakeKey: func(name, text string) bool {
			return s.app.engine.Commands.TakeKey(context.Background(), s.app.agent.Envelope(), name,
				text)
		},
		Choices: s.choices,
		Current: s.current,
		SetPermission: func(p event.Permission) {
			_ =
				s.app.agent.Set(service.Settings{Permission: p}, "user")
		},
		Why:     s.why,
		Resized: func(width, height int) { s.app.resized(width, height) },
	}
}

// emitEvent shows an event. If a new session begins, it shows that session's history first.
func (s *screen) emitEvent(ev *event.Event) {
	if ev.Name() == "session_start" && ev.Env().Depth == 0 {
		switch ev.Text("cause") {
		case "new", "clear", "resume", "fork":
			s.ui.Load(replay(s.app.agent.Session().Transcript(), s.app.engine.Scripts.Snapshot()))
		}
	}
	if ev.Name() == "agent_start" {
		s.prompted.Store(true)
	}
	s.ui.Emit(ev)
}

// byScript is the source of inputs that scripts send.
const byScript = "script"

// typed returns the texts of the inputs that the user sent.
func typed(ins []agent.Input) (texts []string) {
	for _, in := range ins {
		if in.Source != byScript {
			texts = append(texts, in.Text)
		}
	}
	return texts
}

func (s *screen) takeBack() string {
	in, _ := s.app.agent.TakeBack()
	return in.Text
}

func (s *screen) state() tui.State {
	a := s.app.agent
	used := a.Session().Used(false)
	t := used.Tokens
	st := tui.State{Thinking: a.Thinking(), Session: a.Session().Name(),
		Tokens: t.Input + t.Output + t.CacheRead + t.CacheWrite, Unpriced: used.Unpriced > 0}
	st.Unfenced = !fenced(s.app.program.Sandbox)
	for _, h := range s.app.engine.Scripts.Snapshot().Broken() {
		st.Broken = append(st.Broken, h.ScriptName())
	}
	for _, i := range a.Scripts() {
		if i.Waits {
			st.Review++
		}
		if i.State == load.StateGone {
			st.Gone = append(st.Gone, i.Name)
		}
		if i.State == load.StateDisabled && i.Guards {
			st.Disabled = append(st.Disabled, i.Name)
		}
		switch {
		case i.Error == nil:
		case i.Error.Waits:
			st.Held = append(st.Held, i.Name)
		default:
			st.Failed = append(st.Failed, i.Name)
		}
	}
	for _, in := range a.Waiting() {
		st.Waiting = append(st.Waiting, tui.Waiting{Text: in.Text, Kind: in.Kind,
			Script: in.Source == byScript})
	}
	return st
}

func (s *screen) commands() []tui.Command {
	var out []tui.Command
	for _, c := range agent.Commands() {
		out = append(out, tui.Command{Name: c.Name, Hint: c.Hint,
			Description: c.Description, Picks: pickers[c.Name] != ""})
	}
	s.app.agent.Refresh()
	snap := s.app.engine.Scripts.Snapshot()
	for _, name := range snap.CommandNames() {
		c := snap.Command(name)
		by := c.Owner()
		if by == "builtin" { // as the other commands of the agent
			by = ""
		}
		out = append(out, tui.Command{Name: name, Hint: c.Hint, Description: c.Description,
			Script: by})
	}
	return out
}

// why returns who decided about a call. The audit log has the decision once the call has ended;
// written reports that.
func (s *screen) why(call, source string, over bool) (text string, written bool) {
	mode := string(s.app.agent.Envelope().Permission)
	switch {
	case !over && source == "":
		return "no decision about it yet; permission mode " + mode, false
	case !over:
		return "it runs: " + audit.Decider(source) + "; permission mode " + mode + "\n" +
			"the steps are recorded when it has ended", false
	}
	text, err := s.app.agent.Why(call)
	if err != nil {
		return plain.Error(err), false
	}
	return text, true
}

// trust opens the review of what the project brings.
func (s *screen) trust() {
	text, err := s.app.program.ReviewAll(context.Background())
	switch {
	case err != nil:
		s.app.engine.Notices.Notify(nil, "agent", ui.Notice{Text: plain.Error(err),
			Level: "error"})
	case text != "":
		s.app.engine.Notices.Say(nil, "agent", text)
	}
}

// completeArgs returns arguments of the agent's own commands, or asks a script's command for those
// that begin with what was typed. It returns nothing if the script fails, which has been reported
// then.
func (s *screen) completeArgs(line string) (out []tui.Completion) {
	name, prefix, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	if list := s.ownArgs(name, prefix); list != nil {
		return list
	}
	if !s.loaded() {
		return nil
	}
	list, _ := s.app.engine.Commands.Complete(context.Background(), s.app.agent.Envelope(), name,
		prefix)
	for _, c := range list {
		out = append(out, tui.Completion(c))
	}
	return out
}

// completeWord asks a script for what can replace a word.
func (s *screen) completeWord(ctx context.Context, word string) (out []tui.Completion) {
	for _, c := range s.app.engine.Commands.CompleteWord(ctx, s.app.agent.Envelope(), word) {
		out = append(out, tui.Completion(c))
	}
	return out
}

// work loads the scripts, begins the session and processes inputs until ctx ends.
func (s *screen) work(ctx context.Context, f *flags) {
	defer close(s.done)
	a := s.app
	if err := a.startSession(ctx); err != nil {
		a.engine.Notices.Notify(nil, "agent", ui.Notice{Text: plain.Error(err), Level: "error"})
	}
	close(s.begun)
	a.tellModels(ctx)
	first := strings.TrimSpace(strings.Join(f.words, " "))
	switch {
	case f.session.pick:
		s.ui.Pick("resume")
	case a.first && first == "" && !f.noScripts:
		s.ui.Welcome(s.welcome())
	}
	if first != "" {
		if err := a.agent.Send(agent.Input{Text: first, Source: "cli"}); err != nil {
			a.engine.Notices.Notify(nil, "agent", ui.Notice{Text: plain.Error(err),
				Level: "error"})
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.agent.Wake():
			a.agent.Work(ctx, func(in agent.Input, end agent.End) { s.ended(ctx, in, end) })
		}
	}
}

// endWait is how long the report of the end of an input waits for the events before it, which
// redactors may delay.
const endWait = 2 * time.Second

// ended reports the end of an input to the screen after the events of that input. Otherwise the
// screen would show the end twice.
func (s *screen) ended(ctx context.Context, in agent.Input, end agent.End) {
	ctx, cancel := context.WithTimeout(ctx, endWait)
	s.app.engine.Stream.Flush(ctx)
	cancel()
	s.ui.End(in.Text, end.Status == agent.Cancelled)
	insert := end.Insert
	if end.Status == agent.Handled && insert == "" {
		insert = s.forked(in.Text)
	}
	if insert != "" {
		s.ui.Insert(insert)
	}
}

// waitIdle waits, for a limited time, until all work has ended.
func (s *screen) waitIdle() {
	select {
	case <-s.done:
	case <-time.After(shutdownWait):
	}
}
