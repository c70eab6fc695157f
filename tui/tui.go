// Package tui is the screen: a transcript, an editor, dialogs and a status line on a terminal.
//
//	ui := tui.New(tui.Backend{Send: send, Interrupt: interrupt}, tui.Info{Model: "offline"})
//	eng, err := engine.New(engine.Options{Emit: ui.Emit, Approver: ui, Dialogs: ui})
//	...
//	err = ui.Run(ctx, os.Stdin, os.Stdout)
//
// It knows the agent only by the engine's events, which it draws, and by the functions of Backend,
// which it calls. It promises that nothing a model, a tool or a script says reaches the terminal as
// a control character, that results are drawn by display kind and never by the name of a tool, and
// that the terminal is as it was when Run returns, whatever ended it. It keeps nothing on disk.
//
// Data goes one way: events wait in a feed, which hands them over in batches; Update routes
// messages and keys to the components of the screen, which change their state and do no I/O; layout
// puts their lines together and draws those that changed; View joins the lines and changes nothing.
//
// A new part of the screen is a component (layout.go) in a file of its own and a line in
// newModel (model.go), which places it.
package tui

import (
	"context"
	"errors"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
)

// Backend is what the screen asks of the program around it. Send is called for one text after the
// other, in the order in which the user sent them; the others are called from goroutines of their
// own. None is called while the screen is being updated, so they may take time; any may be nil.
type Backend struct {
	// Send gives the agent a text: a prompt, steering (while the agent works) or a follow_up
	// (behind what it works on); or a line that begins with a slash and is no command of the
	// screen; or one that begins with ! or !!, for the shell. It returns at once. What ends is told
	// by UI.End.
	Send func(text, kind string) error
	// Interrupt stops what the agent, or a script's command, is doing, and forgets what waits; it
	// returns the texts of the user among that, which go back into the editor. It is called also
	// when nothing runs.
	Interrupt func() []string
	// TakeBack takes the user's text that would be the last to take effect out of the queue, "" =
	// there is none.
	TakeBack func() string
	// State tells what no event tells.
	State func() State
	// Reload reads all scripts again.
	Reload func()
	// Scripts describes the scripts in Markdown.
	Scripts func() string
	// Commands lists the slash commands of the agent and of scripts.
	Commands func() []Command
	// Complete asks the command of a line how its arguments may go on.
	Complete func(line string) []Completion
	// Choices lists what a command that Picks can be given; title says what is picked.
	Choices func(command string) (title string, choices []engine.Choice)
	// Draw lets scripts draw a part of the transcript, as engine.Screen.Draw does; false = none
	// does. It is called again when the width has changed, or the scripts have.
	Draw func(part engine.DrawPart, name string, value any, width int) (engine.Drawing, bool)
	// Tool returns the tool of a name, nil if there is none; its Subject titles the calls. It must
	// return at once.
	Tool func(name string) *engine.Tool
	// Shortcut returns what a key does that a script has taken, by its name in normal form; nil =
	// none has. It is called while the screen is being updated, so it must return at once; what it
	// returns is not.
	Shortcut func(key string) func()
	// Shortcuts lists those keys. It must return at once, too.
	Shortcuts func() []Shortcut
	// SetPermission changes the permission mode.
	SetPermission func(event.Permission)
	// Resized tells of a new size of the screen, in cells, once it has stayed for a moment.
	Resized func(width, height int)
}

// Command is a slash command of the agent or of a script.
type Command struct {
	Name        string // without the slash
	Description string
	Script      string // the file it comes from, "" = none
	Picks       bool   // without arguments, the user picks one of its Choices
	Hint        string // how its arguments are written, "" = it does not say
}

// Shortcut is a key that a script has taken.
type Shortcut struct{ Key, Description, Script string }

// Info is what the screen shows of the program at the start.
type Info struct {
	Version    string
	Model      string // "provider/id"
	Dir        string // the working directory, as it should be shown
	Permission event.Permission
	Offline    bool   // the model needs no network: said in the status line
	Terminal   string // what the environment says of it: $TERM and $TERM_PROGRAM
	Notice     string // shown once at the start, Markdown; "" = none
}

// ErrClosed is what a question ends with that was not answered before the screen ended.
var ErrClosed = errors.New("the screen was closed before the question was answered")

