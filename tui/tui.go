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
// that Run restores the terminal before it returns, even after a failure. It writes nothing to
// disk.
//
// Data goes one way: events wait in a feed, which delivers them in batches; Update routes messages
// and keys to the components of the screen, which change their state and do no I/O; layout joins
// their lines and draws those that changed; View changes nothing.
//
// A new part of the screen is a component (layout.go) in a file of its own and a line in newModel
// (model.go), which places it.
package tui

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/feed"
	"github.com/agentscripts/agent/tui/internal/graphics"
	"github.com/agentscripts/agent/tui/internal/hyperlink"
	"github.com/agentscripts/agent/tui/internal/keymap"
	"github.com/agentscripts/agent/tui/internal/vim"
)

// Backend holds the functions of the program around the screen. Send is called for one text after
// the other, in the order in which the user sent them; the others are called from goroutines of
// their own. None is called while the screen is being updated, so they may block; any may be nil.
// Tool, Registered, Shortcut, Shortcuts, Completes and KeyTakers are exceptions and say so.
type Backend struct {
	// Send sends a text to the agent: a prompt, steering (while the agent works) or a follow_up
	// (after its current work); or a line that begins with a slash and is not a command of the
	// screen; or one that begins with ! or !!, for the shell. It returns at once; UI.End reports
	// the end.
	Send func(text, kind string) error
	// Interrupt stops the agent or a script's command and drops the waiting input. It returns the
	// user's texts among that input, which go back into the editor. It is also called when nothing
	// runs.
	Interrupt func() []string
	// TakeBack removes and returns the user's waiting text that would take effect last, "" = none.
	TakeBack func() string
	// Prompts returns the texts that were sent in earlier starts: those of this project, and those
	// of others.
	Prompts func() (Prompts, error)
	// Remember keeps a prompt that the user has sent, for Prompts of later starts.
	Remember func(Prompt) error
	// KeepPaste keeps a long pasted text, if it is too long for the model, in a file. It returns
	// what the model gets: the text itself, or its beginning and its end with the name of the file;
	// and an error if it had to leave the rest out. nil = every text is passed on as it is.
	KeepPaste func(text string) (string, error)
	// Completes reports whether a script completes a word. It must return at once.
	Completes func(word string) bool
	// CompleteWord returns what a script offers in place of a word. ctx ends when the user goes on
	// typing.
	CompleteWord func(ctx context.Context, word string) []Completion
	// KeyTakers names the scripts that want the keys that are for the editor. It must return at
	// once.
	KeyTakers func() []string
	// TakeKey offers a key to scripts, by its name and its text. If it returns true, the editor
	// does not get it.
	TakeKey func(name, text string) bool
	// KeepTheme keeps the name of a theme for later starts.
	KeepTheme func(name string) error
	// KeepImage keeps an image that the user has pasted in a file, and returns its path.
	KeepImage func(data []byte) (path string, err error)
	// State returns what no event carries.
	State func() State
	// Reload loads all scripts again.
	Reload func()
	// Trust reviews what the project brings; nil = the agent has the command.
	Trust func()
	// Ext runs a command of agent ext, as it is typed after the name, which asks with dialogs and
	// reports by events. It returns at once.
	Ext func(line string)
	// Scripts lists the scripts, with a line to show below them.
	Scripts func() (list []Script, foot string)
	// Registered says what a version of a script has registered; none of it if that is no longer in
	// force. It must return at once.
	Registered func(path string, generation int) Registered
	// ScriptPast returns what the script at path has done: its newest decisions and, if log is set,
	// the end of its log.
	ScriptPast func(path string, log bool) ScriptPast
	// EnableScript loads the script at path, or disables it, also for later starts.
	EnableScript func(path string, on bool) error
	// Editor returns the command that edits a file at a line, with the terminal as its streams.
	Editor func(path string, line int) (*exec.Cmd, error)
	// Welcome returns what the panel of the first start tells.
	Welcome func() Welcome
	// AddStarter adds a script of the gallery to the user's and waits until it is in force. It
	// returns a sentence about that.
	AddStarter func(file string) (string, error)
	// EditDraft puts a text into a file. It returns the command that edits the file at a line, with
	// the terminal as its streams, and a function for afterwards, which returns the text of the
	// file and removes the file.
	EditDraft func(text string, line int) (*exec.Cmd, func() (string, error), error)
	// Commands lists the slash commands of the agent and of scripts.
	Commands func() []Command
	// Pages names the pages of the documents; Page returns one of them, in Markdown.
	Pages func() []string
	Page  func(name string) (string, error)
	// Complete asks the command of a line to complete its arguments.
	Complete func(line string) []Completion
	// Files lists the files and directories of the project, which a prompt can name as @PATH;
	// directories end with a slash. It is called for each key of such a name.
	Files func() []string
	// Choices lists the possible arguments of a command that Picks; title says what is picked.
	Choices func(command string) (title string, choices []ui.Choice)
	// Current returns the one of the Choices that is set now, "" if none is.
	Current func(command string) string
	// Draw lets scripts draw a part of the transcript, as engine.Screen.Draw does; false = no
	// script does. It is called again when the width, the folding or the scripts have changed.
	Draw func(q ui.DrawRequest) (ui.Drawing, bool)
	// Tool returns a tool by name, nil if there is none; its Subject titles the calls. It must
	// return at once.
	Tool func(name string) *engine.Tool
	// Shortcut returns the function of a key that a script has registered, by the key's normalized
	// name; nil = none. It is called while the screen is being updated, so it must return at once;
	// the function that it returns may block.
	Shortcut func(key string) func()
	// Shortcuts lists those keys. It must return at once, too.
	Shortcuts func() []Shortcut
	// SetPermission changes the permission mode.
	SetPermission func(event.Permission)
	// Why says in words who decided about a tool call, and why. source is who decided as in
	// tool_approval, "" if unknown; over reports whether the call has ended. It returns false if
	// the audit log does not have the decision yet.
	Why func(call, source string, over bool) (text string, written bool)
	// Resized reports a new size of the screen, in cells, once it has been stable for a moment.
	Resized func(width, height int)
}

