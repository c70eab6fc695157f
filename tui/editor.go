// This file holds the editor: a text, and those sent before it.

package tui

import (
	"fmt"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/recall"
	"github.com/agentscripts/agent/tui/internal/textarea"
	"github.com/agentscripts/agent/tui/internal/vim"
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

	area     textarea.Area
	past     recall.List
	sent     recall.Outbox[Prompt] // prompts that the backend has not kept yet
	stash    string                // a text that was put away, "" = none
	outgoing []submission          // with chips; they wait for the texts of these
	search   *recall.Search        // nil = the user does not search
	vim      *vim.Machine          // nil = the editor does not have the keys of Vim
	lossSaid bool                  // the user has been told that prompts are not kept
	fullSaid bool                  // the user has been told that the editor is full
}

func newEditor(b *shared, t *transcript, toasts *toasts) *editor {
	e := &editor{shared: b, transcript: t, toasts: toasts, busy: func() bool { return false },
		selecting: func() bool { return false }}
	e.area.Label, e.past.Label = b.chips.Label, b.chips.Label
	e.complete = &completion{shared: b, area: &e.area, commands: builtins}
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
		e.past.Load(e.withChips(msg.own), e.withChips(msg.others))
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
		if e.continued() {
			return nil, true
		}
		if e.complete.meant() {
			e.complete.accept()
		}
		return e.sendText(kindPrompt), true
	case "alt+enter":
		return e.sendText(kindFollowUp), true
	case "tab":
		return e.complete.askCommand(), true
	case "ctrl+s":
		e.swapStash()
		return nil, true
	case "ctrl+g":
		return e.editDraft(), true
	case "ctrl+r":
		e.complete.close()
		e.search = e.past.Search()
		return nil, true
	}
	if !e.edit(msg) {
		return e.full(), true
	}
	e.fullSaid = false
	return e.complete.typed(), true
}

// sendText submits the text and empties the editor.
func (e *editor) sendText(kind string) tea.Cmd {
	text := e.takeText()
	if e.chips.Begins(text) && atOnce(e.chips.Expand(text)) {
		text = " " + text // what is pasted is no command: the user does not see that it is one
	}
	e.outgoing = append(e.outgoing, submission{text, kind})
	if text != "" && e.stash != "" {
		e.area.Set(e.stash)
		e.stash = ""
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
			e.replaceText(strings.TrimSuffix(next.text+"\n"+e.area.Text(), "\n"))
			continue
		}
		cmds = append(cmds, e.submit(e.chips.Send(next.text), next.kind), e.remember(next.text))
	}
	return tea.Batch(cmds...)
}

const (
	// mostPasted is the largest text that can be pasted, in bytes: what the store of long texts
	// keeps of one.
	mostPasted = 64 << 20
	// pastedAtOnce is the size, in bytes, up to which a pasted text is prepared at once, and passed
	// on as it is: a larger one would delay the keys after it.
	pastedAtOnce = 32 << 10
	// mostKept is the size that is reserved for the part of a long text that the model gets.
	mostKept = 64 << 10
)

// keptMsg is what the model gets of a long text that was pasted.
type keptMsg struct {
	chip rune
	text string
	cut  bool // text is a part of what was pasted
	err  error
}

// pasteContent inserts what was pasted, as it came from the terminal. A long text becomes a chip.
func (e *editor) pasteContent(content string) tea.Cmd {
	if e.search != nil || !chip.Long(content) {
		return e.paste(chip.Clean(cells.Clean(content)))
	}
	keep, size := e.backend.KeepPaste, len(content)
	if keep != nil {
		size = min(size, mostKept)
	}
	text := e.area.Text()
	if len(content) > mostPasted || len(text)+e.chips.Size(text)+size > editorLimit {
		return e.refuse(len(content))
	}
	if len(content) <= pastedAtOnce {
		return e.pasteParts([]string{"", plain.Text(content), ""})
	}
	r, ok := e.chips.Reserve(content)
	if !ok {
		return e.refuse(len(content))
	}
	return tea.Batch(e.paste(string(r)), func() tea.Msg {
		msg := keptMsg{chip: r, text: plain.Text(content)}
		if keep != nil {
			whole := msg.text
			msg.text, msg.err = keep(whole)
			msg.cut = msg.text != whole
		}
		return msg
	})
}

// pasteParts inserts parts of a text that were typed and pasted by turns: see chip.Split.
func (e *editor) pasteParts(parts []string) tea.Cmd { return e.paste(e.chips.Join(parts)) }