// UI is the screen. New makes it; Run shows it, once. Its other methods may be called from any
// goroutine, also before Run: then they wait for it.
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
func (u *UI) Emit(ev *event.Event) { u.feed.emitEvent(ev) }

// Pick lets the user pick what a command is given, as if it had been sent without: one that Picks.
// The user has asked for it on the command line: the list takes keys at once if no key was pressed
// before.
func (u *UI) Pick(command string) { u.feed.pushItem(pickMsg(command)) }

// Offer replaces what a command can be given, in the list that Choices began and while that is
// open; detail is shown above it. It is for what takes time to find out.
func (u *UI) Offer(command, detail string, choices []engine.Choice) {
	u.feed.pushItem(moreMsg{command, detail, choices})
}

// Quit ends the screen, as if the user had.
func (u *UI) Quit() { u.feed.pushItem(quitMsg{}) }

// Insert puts text into the editor at the cursor.
func (u *UI) Insert(text string) { u.feed.pushItem(insertMsg(text)) }

// Approve implements engine.Approver: it shows a dialog and waits for the answer. The error is
// ctx's if that ends first, and ErrClosed if the screen does; both take the dialog away.
func (u *UI) Approve(ctx context.Context, q *engine.Question) (engine.Answer, error) {
	v, err := u.askUser(ctx, newApproval(q), nil)
	a, _ := v.(engine.Answer)
	return a, err
}

// Confirm implements engine.Dialogs: it shows a question with two answers, of a script or, if d
// names none, of the program itself. Errors are those of Approve.
func (u *UI) Confirm(ctx context.Context, d *engine.Dialog) (bool, error) {
	v, err := u.askUser(ctx, newConfirm(d), d)
	a, _ := v.(engine.Answer)
	return a.Allow, err
}

// Select implements engine.Dialogs: it shows a list to pick from. Errors are those of Approve.
func (u *UI) Select(ctx context.Context, d *engine.Dialog) (value string, ok bool, err error) {
	v, err := u.askUser(ctx, newDialog(selecting(d, false)), d)
	value, ok = v.(string)
	return value, ok, err
}

// Many implements engine.Dialogs: it shows a list in which several can be marked. Errors are those
// of Approve.
func (u *UI) Many(ctx context.Context, d *engine.Dialog) (values []string, ok bool, err error) {
	v, err := u.askUser(ctx, newDialog(selecting(d, true)), d)
	values, ok = v.([]string)
	return values, ok, err
}

func selecting(d *engine.Dialog, several bool) *chooser {
	c := newChooser(asker(d)+": "+d.Title, d.Detail, d.Choices)
	c.other = d.Other
	c.several = several
	if several {
		c.pick(d.Picked)
	} else if len(d.Picked) > 0 {
		c.stand(d.Picked[0])
	}
	return c
}

// Edit implements engine.Dialogs: it shows a text to edit. Errors are those of Approve.
func (u *UI) Edit(ctx context.Context, d *engine.Dialog) (text string, ok bool, err error) {
	v, err := u.askUser(ctx, newDialog(newTexter(asker(d)+": "+d.Title, d.Detail, d.Text)), d)
	text, ok = v.(string)
	return text, ok, err
}

// Input implements engine.Dialogs: it shows a line to write. Errors are those of Approve.
func (u *UI) Input(ctx context.Context, d *engine.Dialog) (text string, ok bool, err error) {
	v, err := u.askUser(ctx, newDialog(newLiner(asker(d)+": "+d.Title, d.Detail, d.Text)), d)
	text, ok = v.(string)
	return text, ok, err
}

// askUser shows a dialog, of q unless it is about a call, and waits for the answer.
func (u *UI) askUser(ctx context.Context, d *dialog, q *engine.Dialog) (any, error) {
	if q != nil {
		d.about, d.patience = asker(q)+": "+oneLine(q.Title), q.Patience
		d.patience.Hold() // until it is in sight, and listens
	}
	u.feed.pushItem(d)
	select {
	case a := <-d.answer:
		return a, ctx.Err() // esc ends both
	case <-ctx.Done():
		u.feed.pushItem(closeMsg{d, errors.Is(context.Cause(ctx), context.DeadlineExceeded)})
		return nil, ctx.Err()
	case <-u.done:
		return nil, ErrClosed
	}
}
