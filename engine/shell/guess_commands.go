// This file guesses which commands a program may run from its words.

package shell

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

const (
	// maxCarried limits how many words of a command are examined.
	maxCarried = 200
	// maxGuesses limits how many suffixes of one word are read as commands, and maxGuess the length
	// of each in bytes.
	maxGuesses, maxGuess = 20, 4 << 10
	// maxTokens limits how many words of a text are read after the name of a program.
	maxTokens = 40
	// maxGuessed limits the whole search, in words and in bytes of parsed text; perCommand is the
	// fixed cost of a command.
	maxGuessed, perCommand = 10_000, 10
)

// Carried are the commands that c may run besides those of the list, guessed from its words: docker
// exec, git bisect run, tar --to-command, and any command among the words of an unknown program.
// The list is a guess: a command in it may not run, and others may. An entry without words is an
// unknown command, and Hides says why: "words" if they are too many or too long, otherwise as in
// Command.
func (c *Command) Carried() []Command {
	left := maxGuessed
	g := c.guesses(&left)
	all := append(g.all, g.loose...)
	if g.hides != "" {
		all = append(all, Command{Via: c.via(), Hides: g.hides, From: -1})
	}
	return all
}

// guess holds what one command may run.
type guess struct {
	c     *Command
	reach reach
	all   []Command // read as a shell reads them
	files []Redirect
	loose []Command // words of a text in any language
	hides string    // why there may be others; "" = there are none
	left  *int      // of maxGuessed
}

// guesses returns what c may run, as far as left allows.
func (c *Command) guesses(left *int) *guess {
	g := &guess{c: c, reach: c.reach(), left: left}
	g.assigned()
	if g.reach == inert {
		g.flagged()
		return g
	}
	if g.tokens(c.stdinText); connects()[c.Name] { // a shell may have input there
		one := *c
		one.given, g.c = true, &one
	}
	if len(c.Argv) > maxCarried {
		g.opaque("words")
	}
	if g.reach == free {
		g.tokens(strings.Join(c.Argv[1:min(len(c.Argv), maxCarried)], " "))
	}
	for i := 1; i < min(len(c.Argv), maxCarried) && *left >= 0; i++ {
		if all := c.may(i); all != nil {
			for _, text := range all[:min(len(all), maxGuesses)] {
				g.word(i, text)
			}
			continue
		}
		switch {
		case g.reach == spoken:
			g.tokens(c.Argv[i])
		case c.runsUnknown(i):
			g.opaque("dynamic")
		}
	}
	// xargs docker exec c
	if g.reach == free && c.Open && (places()[c.Name] && !unknownIn(c.Static) ||
		mayCarry(c, carriers()[c.Name])) {
		g.opaque("stdin")
	}
	return g
}

// connects are programs that pass data from another machine to a command that they run.
var connects = setOf("nc ncat netcat socat")

// assigned adds what is run by the values of variables that c exports or that are set for it:
// CC='rm -r x' make.
func (g *guess) assigned() {
	for i := 0; i < len(g.c.Values) && len(g.c.Argv) > 0; i++ {
		if g.c.Values[i] != nil {
			g.value(*g.c.Values[i])
		}
	}
}

// value adds the commands that a value runs.
func (g *guess) value(text string) {
	if !strings.ContainsAny(text, shellSigns) || !g.spend(len(text)) {
		return
	}
	if text[0] == '-' { // options
		g.tokens(text)
		return
	}
	s := g.script()
	s.parseText(text, g.c.origin())
	g.addScript(s)
}

// running are parts of flag names that take a command as their value in any program.
var running = listOf(
	"exec cmd command hook askpass helper program script pager editor rsh shell")

// runsFlag reports whether a word is such a flag.
func runsFlag(flag string) bool {
	return strings.HasPrefix(flag, "--") && !strings.ContainsAny(flag, shellSigns) &&
		anyOf(strings.Split(flag[2:], "-"), func(part string) bool {
			return anyOf(running(),
				func(r string) bool { return strings.HasPrefix(part, r) })
		})
}