// pasteKept notes what the model gets of a chip, and sends what waits for that.
func (e *editor) pasteKept(msg keptMsg) tea.Cmd {
	if e.chips.Fill(msg.chip, msg.text); msg.cut {
		e.chips.FillPart(msg.chip, msg.text)
	}
	if msg.err != nil {
		e.transcript.addEntry(&noticeBlock{"error", "of " + e.chips.Label(msg.chip) +
			" the model gets the beginning and the end: " + plain.OneLine(plain.Error(msg.err))})
	}
	return e.sendReady()
}

// draftMsg is the command of the user's own editor, with the text of this one in a file.
type draftMsg struct {
	cmd   *exec.Cmd
	take  func() (string, error)
	draft string // with chips
	err   error
}

// editedMsg is the text that the user's own editor has left.
type editedMsg struct {
	text  string
	draft string // the text before, with chips
	err   error
}

// editDraft opens the text in the user's own editor, with what the model gets of chips in their
// places.
func (e *editor) editDraft() tea.Cmd {
	f, draft := e.backend.EditDraft, e.area.Text()
	if f == nil {
		return nil
	}
	if !e.chips.Ready(draft) {
		return e.toasts.addToast("info", "the pasted text is still being prepared")
	}
	e.complete.close()
	text, before := e.chips.Expand(draft), e.chips.Expand(e.area.Before())
	return func() tea.Msg {
		cmd, take, err := f(text, textarea.LineOf(before, len(before)))
		return draftMsg{cmd, take, draft, err}
	}
}

// runEditor hands the terminal to the user's own editor.
func (e *editor) runEditor(msg draftMsg) tea.Cmd {
	if msg.err != nil {
		e.transcript.addEntry(&noticeBlock{"error", "no editor was opened: " +
			plain.OneLine(plain.Error(msg.err))})
		return nil
	}
	return tea.ExecProcess(msg.cmd, func(err error) tea.Msg {
		text, failed := msg.take()
		if err != nil { // such as exit status 1: editors say so that the text is not to be used
			failed = err
		}
		return editedMsg{plain.Text(text), msg.draft, failed}
	})
}

// takeEdited replaces the draft by the text of the user's own editor. What was pasted and is
// unchanged is a chip again. If something has come into the editor meanwhile, it stays.
func (e *editor) takeEdited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		e.transcript.addEntry(&noticeBlock{"error", "the draft is as it was; the editor: " +
			plain.OneLine(plain.Error(msg.err))})
		return nil
	}
	others, same := strings.CutSuffix(e.area.Text(), msg.draft)
	if !same || others != "" && !strings.HasSuffix(others, "\n") {
		others += "\n"
	}
	if len(others)+len(msg.text) > editorLimit {
		e.replaceText(others)
		return e.pasteContent(msg.text)
	}
	parts := e.chips.Refold(msg.text, msg.draft)
	for i := 0; i < len(parts); i += 2 {
		parts[i] = chip.Clean(cells.Clean(parts[i]))
	}
	e.replaceText(others + e.chips.Join(parts))
	return nil
}

// paste inserts clean text at the cursor.
func (e *editor) paste(text string) tea.Cmd {
	if e.search != nil {
		e.search.Paste(text)
		return nil
	}
	if !e.insert(text) {
		return e.refuse(len(text))
	}
	e.complete.findCommands()
	return nil
}

// replaceText replaces the text by clean text.
func (e *editor) replaceText(text string) {
	e.search = nil
	e.setText(text)
	e.complete.findCommands()
}

// swapStash puts the text away, or brings back the one that was put away; if there are both, they
// change places. It comes back by itself after the next prompt.
func (e *editor) swapStash() {
	text := e.area.Text()
	e.replaceText(e.stash)
	e.stash = text
}

// stashed reports whether a text was put away.
func (e *editor) stashed() bool { return e.stash != "" }

// clearText empties the editor.
func (e *editor) clearText() {
	e.setText("")
	if e.vim != nil {
		e.vim.Reset()
	}
	e.complete.close()
}

// refuse tells the user that the editor has not accepted pasted text of this size. A long paste
// takes seconds to arrive and the user may look away, so the message goes to the transcript.
func (e *editor) refuse(size int) tea.Cmd {
	text := fmt.Sprintf(
		"too long for the editor, which holds %d KB: the %d KB are not pasted; save them to a "+
			"file and name it",
		editorLimit>>10, max(1, size>>10))
	e.transcript.addEntry(&noticeBlock{"error", text})
	return e.toasts.addToast("error",
		"too long for the editor: save it to a file and name the file")
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

func (e *editor) value() string { return e.area.Text() }

// blank reports whether nothing is being written or searched.
func (e *editor) blank() bool { return e.area.Text() == "" && e.search == nil }

func (e *editor) setText(text string) { e.area.Replace(text) }

// insert inserts clean text at the cursor. It reports false if the text would become too long.
func (e *editor) insert(text string) bool {
	if len(e.area.Text())+len(text) > editorLimit {
		return false
	}
	e.area.Insert(text)
	return true
}

// edit handles an editing key. It reports false if there is no room for it.
func (e *editor) edit(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "ctrl+j", "shift+enter":
		return e.insert("\n")
	case "up":
		if !e.area.Vertical(-1) {
			e.recall(-1)
		}
	case "down":
		if !e.area.Vertical(1) {
			e.recall(1)
		}
	default:
		msg.Text = chip.Clean(msg.Text)
		if len(e.area.Text())+e.area.Grows(msg) > editorLimit {
			return false
		}
		e.area.Key(msg)
	}
	return true
}

