package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/tui/internal/cells"
	"github.com/agentscripts/agent/tui/internal/chip"
	"github.com/agentscripts/agent/tui/internal/textarea"
)

// completionsShown is the greatest number of completions visible at once.
const completionsShown = 6

// nameCells and widestName are the least and the greatest width of the column of names.
const nameCells, widestName = 15, 40

// completion offers slash commands while one is typed, a command's arguments when tab asks for
// them, files for mentions, and what scripts offer for words with their prefixes.
type completion struct {
	*shared
	area     *textarea.Area   // the text to complete
	commands func() []Command // all commands
	themes   func() []ui.Choice

	matches []Command // Name is the offered text
	offered []Command // all arguments that the command has offered
	head    string    // the text before it: "/", or a command with its space
	tail    string    // the text after it
	asked   string    // the text for which commands are listed
	at      int
	moved   bool               // the user has chosen at
	stop    context.CancelFunc // ends the question about the previous word, nil = there was none
	words   int                // how many of the matches are a script's, in a list for a word
}

// wordHead is the head of a list of what can replace a word: files, and what scripts offer.
const wordHead = "@"

// Completion is one possible continuation of a command's arguments.
type Completion struct{ Value, Description string }

// completionsMsg is a command's completions for the arguments in text.
type completionsMsg struct {
	text  string
	list  []Completion
	exact bool // the command was asked about this text, and knows what fits it
}

// handleMsg implements component.
func (c *completion) handleMsg(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case commandsMsg:
		if !c.openList() || c.head == "/" { // another list has nothing to do with them
			c.findCommands()
		}
	case completionsMsg:
		c.arguments(msg)
	case wordsMsg:
		c.offerWords(msg)
	}
	return nil
}

// key implements component. It handles the keys of an open list except enter, which also sends.
func (c *completion) key(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	if !c.openList() {
		return nil, false
	}
	switch msg.String() {
	case "esc":
		c.close()
	case "enter":
		if c.head != wordHead {
			return nil, false // it also sends
		}
		return c.acceptWord(), true
	case "tab":
		if c.head == wordHead {
			return c.acceptWord(), true
		}
		c.accept()
	case "up":
		c.move(-1)
	case "down":
		c.move(1)
	default:
		return nil, false
	}
	return nil, true
}

// typed updates the list after an edit of the text.
func (c *completion) typed() tea.Cmd {
	if word := c.word(); c.wants(word) {
		if c.head != wordHead {
			c.close()
		}
		return c.askWord(word)
	}
	if c.openList() && c.head != "/" && c.head != wordHead {
		return c.narrowArguments()
	}
	c.findCommands()
	if c.area.Text() == "/" { // a command begins; scripts may have added some
		return askCommands(c.backend)
	}
	return nil
}

// askCommand asks the command in the text to complete its arguments: those that begin with what was
// typed and, if there are none, all that have its letters in the last word.
func (c *completion) askCommand() tea.Cmd {
	f, text := c.backend.Complete, c.area.Text()
	if strings.HasPrefix(text, "/theme ") { // a command of the screen, which knows its arguments
		var list []Completion
		for _, x := range c.themes() {
			list = append(list, Completion{x.Value, x.Description})
		}
		return func() tea.Msg { return completionsMsg{text: text, list: list} }
	}
	if f == nil || !wantsArguments(text) {
		return nil
	}
	return func() tea.Msg {
		list, word := f(text), strings.LastIndexByte(text, ' ')+1
		exact := len(list) > 0
		if !exact && word < len(text) {
			list = f(text[:word])
		}
		return completionsMsg{text, list, exact}
	}
}

// arguments offers a command's completions, if its line is still in the editor. A single one that
// goes on with the text is taken.
func (c *completion) arguments(msg completionsMsg) {
	text := c.area.Text()
	if text != msg.text {
		return
	}
	c.close()
	name, typed, _ := strings.Cut(text, " ")
	c.head, c.tail, c.offered = name+" ", "", nil
	for _, o := range msg.list {
		value := chip.Clean(plain.FirstLine(cells.Clean(o.Value)))
		c.offered = append(c.offered, Command{Name: value, Description: o.Description})
	}
	if c.matches = rankArguments(typed, c.offered); len(c.matches) == 0 && msg.exact {
		c.matches = c.offered
	}
	if len(c.matches) == 1 && strings.HasPrefix(c.matches[0].Name, typed) {
		c.accept()
	}
}

// narrowArguments updates the open list of arguments after a key. For a further word, the command
// is asked again.
func (c *completion) narrowArguments() tea.Cmd {
	typed, same := strings.CutPrefix(c.area.Text(), c.head)
	c.close()
	if !same {
		c.findCommands()
		return nil
	}
	if strings.HasSuffix(typed, " ") {
		return c.askCommand()
	}
	c.matches = rankArguments(typed, c.offered)
	return nil
}