// flagged adds the values of such flags, for a program that runs none of its other words, and the
// file names that a wrapper treats as commands: strace -o '|rm'.
func (g *guess) flagged() {
	for i := 1; i < min(len(g.c.Argv), maxCarried) && *g.left >= 0; i++ {
		flag, value, has := strings.Cut(g.c.info[i].prefix, "=")
		if pipe := strings.TrimLeft(cmp.Or(value, flag), "|!"); Wraps(g.c.Name) &&
			pipe != cmp.Or(value, flag) {
			g.text(pipe)
		}
		if !runsFlag(flag) {
			// env CC=COMMAND, systemd-run -p ExecStart=COMMAND
			for n := 0; n < maxGuesses && has && Wraps(g.c.Name); n++ {
				g.value(value)
				_, value, has = strings.Cut(value, "=")
			}
			continue
		}
		if !has {
			if i++; i == len(g.c.Argv) {
				break
			}
			value = g.c.info[i].prefix
		}
		all := g.c.may(i)
		if g.reach = free; all == nil && value == "" {
			g.opaque("dynamic")
		}
		for _, text := range all[:min(len(all), maxGuesses)] {
			g.word(i, text)
		}
		g.reach = inert
	}
}

// spend subtracts n from the remaining limit, and reports whether that much was left.
func (g *guess) spend(n int) bool {
	if *g.left -= n; *g.left < 0 {
		g.opaque("words")
	}
	return *g.left >= 0
}

// opaque notes that something is unknown, and why.
func (g *guess) opaque(why string) {
	if g.hides == "" {
		g.hides = why
	}
}

// word adds the commands that word i, with this text, may run.
func (g *guess) word(i int, text string) {
	if g.reach == spoken && g.c.Argv[i-1] == "--" {
		g.tail(i, text)
	}
	if g.reach == spoken && !strings.ContainsAny(text, shellSigns) {
		return
	}
	if g.reach == free {
		if !g.c.carries() && !onlyQueries(g.c, i) && isCode(g.c.Argv[i-1], text) {
			g.opaque("interpreter")
		}
		g.tail(i, text)
	}
	if g.reach == spoken || !g.c.Static[i] {
		g.tokens(text)
	}
	signs := "=:"
	if connectsBy()[g.c.Name] { // -o 'ProxyCommand COMMAND'
		signs = "=: "
	}
	rest := short(text)
	// -hex is not -h ex
	if rest != text && g.reach == free && !wholeFlags()[g.c.Name] &&
		(len(rest) > 2 || !interprets(rest)) {
		g.tail(i, rest)
	}
	for n := 0; ; n++ { // -OCOMMAND, --flag=COMMAND, EXEC:COMMAND, alias.x=!COMMAND
		if n == maxGuesses || len(rest) > maxGuess {
			g.opaque("words")
			break
		}
		rest = strings.TrimLeft(rest, "! ")
		g.text(rest)
		at := strings.IndexAny(rest, signs)
		if at < 0 || address().MatchString(rest) {
			break
		}
		if rest = rest[at+1:]; g.reach == free {
			g.tail(i, rest)
		}
	}
}

// wholeFlags are programs of which -name is one flag.
var wholeFlags = setOf("packer terraform tofu nomad consul vault java ant")

// connectsBy are programs that take settings of ssh.
var connectsBy = setOf("ssh scp sftp rsync")

// shellSigns are characters that make a text more than one word to a shell; codeSigns are
// characters of programs in other languages.
const (
	shellSigns = " \t\n;&|<>()[]{}$`'\"\\"
	codeSigns  = "(){};$`\\"
)

// codeFlags are words that are followed by a program in another language.
var codeFlags = setOf("-e -c -exec --eval --exec --execute --command --cmd --code eval")

// isCode reports whether a word is such a program, judged by the word before it.
func isCode(before, text string) bool {
	if flag, value, has := strings.Cut(text, "="); has && codeFlags()[flag] {
		before, text = flag, value
	}
	return codeFlags()[before] && strings.ContainsAny(text, codeSigns)
}

