// This file generates command lines from tables.

package oracle

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// spellings are the ways to write a word, and places those to run a command, one on a line. ⇒ ends
// a statement that comes first, ⏎ stands for the end of a line, → for a tab, and ‹name› for what
// lines.fill returns.
//
//go:embed testdata/words.txt
var spellings string

//go:embed testdata/places.txt
var ways string

// prefixes run the command that follows them.
var prefixes = strings.Split("env|command|exec|nice|nohup|timeout 3|setsid -w|"+
	"env -i PATH=$PATH|env -S|time|!|builtin command|command -p|exec -a z|nice -n 5|env A=1|A=1|"+
	">z|<&-|2>&1 >z|env -u A|jobs -x|eval|builtin eval|env --|command --|time -p|jobs -x --|"+
	"env -C .|nohup --|timeout -k 1 3|timeout --foreground 3s|env -- A=1|exec --|exec -c", "|")

// lines generates one line. Each choice takes a byte; without more bytes it is the first, simplest
// possibility, so that every line ends.
type lines struct {
	choices []byte
	before  []string // statements that come first
	names   int      // of variables so far
	deep    int
}

// tableLine returns the line that choices select. It runs one of the goals: each is a command, with
// ‹word x› for a word that may be spelled in any way.
func tableLine(choices []byte, goals []string) string {
	l := &lines{choices: choices}
	line := l.place(l.form(goals[l.choose(len(goals))], ""))
	for n := l.choose(3); n > 0; n-- {
		line = l.place(line)
	}
	return strings.Join(append(l.before, line), l.pick("; ", "\n", " && "))
}

func (l *lines) choose(n int) int {
	if len(l.choices) == 0 || l.deep > 6 {
		return 0
	}
	c := int(l.choices[0]) % n
	l.choices = l.choices[1:]
	return c
}

func (l *lines) pick(all ...string) string { return all[l.choose(len(all))] }

// word returns a spelling of a word; most words are as they are.
func (l *lines) word(w string) string {
	all := strings.Split(strings.TrimSpace(spellings), "\n")
	if at := l.choose(250); w != "" && at < len(all) {
		return l.form(all[at], w)
	}
	return w
}

// place returns a line that runs a command in some way.
func (l *lines) place(c string) string {
	all := strings.Split(strings.TrimSpace(ways), "\n")
	return l.form(all[l.choose(len(all))], c)
}

// form fills in a line of a table. text is the word or the command.
func (l *lines) form(form, text string) string {
	l.deep++
	defer func() { l.deep-- }()
	name := fmt.Sprintf("v%d", l.names)
	l.names++
	form = strings.NewReplacer("⏎", "\n", "→", "\t").Replace(form)
	filled := placeholder.ReplaceAllStringFunc(form, func(found string) string {
		return l.fill(strings.Trim(found, "‹›"), text, name)
	})
	steps := strings.Split(filled, " ⇒ ")
	l.before = append(l.before, steps[:len(steps)-1]...)
	return steps[len(steps)-1]
}

var placeholder = regexp.MustCompile("‹[^›]*›")