// rankArguments returns the arguments that fit what was typed: the same one, those that begin with
// it, those that contain it, those that have its letters in order, and if there are none, those
// whose description contains it.
func rankArguments(typed string, all []Command) []Command {
	lower := strings.ToLower(typed)
	var names []string
	var best [4][]Command
	for _, o := range all {
		names = append(names, o.Name)
		switch name := strings.ToLower(o.Name); {
		case o.Name == typed:
			best[0] = append(best[0], o)
		case strings.HasPrefix(name, lower):
			best[1] = append(best[1], o)
		case strings.Contains(name, lower):
			best[2] = append(best[2], o)
		case strings.Contains(strings.ToLower(o.Description), lower):
			best[3] = append(best[3], o)
		}
	}
	out := slices.Concat(best[:3]...)
	if len(out) > 0 {
		return out
	}
	for _, m := range fuzzy.Find(typed, names) {
		out = append(out, all[m.Index])
	}
	if len(out) > 0 {
		return out
	}
	return best[3]
}

// wantsArguments reports whether text is a command line whose arguments a command may complete.
func wantsArguments(text string) bool {
	return strings.HasPrefix(text, "/") && strings.Contains(text, " ") &&
		!strings.Contains(text, "\n")
}

// findCommands finds the commands that the text may mean. The highlighted one stays while the text
// does: scripts may add commands between the look at the list and Enter.
func (c *completion) findCommands() {
	text, before := c.area.Text(), ""
	if c.openList() && c.head == "/" && c.asked == text {
		before = c.matches[c.at].Name
	}
	c.moved = c.moved && before != ""
	c.matches, c.head, c.tail, c.asked, c.at = nil, "/", " ", text, 0
	name, isCommand := strings.CutPrefix(text, "/")
	if !isCommand || strings.ContainsAny(name, " \n") {
		return
	}
	c.matches = rankCommands(name, c.commands())
	if len(c.matches) == 1 && c.matches[0].Name == name { // nothing left to complete
		c.matches = nil
	}
	for _, chosen := range []string{name, before} {
		if at := slices.IndexFunc(c.matches,
			func(cmd Command) bool { return cmd.Name == chosen }); at >= 0 {
			c.at = at // a complete name means itself, even if others begin with it
		}
	}
}

// lettersRanked is how many letters are needed to find a command that does not begin with them: one
// is in most names.
const lettersRanked = 2

// rankCommands returns the commands whose name begins with a text, and after them, unless the text
// is a whole name, those that have its letters in order.
func rankCommands(text string, all []Command) []Command {
	var begin, rest []Command
	var names []string
	whole := false
	for _, cmd := range all {
		if strings.HasPrefix(cmd.Name, text) {
			begin = append(begin, cmd)
			whole = whole || cmd.Name == text
		} else {
			rest, names = append(rest, cmd), append(names, cmd.Name)
		}
	}
	if whole || len(text) < lettersRanked {
		return begin
	}
	for _, m := range fuzzy.Find(text, names) {
		begin = append(begin, rest[m.Index])
	}
	return begin
}

func (c *completion) openList() bool { return len(c.matches) > 0 }

func (c *completion) close() { c.matches, c.at = c.matches[:0], 0 }

// move goes up or down in the list and wraps around at its ends.
func (c *completion) move(step int) {
	c.at, c.moved = (c.at+step+len(c.matches))%len(c.matches), true
}

// meant reports whether Enter means the highlighted completion: the text is the beginning of its
// name, or the user has moved to it. Otherwise the text means itself, even if a name has its
// letters: the command of a script may not be listed yet.
func (c *completion) meant() bool {
	return c.openList() && (c.head != "/" || c.moved ||
		strings.HasPrefix(c.head+c.matches[c.at].Name, c.area.Text()))
}

// takeEnter puts the highlighted completion into the text, if the list is open and the text means
// it. It reports whether the text is sent then: the next Enter sends a command that needs
// arguments.
func (c *completion) takeEnter() (send bool) {
	if !c.meant() {
		return true
	}
	send = c.head != "/" || c.area.Text() == "/"+c.matches[c.at].Name || !c.matches[c.at].needs()
	c.accept()
	return send
}

// needs reports whether the command cannot do without arguments.
func (c Command) needs() bool { return c.Hint != "" && !c.Picks && c.Hint[0] != '[' }

// accept puts the highlighted completion into the text, if the list is open.
func (c *completion) accept() {
	if c.openList() && c.head != wordHead {
		c.area.Replace(c.head + c.matches[c.at].Name + c.tail)
		c.close()
	}
}

// mostFiles is how many files are offered for a word.
const mostFiles = 50

// wordsMsg lists what can replace a word, the best first.
type wordsMsg struct {
	word  string
	list  []Completion // of a script
	files []string     // if the word is a mention
}

// word returns the word before the cursor.
func (c *completion) word() string {
	before := c.area.Before()
	return before[strings.LastIndexAny(before, " \n(")+1:]
}