// continued replaces a backslash before the cursor by a line end.
func (e *editor) continued() bool {
	return e.area.ReplaceBefore(`\`, "\n")
}

// takeText empties the editor and returns its text.
func (e *editor) takeText() string {
	text := strings.TrimSpace(e.area.Text())
	e.area.Set("")
	if e.vim != nil {
		e.vim.Reset()
	}
	e.past.Append(text)
	return text
}

// recall goes back (-1) or forward (1) in the earlier prompts.
func (e *editor) recall(step int) {
	if text, ok := e.past.Step(step, e.area.Text()); ok {
		e.area.Replace(text)
	}
}

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
		return longest(width, "Enter steers, alt+enter waits until this is done",
			"Enter steers, alt+enter waits", "Enter steers")
	}
	return longest(width, "Ask, or type / for commands, ! for the shell",
		"Ask, / for commands, ! for the shell", "Ask, / commands, ! shell", "Ask, or type /", "Ask")
}

// rule returns the line above the editor. It says where the text goes, if not to the model.
func (e *editor) rule(width int) string {
	if e.search != nil {
		found := "search: " + e.search.Count()
		return titleRule(e.theme, longest(titleRoom(width),
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
	if e.search != nil {
		return e.layoutSearch(width, height)
	}
	cursor := e.markSelection()
	lines, x, y := e.area.Layout(width-gutter, height)
	cursor.Position = tea.Position{X: x + gutter, Y: y}
	if e.area.Text() == "" {
		lines = []string{e.theme.dim.Render(cells.Fit(e.hint(width-gutter), width-gutter))}
	}
	mark := e.theme.user.Render(prompt)
	if shellMode(e.area.Text()) != "" {
		mark = e.theme.warn.Render("$ ")
	}
	for i, l := range lines {
		if i == 0 && !e.area.Scrolled() {
			lines[i] = mark + l
		} else {
			lines[i] = strings.Repeat(" ", gutter) + l
		}
	}
	return lines, cursor
}

// layoutSearch draws the prompt that the search has found, and the query below it.
func (e *editor) layoutSearch(width, height int) ([]string, *tea.Cursor) {
	match, query, x := e.search.Layout(width-gutter, height-1)
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
	e := k.editor
	if e.search == nil {
		return nil, false
	}
	result := e.search.Key(msg)
	if result == recall.Used {
		return nil, true
	}
	if text, found := e.search.Match(); found && result != recall.Left {
		e.area.Replace(text)
	}
	e.search = nil
	return nil, result != recall.Unused
}

// leaveSearch ends a search without taking anything, and reports whether there was one.
func (e *editor) leaveSearch() bool {
	was := e.search != nil
	e.search = nil
	return was
}

// Prompt is a text that was sent. Pasted are its parts that were long pasted texts, as offsets in
// bytes, in order.
type Prompt struct {
	Text   string
	Pasted [][2]int
}

// Prompts were sent before, the oldest first.
type Prompts struct{ Own, Others []Prompt }

// promptsMsg holds the prompts of earlier starts, each in its parts: see chip.Split.
type promptsMsg struct {
	own, others [][]string
	err         error
}

// rememberedMsg is the result of keeping a prompt for later starts.
type rememberedMsg struct{ err error }

// askPrompts requests the prompts of earlier starts.
func askPrompts(b Backend) tea.Cmd {
	f := b.Prompts
	if f == nil {
		return nil
	}
	return func() tea.Msg {
		p, err := f()
		return promptsMsg{promptParts(p.Own), promptParts(p.Others), err}
	}
}

// promptParts returns the parts of prompts, without control characters.
func promptParts(list []Prompt) (out [][]string) {
	for _, p := range list {
		parts := chip.Split(p.Text, p.Pasted)
		for i, part := range parts {
			if i%2 == 0 {
				parts[i] = chip.Clean(cells.Clean(part))
			} else {
				parts[i] = plain.Text(part)
			}
		}
		out = append(out, parts)
	}
	return out
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