// fill returns the text for a placeholder. name is the name of a variable of the form.
func (l *lines) fill(what, text, name string) string {
	switch what {
	case "w", "c":
		return text
	case "gap":
		return l.pick(" ", "  ", "\t", " \\\n")
	case "WORD":
		return l.word(text)
	case "head":
		return text[:1]
	case "tail":
		return text[1:]
	case "HEAD":
		return l.word(text[:1])
	case "TAIL":
		return l.word(text[1:])
	case "var":
		return name
	case "new": // a variable that is not set otherwise
		return name + "n"
	case "upper":
		return strings.ToUpper(text)
	case "back":
		b := []byte(text)
		slices.Reverse(b)
		return string(b)
	case "q":
		return l.quoted(text)
	case "called": // mapfile adds words to its command
		return l.quoted(text + " #")
	case "index":
		return l.quoted("a[$(" + text + ")]")
	case "ticked":
		return strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(text)
	case "awk":
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "'", `'\''`, "\n", `\n`).
			Replace(text) + `"`
	case "python":
		return quoteSingle("import os; os.system(" + strconv.QuoteToASCII(text) + ")")
	case "sed":
		return strings.NewReplacer(`\`, `\\`, "/", `\/`, "'", `'\''`, "&", `\&`, "\n", `\n`).
			Replace(text)
	case "prefix":
		return l.pick(prefixes...)
	case "junk":
		return l.junk()
	case "document":
		return l.document(text)
	}
	if format, ok := strings.CutPrefix(what, "each "); ok {
		return eachByte(text, format)
	}
	if word, ok := strings.CutPrefix(what, "word "); ok {
		return l.word(word)
	}
	panic("unknown placeholder " + what)
}

// quoted returns text as one word that means text, in some way.
func (l *lines) quoted(text string) string {
	switch l.choose(6) {
	case 1:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").
			Replace(text) + `"`
	case 2:
		return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(text) + "'"
	case 3:
		l.names++
		name := fmt.Sprintf("v%d", l.names)
		l.before = append(l.before, name+"="+quoteSingle(text))
		return `"$` + name + `"`
	case 4:
		return "$'" + eachByte(text, `\x%02x`) + "'"
	}
	return quoteSingle(text)
}

func quoteSingle(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// eachByte returns text with each byte in an escape sequence.
func eachByte(text, format string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// junkTokens confuse parsers.
var junkTokens = strings.Split(" |;|\n|'|\"|`|\\|$'|$\"|$(|)|${z|${z:-|}|(|((|))|[[|]]|#| #|<<E|"+
	"\nE\n|case z in|z)|;;|esac|{|if :;|then :;|fi|a[|]|=|a=(|~|!|&|$((|<(|$[|#'|'#|\t|\r|z|0|<<<|"+
	">z|<<-E|function f|f()|coproc|time|do|done|for i in 1;|=~|@(|?(|*(|$z|$#|${#|${!z|//|%%|\\\n|"+
	"\x00|\xff|é", "|")

// junk returns some tokens without a meaning.
func (l *lines) junk() string {
	var b strings.Builder
	for n := l.choose(8); n > 0; n-- {
		b.WriteString(l.pick(append(junkTokens, "|")...))
	}
	return b.String()
}

// document returns a here-document in which it is hard to see where it ends.
func (l *lines) document(c string) string {
	line := l.pick("cat", ": $(cat", ": `cat", "cat <<E", "f() { cat; }",
		"while :; do break; done") +
		l.pick(" <<", " <<-") + l.pick("E", "'E'", `"E"`, `\E`, "$'E'", `E""`, `$"E"`, "E\\\n",
		"'E\n'", "E;", "E|cat", "E&&:", "E)", "E#", "{E,}", "E`") + "\n"
	for n := l.choose(6); n > 0; n-- {
		line += l.pick("E", "\tE", " E", "E ", `E\`, "z", `z\`, `z\\`, "$(", "`", "'", `"`, "${z:-",
			"}", ")", "$((", "EE", `\`, "$E", "$(E", "E)", "E`", "E\r", "") + "\n"
		if l.choose(4) == 1 {
			line += c + "\n"
		}
	}
	return line + c + "\n" + l.pick("", "E", "E\n", "E\n)", "E`", "E\n`", "\tE") + "\n"
}

// eachTableLine calls check with lines that run one of the goals. check reports whether it ran the
// line.
func eachTableLine(t *testing.T, goals []string, check func(line string) bool) {
	t.Helper()
	n, seed := size(t, 3000)
	random, ran := rand.New(rand.NewPCG(seed, 0)), 0
	for range n {
		choices := make([]byte, 6+random.IntN(30))
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		if check(tableLine(choices, goals)) {
			ran++
		}
	}
	t.Logf("%d lines, of which %d were expected to do nothing, and ran", n, ran)
	if ran < n/200 {
		t.Errorf("only %d of %d lines ran: the test tests little", ran, n)
	}
}