// tail adds the command that begins with word i, if that word is text.
func (g *guess) tail(i int, text string) {
	if text == "" || strings.ContainsAny(text, shellSigns) || !g.spend(len(g.c.Argv)-i) {
		return
	}
	one := g.c.part(i, len(g.c.Argv))
	if over := slices.Index(one.Argv, "--"); text != one.Argv[0] || over > 0 {
		one.Argv, one.Static, one.info = slices.Clone(one.Argv), slices.Clone(one.Static),
			slices.Clone(one.info)
		one.Argv[0], one.Static[0], one.info[0] = text, true, word{prefix: text}
		if over > 0 { // the flag may be a word of c itself: npm exec rm -- -r
			one.Argv, one.Static, one.info = slices.Delete(one.Argv, over, over+1),
				slices.Delete(one.Static, over, over+1), slices.Delete(one.info, over, over+1)
		}
	}
	if one.Name = path.Base(text); !Wraps(one.Name) || builtins()[one.Name] {
		g.all = append(g.all, one)
		return
	}
	s := g.script()
	s.addCommand(&one)
	g.addScript(s)
	// and not a name
	if one.given || len(one.Argv) > 1 && (!one.Static[1] || strings.HasPrefix(one.Argv[1], "-")) {
		g.unknown(s)
	}
}

// builtins are commands that only shells have: no other program runs them.
var builtins = setOf("exec eval source . trap alias command builtin --")

// text adds the commands that text runs if it is a shell script.
func (g *guess) text(text string) {
	if !strings.ContainsAny(text, shellSigns) || !g.spend(len(text)) {
		return
	}
	s := g.script()
	s.parseText(text, g.c.origin())
	s.resolveWords()
	if g.addScript(s); !address().MatchString(text) {
		g.unknown(s)
	}
	for i := range s.Commands { // zork "zork sh -c 'COMMAND'"
		if c := &s.Commands[i]; *g.left >= 0 && anyOf(c.Argv,
			func(w string) bool { return strings.ContainsAny(w, shellSigns) }) {
			inner := c.guesses(g.left)
			g.all, g.files = append(g.all, inner.all...), append(g.files, inner.files...)
		}
	}
	var wrong syntax.ParseError
	switch {
	case errors.As(s.Err, &wrong):
		g.text(linesBefore(text, int(wrong.Pos.Line())))
	case s.Err != nil: // a shell may read it in another way
		g.opaque("dynamic")
	}
}

// linesBefore returns the lines of a text before one of them, or without the last one: a shell runs
// them before it finds an error there.
func linesBefore(text string, line int) string {
	at := len(text)
	for n := strings.Count(text, "\n") + 1; n >= max(line, 2) || at == len(text); n-- {
		if at = strings.LastIndexByte(text[:at], '\n'); at < 0 {
			return ""
		}
	}
	return text[:at]
}

// address matches a network address, in which ? is not a pattern.
var address = lazyregexp.New("^([a-z][a-z0-9+.-]*:)?//[^\\s'\"`$;(){}<>|]*$")

// script returns a Script that may have as many words as are left.
func (g *guess) script() *Script {
	return &Script{words: maxWords - max(0, min(maxWords, *g.left/perCommand))}
}

// addScript adds the commands that a script runs.
func (g *guess) addScript(s *Script) {
	n := 0
	for i := range s.Commands {
		n += perCommand + len(s.Commands[i].Argv)
	}
	if g.spend(n); s.words > maxWords {
		g.opaque("words")
	}
	g.all, g.files = append(g.all, s.Commands...), append(g.files, s.Redirects...)
}

// unknown adds an entry for commands of a script that the guess cannot find. A shell that only
// reads its input needs one only if there is input.
func (g *guess) unknown(s *Script) {
	for _, o := range s.Opaque() {
		c := &s.Commands[o.Command]
		if o.Kind == "stdin" && !c.given || isList(c.Argv) || o.Kind == "alias" &&
			!anyOf(c.Argv, func(w string) bool {
				return strings.Contains(w, "=") ||
					strings.HasPrefix(w, "-")
			}) {
			continue
		}
		g.opaque(o.Kind)
		return
	}
}