// Command is a slash command of the agent or of a script.
type Command struct {
	Name        string // without the slash
	Description string
	Script      string // the file it comes from, "" = none
	Picks       bool   // without arguments, the user picks one of its Choices
	Hint        string // the syntax of its arguments, "" = none given
}

// Shortcut is a key that a script has registered.
type Shortcut struct{ Key, Description, Script string }

// Info describes the program to the screen at the start.
type Info struct {
	Version    string
	Model      string // "provider/id"
	Dir        string // the working directory, as it should be shown
	Permission event.Permission
	Offline    bool   // the model needs no network; shown in the status line
	Terminal   string // $TERM and $TERM_PROGRAM
	Notice     string // shown once at the start, Markdown; "" = none
}

// Settings are the user's settings of the screen.
type Settings struct {
	Keys       []Binding
	Theme      string // by name; "" = auto
	ThemeWhere string // where it is set, for messages
	// Kept is the theme that the user has chosen in an earlier start. Theme comes first.
	Kept       string
	Themes     []Theme
	Ground     string // $COLORFGBG: what the terminal says about its colours
	Links      string // "on", "off" or, as "", "auto": as the terminal is known to show them
	LinksWhere string // where it is set, for messages
	Images     string // "on", "off" or, as "", "auto": as the terminal is known to draw them
	// ImagesWhere is where it is set, for messages
	ImagesWhere string
	Editor      string // its keys: "vim" or, as "", "readline"
	EditorWhere string
	Host        string // the name of this computer, for links to files
	Layout      string // "inline" or, as "", the same; "fullscreen" or "auto"
	LayoutWhere string
	// Env returns a variable of the terminal's environment; nil: nothing is known of it
	Env func(name string) string
}

// Configure applies the user's settings and returns what is wrong with them, each with its place.
// What is wrong is not used. It must be called before Run.
func (u *UI) Configure(s Settings) (problems []string) {
	keys, wrong := keymap.New(s.Keys)
	u.model.keys = keys
	for i, err := range wrong {
		if err != nil {
			problems = append(problems, fmt.Sprintf("%s: keys: %v", s.Keys[i].Where, err))
		}
	}
	switch s.Editor {
	case "", "readline":
	case "vim":
		u.model.editor.draft.Vim = &vim.Machine{}
	default:
		problems = append(problems, fmt.Sprintf(
			"%s: tui.editor: got %q, want readline or vim", s.EditorWhere, s.Editor))
	}
	if problem := u.model.inline.configure(s.Layout); problem != "" {
		problems = append(problems, strings.TrimPrefix(s.LayoutWhere+": tui."+problem, ": "))
	}
	problems = append(problems, u.model.looks.configure(s)...)
	return append(problems, u.model.transcript.canvas.configure(s, u.model.info.Dir)...)
}

// configure decides whether texts lead to the targets of links, and whether images are drawn.
// Relative paths begin in dir.
func (c *canvas) configure(s Settings, dir string) (problems []string) {
	decide := func(name, set, where string, known func(func(string) string) bool) bool {
		switch set {
		case "", "auto":
			return s.Env != nil && known(s.Env)
		case "on", "off":
		default:
			problems = append(problems, fmt.Sprintf("%s: tui.%s: got %q, want one of auto, on, off",
				where, name, set))
		}
		return set == "on"
	}
	c.sketches.known = decide("images", s.Images, s.ImagesWhere, graphics.Known)
	c.sketches.images.Prints = !c.sketches.known && s.Images != "off" && s.Env != nil &&
		graphics.KnownToPrint(s.Env)
	on := decide("links", s.Links, s.LinksWhere, hyperlink.Known)
	c.md.Links, c.dir = on, dir
	if c.file = nil; on {
		c.file = func(path string) string { return hyperlink.File(s.Host, dir, path) }
	}
	return problems
}

// Binding is the keys that the user has given an action; none = it has no key.
type Binding = keymap.Binding

// ErrClosed is returned for a question that was not answered before the screen ended.
var ErrClosed = errors.New("the screen was closed before the question was answered")

