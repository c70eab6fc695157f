// This file reads commands as people write them in rules, such as rm -r * or git push *, and makes
// such a pattern of a command that the user has always allowed.

package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// CommandPattern is a command as written in a rule. The word * matches any number of words, or
// none. Within a word, * matches any text and ? one character.
type CommandPattern struct {
	Words []string
}

// ReadCommandPattern parses the words of a rule.
func ReadCommandPattern(text string) CommandPattern { return CommandPattern{strings.Fields(text)} }

// Rules returns p as rules that deny or ask. The first rule matches these words in this order, the
// second their meaning: rm -r * also matches rm -fr x and rm --recursive x. Flags that p does not
// name make no difference.
func (p CommandPattern) Rules(reason string) []Rule {
	if len(p.Words) == 0 {
		return nil
	}
	literal := Rule{words: p.Words, Reason: reason}
	if strings.Trim(p.Words[0], "*") != "" {
		literal.Cmd = []string{escapeClasses.Replace(path.Base(p.Words[0]))}
	}
	if meant, ok := p.meaning(literal); ok {
		return []Rule{literal, meant}
	}
	return []Rule{literal}
}

// escapeClasses quotes characters that are wildcards of path.Match but not of a CommandPattern.
var escapeClasses = strings.NewReplacer(`\`, `\\`, "[", `\[`)

// meaning returns the rule about the program, subcommand, flags and operands that p names. It
// returns false if p names no program or its flags are unknown. A rule about all programs would
// possibly match every unknown word.
func (p CommandPattern) meaning(r Rule) (Rule, bool) {
	if len(r.Cmd) == 0 {
		return r, false
	}
	c := Command{Name: path.Base(p.Words[0]), Argv: p.Words, Static: make([]bool, len(p.Words)),
		info: make([]word, len(p.Words))}
	for i, w := range p.Words {
		c.Static[i], c.info[i].prefix = true, w
	}
	a := c.sorted()
	r.words, r.line = nil, []string{}
	sub := 0 // the index of the subcommand
	if programs[a.program].subs != nil && a.first > 1 && len(a.subs) == 0 {
		if sub = a.first - 1; !wild(a.sub) {
			r.Sub = []string{a.sub}
		} else {
			r.line = append(r.line, a.sub)
		}
	}
	for i := 1; i < len(p.Words); i++ {
		switch w := p.Words[i]; {
		case i == sub || w == "--":
		case slices.Contains(a.operands, i):
			r.line = append(r.line, w)
		case len(w) > 1 && w[0] == '-':
			set := a.set
			if i < sub {
				set = flagsOf(a.program, "")
			}
			flags, value := set.splitFlags(w)
			if anyOf(flags, wild) {
				return r, false
			}
			if r.Flags = append(r.Flags, flags...); value != "" && !wild(value) {
				r.values = append(r.values, value)
			}
		case w != "*": // the value of the flag before it
			r.values = append(r.values, w)
		}
	}
	if len(r.line) > 0 && !anyOf(r.line, func(w string) bool { return w != "*" }) {
		r.line = nil
	}
	return r, true
}

// wild reports whether a word has a wildcard.
func wild(w string) bool { return strings.ContainsAny(w, "*?") }

// splitFlags returns the flags in a word, and the value in the same word.
func (f *flagSet) splitFlags(w string) (names []string, value string) {
	name, value, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
	if strings.HasPrefix(w, "--") || f.whole || len(name) < 2 {
		return []string{name}, value
	}
	for i, r := range name {
		one := string(r)
		if names = append(names, one); f.valued[one] {
			return names, strings.TrimPrefix(w[1+i+len(one):], "=")
		}
	}
	return names, value
}

// means reports whether a command matches the words that the rule got from a CommandPattern.
func (r *Rule) means(c *Command, a *args) answer {
	got := yes
	if r.words != nil {
		got = no
		if r.spelled(c) {
			got = yes
		}
	}
	if r.line != nil {
		got = min(got, r.ordered(c, a))
	}
	for _, v := range r.values {
		one := no
		for i := 1; i < len(c.Argv); i++ {
			one = max(one, argument{c, i, a}.holds(v))
		}
		got = min(got, one)
	}
	return got
}

// spelled reports whether the words of c match the rule. The program may be written with a path,
// and flags may come before the first word: git -C /x push.
func (r *Rule) spelled(c *Command) bool {
	for _, name := range []string{c.Argv[0], c.Name, strings.ToLower(c.Name)} {
		for i := 1; ; i++ {
			argv := append([]string{name}, c.Argv[min(i, len(c.Argv)):]...)
			if fitWords(r.words, argv) || glob.Text(strings.Join(r.words, " "),
				strings.Join(argv, " ")) {
				return true
			}
			flag := i < len(c.Argv) && strings.HasPrefix(c.Argv[i], "-")
			value := i > 1 && i < len(c.Argv) && strings.HasPrefix(c.Argv[i-1], "-")
			if !flag && !value {
				break
			}
		}
	}
	return false
}

// ordered reports whether c has the operands of the rule, in this order.
func (r *Rule) ordered(c *Command, a *args) answer {
	var all []int
	if len(r.Sub) == 0 && programs[a.program].subs != nil && a.first > 1 {
		all = append(all, a.first-1)
	}
	all = append(all, a.operands...)
	known := !c.Open
	for _, i := range all {
		known = known && c.may(i) != nil && !c.info[i].glob
	}
	if known {
		best := no
		if fitList(r.line, len(all), func(p string,
			at int) bool {
			return argument{c, all[at], a}.holds(p) == yes
		}) {
			best = yes
		} else if fitList(r.line, len(all), func(p string,
			at int) bool {
			return argument{c, all[at], a}.holds(p) != no
		}) {
			best = maybe
		}
		return best
	}
	for _, p := range r.line { // an unknown word may expand to any number of words
		if p != "*" && !c.Open && !slices.ContainsFunc(all,
			func(i int) bool { return argument{c, i, a}.holds(p) != no }) {
			return no
		}
	}
	return maybe
}

// holds reports whether the word, or a value in it, matches a word of a rule.
func (x argument) holds(pattern string) answer {
	c, i, a := x.c, x.i, x.a
	texts := c.may(i)
	if texts == nil || c.info[i].glob {
		return x.mayHold(pattern)
	}
	n := 0
	for _, text := range texts {
		if anyOf(parts(text, a),
			func(one string) bool {
				return glob.Text(pattern, one) ||
					glob.Text(pattern, path.Clean(one))
			}) {
			n++
		}
	}
	switch n {
	case 0:
		return no
	case len(texts):
		return yes
	}
	return maybe
}

// mayHold is holds for a word that is unknown, or is a pattern of file names.
func (x argument) mayHold(pattern string) answer {
	c, i := x.c, x.i
	if c.info[i].glob && c.Static[i] && !wild(pattern) {
		if p, ok := GoPattern(c.Argv[i]); ok && !c.info[i].mixed {
			if fit, err := path.Match(path.Clean(p), path.Clean(pattern)); err == nil &&
				!fit {
				return no
			}
		}
		return maybe
	}
	fixed := pattern
	if at := strings.IndexAny(pattern, "*?"); at >= 0 {
		fixed = pattern[:at]
	}
	if begins := c.info[i].prefix; c.info[i].splits || strings.HasPrefix(begins, fixed) ||
		strings.HasPrefix(fixed, begins) {
		return maybe
	}
	return no
}

// Allowed returns the index of the last of the patterns that allow the command line. It returns
// false if they do not allow each part of it, or if it hides what it does, writes a file by a
// redirection, or sets variables that change what runs. Words are compared as written.
func (s *Script) Allowed(patterns []CommandPattern) (which int, ok bool) {
	if s.Err != nil || len(s.Commands) == 0 {
		return 0, false
	}
	for _, to := range s.Redirects {
		if to.Writes && to.Path != "/dev/null" || to.Path == "" {
			return 0, false
		}
	}
	for i := range s.Commands {
		if which = s.allowing(patterns, i); which < 0 {
			return 0, false
		}
	}
	return which, true
}

// allowing returns the index of the pattern that allows command i, or -1.
func (s *Script) allowing(patterns []CommandPattern, i int) int {
	c := &s.Commands[i]
	if c.Hides == "dynamic" || len(c.Argv) == 0 || anyOf(c.Assign, Changes) ||
		unknownIn(c.Static) {
		return -1
	}
	if which := slices.IndexFunc(patterns, func(p CommandPattern) bool {
		return fitWords(p.Words, c.Argv) && (!Wraps(c.Name) || p.Words[0] == c.Argv[0])
	}); which >= 0 || len(c.Via) == 0 {
		return which
	}
	// A wrapper may be allowed together with its command: timeout * go test *.
	for j := i - 1; j >= 0; j-- {
		if by := &s.Commands[j]; len(by.Via) < len(c.Via) && by.Name == c.Via[len(c.Via)-1] {
			return slices.IndexFunc(patterns, func(p CommandPattern) bool {
				return fitWords(p.Words, by.Argv) && p.Words[0] == by.Argv[0] &&
					contains(p.Words[1:], c.Argv[0])
			})
		}
	}
	return -1
}

// fitWords reports whether words match those of a CommandPattern.
func fitWords(pattern, words []string) bool {
	return fitList(pattern, len(words), func(p string,
		at int) bool {
		return glob.Text(p, words[at])
	})
}

// fitList reports whether n items match patterns, where * matches any number of items, including
// none.
func fitList(pattern []string, n int, fits func(p string, at int) bool) bool {
	p, t, star, from := 0, 0, -1, 0
	for t < n {
		switch {
		case p < len(pattern) && pattern[p] == "*":
			star, from = p, t
			p++
		case p < len(pattern) && fits(pattern[p], t):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "*" {
		p++
	}
	return p == len(pattern)
}

// GoPattern translates a pattern of file names to one of path.Match. ok is false if that cannot
// express it: bash has character classes such as [[:alpha:]] and reads brackets that do not close,
// or hold a slash, as text.
func GoPattern(pattern string) (out string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		b.WriteByte(pattern[i])
		switch pattern[i] {
		case '\\':
			if i++; i < len(pattern) {
				b.WriteByte(pattern[i])
			}
		case '[':
			n := bracketLen(pattern[i:])
			if n == 0 {
				return "", false
			}
			set := pattern[i+1 : i+n]
			if set[0] == '!' {
				set = "^" + set[1:]
			}
			b.WriteString(set)
			i += n - 1
		}
	}
	return b.String(), true
}

// bracketLen returns the length of the brackets at the beginning of a pattern, 0 if path.Match
// reads them differently.
func bracketLen(pattern string) int {
	for i := 1; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '/', c == '[' && i+1 < len(pattern) &&
			strings.IndexByte(":.=", pattern[i+1]) >= 0:
			return 0
		case c == ']':
			return i + 1
		}
	}
	return 0
}

// mixesQuotes reports whether a word is a pattern of file names in which a quoted character would
// have another meaning without its quotes: '[id]'/*. The text of the word no longer shows that.
func mixesQuotes(w *syntax.Word) bool {
	var quoted, bare strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			for i := 0; i < len(p.Value); i++ {
				to := &bare
				if p.Value[i] == '\\' && i+1 < len(p.Value) {
					i++
					to = &quoted
				}
				to.WriteByte(p.Value[i])
			}
		case *syntax.SglQuoted:
			quoted.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, _ := plainText(p.Parts, true)
			quoted.WriteString(text)
		}
	}
	return Pattern(bare.String()) && (strings.ContainsAny(quoted.String(), `*?[\`) ||
		strings.Contains(bare.String(), "[") && strings.ContainsAny(quoted.String(), "]!^-:.=/"))
}

// actions are programs whose first word is a subcommand. runs are subcommands that run their
// arguments as commands. exact are those whose arguments decide what is lost, what leaves the
// machine or what is installed, as with git checkout, git push and npm install. The flags after all
// others change little.
var actions = [...]struct{ program, runs, exact string }{
	{"git", "bisect filter-branch submodule",
		"checkout switch restore reset clean push rm branch tag rebase gc reflog " +
			"update-ref config"},
	{"go", "run generate tool", "clean env get install"},
	{"npm", "exec x explore", "install i add publish unpublish deprecate owner config set"},
	{"pnpm", "exec dlx", "install i add publish config"},
	{"yarn", "exec dlx node", "add publish npm config"},
	{"cargo", "run install", "add publish yank owner clean"},
	{"docker", "run exec", "rm rmi kill stop push pull cp system volume network"},
	{"podman", "run exec", "rm rmi kill stop push pull cp system volume network"},
	{"kubectl", "exec run debug",
		"delete apply replace patch edit drain scale set cp create rollout config"},
	{"gh", "extension alias api", "secret release auth config"},
	{"glab", "api alias", "auth config release"}, {"pip", "", "install uninstall config"},
	{"pip3", "", "install uninstall config"}, {"poetry", "run shell", "add publish remove config"},
	{"uv", "run tool", "add pip publish remove"}, {"dotnet", "run exec", "add nuget remove clean"},
	{"brew", "", "install upgrade uninstall remove tap"},
	{"composer", "exec run-script", "require remove config"},
	{"systemctl", "", "start stop restart kill enable disable mask set-property edit isolate"},
	{"mix", "run", "deps archive"},
}

// deeperActions are commands of two words whose third word names the action.
var deeperActions = [...]string{"npm run", "pnpm run", "yarn run", "docker compose",
	"docker container", "docker image", "git stash", "git remote", "git worktree",
	"gh pr", "gh issue", "gh repo", "gh run", "go mod"}

// deeperExact are commands of three words that are like the subcommands in exact.
var deeperExact = [...]string{"docker compose down", "docker compose rm", "docker compose kill",
	"docker container rm", "docker container prune", "docker image rm", "docker image prune",
	"git stash drop", "git stash clear", "git remote add", "git remote remove", "git remote rm",
	"git remote set-url", "git worktree remove", "gh pr merge", "gh pr close", "gh issue delete",
	"gh repo delete", "gh repo edit", "gh run delete"}

// neverWidened are programs that get no pattern: the user is asked about each command.
var neverWidened = [...]string{"rm", "rmdir", "unlink", "shred", "dd", "mkfs", "truncate", "chmod",
	"chown", "kill", "killall", "pkill", "shutdown", "reboot", "curl", "wget"}

// actionWord matches a word that names an action: not a flag and not a path.
var actionWord = lazyregexp.New(`^[A-Za-z][A-Za-z0-9:_-]*$`)

// Pattern returns a CommandPattern that covers the script and commands that do the same with other
// arguments. It returns "" unless the script is one plain command.
func (s *Script) Pattern() string {
	if s.Err != nil || len(s.Commands) != 1 || len(s.Redirects) > 0 {
		return ""
	}
	c := &s.Commands[0]
	if len(c.Argv) == 0 || c.Hides != "" || len(c.Assign) > 0 || Wraps(c.Name) ||
		contains(neverWidened[:], c.Name) || strings.HasPrefix(c.Name, "mkfs") ||
		unknownIn(c.Static) {
		return ""
	}
	n := commonWords(c.Argv)
	if n < 0 {
		return ""
	}
	words := c.Argv
	if n > 0 {
		words = words[:n+1]
	}
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, "*?() \t\n\\") { // it would mean something else
			return ""
		}
	}
	text := strings.Join(words, " ")
	if n > 0 {
		text += " *"
	}
	return text
}

// commonWords returns how many words after the program name the action. 0 means that no word does,
// and only the exact command matches; -1 means that the program runs its arguments.
func commonWords(argv []string) int {
	for _, p := range actions {
		if p.program != argv[0] || len(argv) < 2 || !actionWord().MatchString(argv[1]) {
			continue
		}
		two := argv[0] + " " + argv[1]
		switch {
		case contains(strings.Fields(p.runs), argv[1]):
			return -1
		case contains(strings.Fields(p.exact), argv[1]):
			return 0
		case !contains(deeperActions[:], two):
			return 1
		case len(argv) > 2 && actionWord().MatchString(argv[2]) &&
			!contains(deeperExact[:], two+" "+argv[2]):
			return 2
		}
		return 0
	}
	return 0
}