// isList reports whether what a shell would read as a pattern begins a list in another language:
// ["a", "b"].
func isList(argv []string) bool {
	return len(argv) > 0 && Pattern(argv[0]) && (argv[0][0] == '[' ||
		!strings.Contains(argv[0], "/"))
}

// tokens adds what text may run in any language: each word in it may be a program, and the words
// that follow are its arguments. The first entry names no program, so that rules about words alone
// see all of them.
func (g *guess) tokens(text string) {
	all := append([]string{"?"}, strings.FieldsFunc(text, func(r rune) bool {
		return !(unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-./+~@%*", r))
	})...)
	if len(all) < 3 && !strings.ContainsAny(text, shellSigns) {
		return
	}
	if !g.spend(len(all)) {
		return
	}
	static, info := make([]bool, len(all)), make([]word, len(all))
	for i, w := range all {
		static[i], info[i].prefix = true, w
	}
	for i, name := range all {
		end := len(all)
		if i > 0 {
			end = min(end, i+maxTokens)
		}
		g.loose = append(g.loose,
			Command{Name: path.Base(name[strings.LastIndexByte(name, '%')+1:]),
				Argv: all[i:end:end], Static: static[i:end:end], Via: g.c.via(), Line: g.c.Line,
				From: -1, Pos: g.c.Pos, Text: g.c.Text, info: info[i:end:end], in: g.c.in})
	}
}

// projects are programs whose run subcommand runs a program of the project.
var projects = setOf("go cargo npm pnpm yarn bun")

// entering are words that are followed by the name of a place and then a command.
var entering = setOf("exec run -i -t -it -ti -T -d --rm --interactive --tty")

// runsUnknown reports whether the unknown word i is in a place where c expects a command.
func (c *Command) runsUnknown(i int) bool {
	before, flag := c.Argv[i-1], strings.HasPrefix(c.Argv[i-1], "-")
	if contains(strings.Fields(runners), c.Name) {
		return !flag || !contains([]string{"-t", "-s", "-n", "-L", "-S", "-F"}, before)
	}
	if c.info[i].splits && mayCarry(c, carriers()[c.Name]) && unknownSub(c) == i {
		return true
	}
	if c.Name == "rsync" && strings.HasPrefix(c.info[i].prefix, "ssh ") { // words of ssh
		return false
	}
	if places()[c.Name] && (c.info[i].splits && c.info[i].shapes == nil || before == "--" ||
		i > 2 && c.info[i].prefix == "" && !flag && entering()[c.Argv[i-2]]) {
		return true
	}
	key, _, set := strings.Cut(c.info[i].prefix, "=")
	for _, w := range carriers()[c.Name] {
		switch {
		case w == always:
		case w[0] != '-':
			own := w == "run" && projects()[c.Name]
			if !own && !places()[c.Name] && (before == w || before == "--" && i > 1 &&
				c.Argv[i-2] == w) {
				return true
			}
		case set && before == w && !runsValue(key): // -c user.name="$X"
		case before == w, flag && c.Name != "git" && spells(before, w) &&
			strings.HasSuffix(before, w[len(w)-1:]) && !strings.HasPrefix(w, "--"),
			spells(c.info[i].prefix, w) && (len(c.info[i].prefix) > len(w) || len(w) == 2):
			return true
		}
	}
	return !c.carries() && (before == "--exec" || before == "--eval" || before == "--command")
}

// runsValue reports whether the value of a setting of git or ssh may be a command, by its name.
func runsValue(key string) bool {
	key = strings.ToLower(key)
	return anyOf(
		strings.Fields("alias pager editor cmd command hook ssh askpass helper proxy exec "+
			"program textconv process clean smudge fsmonitor driver"), func(part string) bool {
			return strings.Contains(key, part)
		})
}

// short returns a word without a leading short flag.
func short(word string) string {
	if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		return word[2:]
	}
	return word
}
