// Package tui is the screen: a transcript, an editor, dialogs and a status line on a terminal.
//
//	ui := tui.New(tui.Backend{Submit: agent.Submit, Interrupt: agent.Interrupt}, tui.Info{Model: "offline"})
//	eng, err := engine.New(engine.Options{Emit: ui.Emit, Approver: ui, Dialogs: ui})
//	...
//	err = ui.Run(ctx, os.Stdin, os.Stdout)
//
// It knows the agent only by the engine's events, which it draws, and by the functions of Backend,
// which it calls. It promises that nothing a model, a tool or a script says reaches the terminal as a
// control character, that results are drawn by display kind and never by the name of a tool, and that
// the terminal is as it was when Run returns, whatever ended it. It keeps nothing on disk.
//
// Data goes one way: events wait in a feed, which hands them over in batches; Update sorts messages to
// methods of the model's parts, which change state and do no I/O; layout draws the lines that changed;
// View puts lines together and changes nothing.
package tui

import (
	"context"
	"errors"

	"github.com/agentscripts/agent/engine"
)

// Backend is what the screen asks of the program around it. Submit is called for one text after the
// other, in the order in which the user sent them; the others are called from goroutines of their own.
// None is called while the screen is being updated, so they may take time; any may be nil.
type Backend struct {
	// Submit takes a prompt, or a line that begins with a slash and is no command of the screen. While the
	// agent works, whoever implements Submit queues it.
	Submit func(text string)
	// Interrupt stops what the agent, or a script's command, is doing, and forgets the texts that wait: the
	// screen puts them back into the editor. It is called also when nothing runs.
	Interrupt func()
	// Reload reads all scripts again.
	Reload func()
	// Clear begins a new session; the screen has emptied itself.
	Clear func()
	// Scripts describes the scripts in Markdown.
	Scripts func() string
	// Commands lists the slash commands of scripts.
	Commands func() []Command
	// Complete asks the command of a line how its arguments may go on.
	Complete func(line string) []Completion
	// SetPermission changes the permission mode.
	SetPermission func(engine.Permission)
	// Broken names the guards that fail again and again.
	Broken func() []string
}

// Command is a slash command of a script.
type Command struct {
	Name        string // without the slash
	Description string
	Script      string // the file it comes from
}

// Info is what the screen shows of the program at the start.
type Info struct {
	Version    string
	Model      string // "provider/id"
	Dir        string // the working directory, as it should be shown
	Permission engine.Permission
	Offline    bool   // the model needs no network: said in the status line
	Notice     string // shown once at the start, Markdown; "" = none
}

// ErrClosed is what a question ends with that was not answered before the screen ended.
var ErrClosed = errors.New("the screen was closed before the question was answered")

// UI is the screen. New makes it; Run shows it, once. Emit, Insert, Approve and Confirm may be called
// from any goroutine, also before Run: then they wait for it.
type UI struct {
	model *model
	feed  *feed
	done  chan struct{} // closed when Run has ended
}

var (
	_ engine.Approver = (*UI)(nil)
	_ engine.Dialogs  = (*UI)(nil)
)

// New makes a screen. It does not touch the terminal.
func New(b Backend, info Info) *UI {
	return &UI{model: newModel(b, info), feed: newFeed(), done: make(chan struct{})}
}

// Emit shows an event; it never blocks. Events are shown in the order in which they come.
func (u *UI) Emit(ev *engine.Event) { u.feed.emit(ev) }

// Insert puts text into the editor at the cursor.
func (u *UI) Insert(text string) { u.feed.push(insertMsg(text)) }

// Approve implements engine.Approver: it shows a dialog and waits for the answer. The error is ctx's if
// that ends first, and ErrClosed if the screen does; both take the dialog away.
func (u *UI) Approve(ctx context.Context, q *engine.Question) (engine.Answer, error) {
	v, err := u.ask(ctx, newApproval(q))
	a, _ := v.(engine.Answer)
	return a, err
}

// Confirm implements engine.Dialogs: it shows a question with two answers, of a script or, if d names
// none, of the program itself. Errors are those of Approve.
func (u *UI) Confirm(ctx context.Context, d *engine.Dialog) (bool, error) {
	v, err := u.ask(ctx, newConfirm(d))
	a, _ := v.(engine.Answer)
	return a.Allow, err
}

// Select implements engine.Dialogs: it shows a list to pick from. Errors are those of Approve.
func (u *UI) Select(ctx context.Context, d *engine.Dialog) (value string, ok bool, err error) {
	v, err := u.ask(ctx, newDialog(newChooser(asker(d)+": "+d.Title, d.Detail, d.Choices)))
	value, ok = v.(string)
	return value, ok, err
}

// Input implements engine.Dialogs: it shows a line to write. Errors are those of Approve.
func (u *UI) Input(ctx context.Context, d *engine.Dialog) (text string, ok bool, err error) {
	v, err := u.ask(ctx, newDialog(newLiner(asker(d)+": "+d.Title, d.Detail, d.Text)))
	text, ok = v.(string)
	return text, ok, err
}

func (u *UI) ask(ctx context.Context, d *dialog) (any, error) {
	u.feed.push(d)
	select {
	case a := <-d.answer:
		return a, ctx.Err() // esc ends both
	case <-ctx.Done():
		u.feed.push(closeMsg{d})
		return nil, ctx.Err()
	case <-u.done:
		return nil, ErrClosed
	}
}
