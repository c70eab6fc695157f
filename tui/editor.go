// This file holds the editor: a text, and those sent before it.

package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/draft"
	"github.com/agentscripts/agent/tui/internal/recall"
)

const (
	// editorLimit is the largest text, in bytes, that the editor takes: a longer one belongs in a
	// file that the agent can read.
	editorLimit = 1 << 20
	// prompt is drawn before the editor's text; its width is gutter.
	prompt, gutter = "› ", 2
)

// editor is the input field, with completions. Its cursor is the terminal's own, so that it blinks
// without a timer.
type editor struct {
	*shared
	transcript *transcript
	toasts     *toasts
	complete   *completion
	submit     func(text, kind string) tea.Cmd // receives what the user sends
	busy       func() bool                     // reports whether the agent is working
	selecting  func() bool                     // reports whether keys are for the transcript

	draft    *draft.Draft
	sent     recall.Outbox[Prompt] // prompts that the backend has not kept yet
	outgoing []submission          // with chips; they wait for the texts of these
	lossSaid bool                  // the user has been told that prompts are not kept
	fullSaid bool                  // the user has been told that the editor is full
}

func newEditor(b *shared, t *transcript, toasts *toasts) *editor {
	e := &editor{shared: b, transcript: t, toasts: toasts, busy: func() bool { return false },
		selecting: func() bool { return false }}
	e.draft = draft.New(b.chips.Label, editorLimit)
	e.complete = &completion{shared: b, area: &e.draft.Area, commands: builtins}
	return e
}

// handleMsg implements component.
func (e *editor) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case draftTextMsg:
		if len(msg) > editorLimit {
			return e.refuse(len(msg))
		}
		e.replaceText(chip.Clean(cells.Clean(string(msg))))
	case insertMsg:
		return e.paste(e.shortText(string(msg)))
	case keptMsg:
		return e.pasteKept(msg)
	case draftMsg:
		return e.runEditor(msg)
	case editedMsg:
		return e.takeEdited(msg)
	case promptsMsg:
		e.draft.LoadPast(e.withChips(msg.own), e.withChips(msg.others))
		e.promptsLost(msg.err)
	case rememberedMsg:
		e.promptsLost(msg.err)
	}
	return nil
}

// key implements component. All keys that reach it are the editor's.
func (e *editor) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	switch msg.String() {
	case "enter":
		if e.draft.Continue() {
			return nil, true
		}
		if !e.complete.takeEnter() {
			return nil, true
		}
		return e.sendText(kindPrompt), true
	case "alt+enter":
		return e.sendText(kindFollowUp), true
	case "tab":
		return e.complete.askCommand(), true
	case "ctrl+s":
		e.draft.SwapStash()
		e.complete.findCommands()
		return nil, true
	case "ctrl+g":
		return e.editDraft(), true
	case "ctrl+r":
		e.complete.close()
		e.draft.BeginSearch()
		return nil, true
	}
	if !e.draft.Key(msg) {
		return e.full(), true
	}
	e.fullSaid = false
	return e.complete.typed(), true
}

// sendText submits the text and empties the editor.
func (e *editor) sendText(kind string) tea.Cmd {
	text := e.draft.Take()
	if e.chips.Begins(text) && atOnce(e.chips.Expand(text)) {
		text = " " + text // what is pasted is no command: the user does not see that it is one
	}
	e.outgoing = append(e.outgoing, submission{text, kind})
	if text != "" {
		e.draft.PopStash()
	}
	e.complete.close()
	e.transcript.endEntry()
	return e.sendReady()
}

// sendReady submits the texts whose pasted parts are known, in order.
func (e *editor) sendReady() tea.Cmd {
	var cmds []tea.Cmd
	for len(e.outgoing) > 0 && e.chips.Ready(e.outgoing[0].text) {
		next := e.outgoing[0]
		e.outgoing = e.outgoing[1:]
		if label := e.chips.Cut(next.text); label != "" && shellMode(next.text) != "" {
			e.transcript.addEntry(&noticeBlock{"error", "not run: " + label + " is too long for " +
				"a shell line; save it to a file and name the file"})
			e.replaceText(strings.TrimSuffix(next.text+"\n"+e.value(), "\n"))
			continue
		}
		cmds = append(cmds, e.submit(e.chips.Send(next.text), next.kind), e.remember(next.text))
	}
	return tea.Batch(cmds...)
}

// paste inserts clean text at the cursor.
func (e *editor) paste(text string) tea.Cmd {
	if e.draft.Search != nil {
		e.draft.Search.Paste(text)
		return nil
	}
	if !e.draft.Insert(text) {
		return e.refuse(len(text))
	}
	e.complete.findCommands()
	return nil
}

// replaceText replaces the text by clean text.
func (e *editor) replaceText(text string) {
	e.draft.Replace(text)
	e.complete.findCommands()
}

// clearText empties the editor.
func (e *editor) clearText() {
	e.draft.Clear()
	e.complete.close()
}