// wants reports whether a word is completed: a mention of a file, or one of a script's.
func (c *completion) wants(word string) bool {
	return c.backend.Files != nil && strings.HasPrefix(word, "@") || c.scripted(word)
}

// scripted reports whether a script completes a word.
func (c *completion) scripted(word string) bool {
	return c.backend.Completes != nil && word != "" && c.backend.Completes(word)
}

// askWord asks a script, and ranks the project's files, outside of Update: there may be many.
func (c *completion) askWord(word string) tea.Cmd {
	complete, files := c.backend.CompleteWord, c.backend.Files
	if !c.scripted(word) {
		complete = nil
	}
	mention, ok := strings.CutPrefix(word, "@")
	if !ok {
		files = nil
	}
	if c.stop != nil {
		c.stop()
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	return func() tea.Msg {
		defer stop()
		msg := wordsMsg{word: word}
		if complete != nil {
			msg.list = complete(ctx, word)
		}
		if files != nil {
			msg.files = rankFiles(mention, files())
		}
		return msg
	}
}

// rankFiles returns the files that fit a word: first those whose name begins with it, then those
// that contain it, then those that have its letters in order.
func rankFiles(word string, files []string) []string {
	word = strings.ToLower(word)
	var begin, contain []string
	for _, f := range files {
		lower := strings.ToLower(f)
		name := strings.TrimSuffix(lower, "/")
		switch {
		case strings.HasPrefix(lower, word),
			strings.HasPrefix(name[strings.LastIndexByte(name, '/')+1:], word):
			begin = append(begin, f)
		case strings.Contains(lower, word):
			contain = append(contain, f)
		}
	}
	out := append(begin, contain...)
	if len(out) < mostFiles && word != "" {
		for _, m := range fuzzy.Find(word, files) {
			if len(out) < mostFiles && !slices.Contains(out, m.Str) {
				out = append(out, m.Str)
			}
		}
	}
	return out[:min(len(out), mostFiles)]
}

// offerWords shows what can replace the word before the cursor, if it is still the same.
func (c *completion) offerWords(msg wordsMsg) {
	if c.word() != msg.word {
		return
	}
	c.close()
	c.head, c.tail, c.words = wordHead, "", 0
	for _, o := range msg.list {
		value := chip.Clean(plain.FirstLine(cells.Clean(o.Value)))
		if value != "" && value != msg.word {
			c.matches = append(c.matches, Command{Name: value, Description: o.Description})
			c.words++
		}
	}
	for _, f := range msg.files {
		if "@"+f != msg.word {
			c.matches = append(c.matches, Command{Name: f})
		}
	}
}

// acceptWord puts what is highlighted into the text. After a directory the list goes on with what
// is in it.
func (c *completion) acceptWord() tea.Cmd {
	word, chosen, scripted := c.word(), c.matches[c.at].Name, c.at < c.words
	c.close()
	switch {
	case scripted:
		c.area.ReplaceBefore(word, chosen+" ")
		return nil
	case !strings.HasPrefix(word, "@"):
		return nil
	}
	text := mentionText(chosen)
	folder := strings.HasSuffix(text, "/")
	if !folder {
		text += " "
	}
	c.area.ReplaceBefore(word, text)
	if !folder {
		return nil
	}
	return c.askWord("@" + chosen)
}

// mentionText returns the word that mentions a file.
func mentionText(path string) string {
	if odd := cells.Clean(path) != path; odd || strings.ContainsAny(path, " \"\n(") {
		return "@" + strconv.Quote(path)
	}
	return "@" + path
}

// layout implements component: it draws the part of the list around the highlighted completion.
func (c *completion) layout(width, _ int) ([]string, *tea.Cursor) {
	if !c.openList() {
		return nil, nil
	}
	th := c.theme
	from := max(0, min(c.at-completionsShown/2, len(c.matches)-completionsShown))
	var out []string
	shown := c.matches[from:min(from+completionsShown, len(c.matches))]
	names, column := make([]string, len(shown)), nameCells
	for i, cmd := range shown {
		names[i] = plain.OneLine(cells.Clean(cmd.Name))
		if c.head == "/" {
			names[i] = "/" + names[i]
			if cmd.Hint != "" {
				names[i] += " " + plain.FirstLine(cells.Clean(cmd.Hint))
			}
		}
		column = max(column, min(cells.Width(names[i]), widestName, width/2))
	}
	for i, cmd := range shown {
		text := fmt.Sprintf("%-*s %s", column, names[i],
			plain.FirstLine(cells.Clean(cmd.Description)))
		if cmd.Script != "" {
			text += " [" + cells.Clean(cmd.Script) + "]"
		}
		if text = cells.Fit(text, width-2); from+i == c.at && c.meant() {
			out = append(out, th.choice.Render("› "+text))
		} else {
			out = append(out, "  "+th.dim.Render(text))
		}
	}
	return out, nil
}