// UI is the screen. New makes it; Run shows it, once. Its other methods may be called from any
// goroutine, also before Run: their effect then appears when Run starts.
type UI struct {
	model *model
	feed  *feed.Feed
	done  chan struct{} // closed when Run has ended
}

var (
	_ engine.Approver = (*UI)(nil)
	_ ui.Dialogs      = (*UI)(nil)
)

// Shown selects the events that the screen shows.
func Shown() event.Interest { return feed.Shown() }

// New makes a screen. It does not touch the terminal.
func New(b Backend, info Info) *UI {
	u := &UI{model: newModel(b, info), feed: feed.New(), done: make(chan struct{})}
	u.model.offered.later = u.feed.Push
	return u
}

// Emit shows an event; it never blocks. Events are shown in the order in which they come.
func (u *UI) Emit(ev *event.Event) { u.feed.Emit(ev) }

// Pick opens the list of choices of a command that Picks, as if the user had sent it without
// arguments. It is for a request on the command line: the list takes keys at once if no key was
// pressed before.
func (u *UI) Pick(command string) { u.feed.Push(pickMsg(command)) }

// Welcome opens the panel of the first start.
func (u *UI) Welcome(w Welcome) { u.feed.Push(greetMsg{facts: w, opens: true}) }

// Offer replaces the choices of a command while the list that began with Choices is open; detail is
// shown above them. It is for choices that take time to find.
func (u *UI) Offer(command, detail string, choices []ui.Choice) {
	u.feed.Push(moreMsg{command, detail, choices})
}

// Quit ends the screen, as if the user had.
func (u *UI) Quit() { u.feed.Push(quitMsg{}) }

// Insert puts text into the editor at the cursor.
func (u *UI) Insert(text string) { u.feed.Push(insertMsg(text)) }

// Approve implements engine.Approver: it shows a dialog and waits for the answer. It returns ctx's
// error if ctx ends first, and ErrClosed if the screen does; both remove the dialog.
func (u *UI) Approve(ctx context.Context, q *engine.Question) (engine.Answer, error) {
	v, err := u.askUser(ctx, newApproval(nearPreview(u.model.info.Dir, q)), nil)
	a, _ := v.(engine.Answer)
	return a, err
}

// Confirm implements ui.Dialogs: it shows a question with two answers, asked by a script or, if
// d names none, by the program. Errors are those of Approve.
func (u *UI) Confirm(ctx context.Context, d *ui.Dialog) (bool, error) {
	v, err := u.askUser(ctx, newConfirm(d), d)
	a, _ := v.(engine.Answer)
	return a.Allow, err
}

// Select implements ui.Dialogs: it shows a list to pick from. Errors are those of Approve.
func (u *UI) Select(ctx context.Context, d *ui.Dialog) (value string, ok bool, err error) {
	v, err := u.askUser(ctx, newDialog(selecting(d, false)), d)
	value, ok = v.(string)
	return value, ok, err
}

// Many implements ui.Dialogs: it shows a list in which several choices can be marked. Errors
// are those of Approve.
func (u *UI) Many(ctx context.Context, d *ui.Dialog) (values []string, ok bool, err error) {
	v, err := u.askUser(ctx, newDialog(selecting(d, true)), d)
	values, ok = v.([]string)
	return values, ok, err
}

func selecting(d *ui.Dialog, several bool) *chooser {
	c := newChooser(asker(d)+": "+d.Title, d.Detail, d.Choices)
	c.Other = d.Other
	c.Several, c.lasting = several, d.Lasting
	if several {
		c.Mark(d.Picked)
	} else if len(d.Picked) > 0 {
		c.Stand(d.Picked[0])
	}
	return c
}

// Edit implements ui.Dialogs: it shows a text to edit. Errors are those of Approve.
func (u *UI) Edit(ctx context.Context, d *ui.Dialog) (text string, ok bool, err error) {
	v, err := u.askUser(ctx, newDialog(newTexter(asker(d)+": "+d.Title, d.Detail, d.Text)), d)
	text, ok = v.(string)
	return text, ok, err
}

// Input implements ui.Dialogs: it shows an input line. Errors are those of Approve.
func (u *UI) Input(ctx context.Context, d *ui.Dialog) (text string, ok bool, err error) {
	l := newLiner(asker(d)+": "+d.Title, d.Detail, d.Text)
	l.secret = d.Secret
	v, err := u.askUser(ctx, newDialog(l), d)
	text, ok = v.(string)
	return text, ok, err
}

// askUser shows a dialog and waits for the answer. q is nil if the dialog is about a call.
func (u *UI) askUser(ctx context.Context, d *dialog, q *ui.Dialog) (any, error) {
	if q != nil {
		d.askedBy(q)
		d.patience.Hold() // until the dialog is visible and takes keys
	}
	u.feed.Push(d)
	select {
	case a := <-d.answer:
		return a, ctx.Err() // esc ends both
	case <-ctx.Done():
		u.feed.Push(closeMsg{d, errors.Is(context.Cause(ctx), context.DeadlineExceeded)})
		return nil, ctx.Err()
	case <-u.done:
		return nil, ErrClosed
	}
}