// full tells the user, once until there is room again, that the editor accepts no more keys: a
// terminal without bracketed paste sends pasted text as many keys.
func (e *editor) full() tea.Cmd {
	if e.fullSaid {
		return nil
	}
	e.fullSaid = true
	text := fmt.Sprintf(
		"the editor is full at %d KB: what is typed or pasted now is lost; save the text to a "+
			"file and name it",
		editorLimit>>10)
	e.transcript.addEntry(&noticeBlock{"error", text})
	return e.toasts.addToast("error",
		"the editor is full: save the text to a file and name the file")
}

func (e *editor) value() string { return e.draft.Text() }

// blank reports whether nothing is being written or searched.
func (e *editor) blank() bool { return e.draft.Blank() }

func (e *editor) setText(text string) { e.draft.Area.Replace(text) }

// shellMode says who sees the output of a shell line; "" if text is not one.
func shellMode(text string) string {
	switch {
	case strings.HasPrefix(text, "!!"):
		return "shell: the model does not see it"
	case strings.HasPrefix(text, "!"):
		return "shell: the model sees it"
	}
	return ""
}

// hint returns the text of the empty editor.
func (e *editor) hint(width int) string {
	if e.selecting() {
		return "esc returns here"
	}
	if e.busy() {
		return cells.Longest(width, "Enter steers, alt+enter waits until this is done",
			"Enter steers, alt+enter waits", "Enter steers")
	}
	return cells.Longest(width, "Ask, or type / for commands, ! for the shell",
		"Ask, / for commands, ! for the shell", "Ask, / commands, ! shell", "Ask, or type /", "Ask")
}

// rule returns the line above the editor. It says where the text goes, if not to the model.
func (e *editor) rule(width int) string {
	if e.draft.Search != nil {
		found := "search: " + e.draft.Search.Count()
		return titleRule(e.theme, cells.Longest(titleRoom(width),
			found+" · ctrl+r older, enter takes, esc leaves",
			found+" · enter takes, esc leaves", found+" · enter, esc", found), width)
	}
	mode := shellMode(e.value())
	if mode == "" {
		return e.theme.dim.Render(strings.Repeat("─", width))
	}
	return titleRule(e.theme, mode, width)
}

// layout implements component: it draws at most height lines of the text.
func (e *editor) layout(width, height int) ([]string, *tea.Cursor) {
	if e.draft.Search != nil {
		return e.layoutSearch(width, height)
	}
	lines, cursor := e.draft.Layout(width-gutter, height)
	cursor.X += gutter
	if e.value() == "" {
		lines = []string{e.theme.dim.Render(cells.Fit(e.hint(width-gutter), width-gutter))}
	}
	mark := e.theme.user.Render(prompt)
	if shellMode(e.value()) != "" {
		mark = e.theme.warn.Render("$ ")
	}
	for i, l := range lines {
		if i == 0 && !e.draft.Area.Scrolled() {
			lines[i] = mark + l
		} else {
			lines[i] = strings.Repeat(" ", gutter) + l
		}
	}
	return lines, cursor
}

// layoutSearch draws the prompt that the search has found, and the query below it.
func (e *editor) layoutSearch(width, height int) ([]string, *tea.Cursor) {
	match, query, x := e.draft.Search.Layout(width-gutter, height-1)
	lines := make([]string, 0, height)
	for _, l := range match {
		lines = append(lines, strings.Repeat(" ", gutter)+e.theme.dim.Render(l))
	}
	lines = append(lines, e.theme.warn.Render("? ")+query)
	return lines, tea.NewCursor(x+gutter, len(lines)-1)
}

// searchKeys takes the keys while the user searches earlier prompts. They are the editor's, but
// they come before those of other components.
type searchKeys struct {
	unseen
	editor *editor
}

// handleMsg implements component.
func (searchKeys) handleMsg(tea.Msg) tea.Cmd { return nil }

// key implements component. A key that is not the search's takes the match and is then handled as
// usual.
func (k searchKeys) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	return nil, k.editor.draft.SearchKey(msg)
}

// withChips joins the parts of prompts.
func (e *editor) withChips(prompts [][]string) []string {
	out := make([]string, len(prompts))
	for i, parts := range prompts {
		out[i] = e.chips.Join(parts)
		e.chips.Send(out[i]) // a resumed session shows it with its chips
	}
	return out
}

// remember keeps a prompt for later starts, which begin with another one than "/quit".
func (e *editor) remember(text string) tea.Cmd {
	keep := e.backend.Remember
	if keep == nil || text == "" || text == "/quit" {
		return nil
	}
	e.sent.Append(Prompt{e.chips.Expand(text), e.chips.Spans(text)})
	return func() tea.Msg { return rememberedMsg{e.sent.Flush(keep)} }
}

// promptsLost tells the user, once, that prompts cannot be kept.
func (e *editor) promptsLost(err error) {
	if err != nil && !e.lossSaid {
		e.lossSaid = true
		e.transcript.addEntry(&noticeBlock{"warn",
			"prompts are not kept for later starts: " + plain.OneLine(plain.Error(err))})
	}
}
