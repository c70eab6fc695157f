// This file determines the values that variables have when a command line begins, and computes
// expansions that change a value: ${f%.js}, ${dir:-build}; it finds the possible texts of words.

package shell

import (
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// Environment is the environment of a shell. It never changes.
type Environment struct{ values map[string]string }

// NewEnvironment returns an Environment with entries such as those of os.Environ; of several with
// one name the last counts. It returns nil, which means unknown, if because of one of them bash
// reads a file or defines a function before it runs a line, or reads it differently; also for nil.
func NewEnvironment(entries []string) *Environment {
	if entries == nil {
		return nil
	}
	made.mu.Lock()
	defer made.mu.Unlock()
	if !slices.Equal(made.entries, entries) {
		made.entries, made.environment = slices.Clone(entries), newEnvironment(entries)
	}
	return made.environment
}

// made is the last Environment: those who ask about the same line share it, and the parsed line.
var made struct {
	mu          sync.Mutex
	entries     []string
	environment *Environment
}

func newEnvironment(entries []string) *Environment {
	e := &Environment{map[string]string{}}
	for _, one := range entries {
		name, value, _ := strings.Cut(one, "=")
		if strings.HasPrefix(name, "BASH_FUNC_") || unsettling()[name] {
			return nil
		}
		e.values[name] = value
	}
	return e
}

// unsettling are variables because of which bash does such things.
var unsettling = setOf("BASH_ENV ENV SHELLOPTS BASHOPTS POSIXLY_CORRECT BASH_COMPAT")

// fromShell are variables that bash sets when it starts, or at any time, besides own.
var fromShell = setOf("HOSTTYPE MACHTYPE OSTYPE SHELL SHLVL TERM PS4 COLUMNS LINES " +
	"SECONDS OPTIND")

// kept are variables of own whose values are those of the environment until a line sets them.
var kept = setOf("HOME PATH")

// MovesGit returns a variable that tells git to work in another folder, or with other settings; ""
// = there is none. Those that only leave settings out are none.
func (e *Environment) MovesGit() (first string) {
	if e == nil {
		return ""
	}
	for name, value := range e.values {
		switch {
		case first != "" && first < name:
		case name == "GIT_CONFIG_NOSYSTEM", strings.HasPrefix(name, "GIT_CONFIG_") &&
			value == os.DevNull, name == "GIT_CONFIG_COUNT" && value == "0":
		case strings.HasPrefix(name, "GIT_DIR") || strings.HasPrefix(name, "GIT_CONFIG") ||
			contains([]string{"GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR",
				"GIT_NAMESPACE", "GIT_EXTERNAL_DIFF"}, name):
			first = name
		}
	}
	return first
}

// inherits reports whether the place that is being read may see the value that a variable has in
// the environment.
func inherits(w *walker, name string) bool {
	if w.s.context.Environment == nil || !syntax.ValidName(name) ||
		anyOf(w.o.via, func(by string) bool { return by != "trap" && by != "eval" }) {
		return false
	}
	return name != "PWD" || w.o.in != nil && w.o.in.isStart()
}

// variable returns the value that a variable has when the line begins; "" if it has none. ok is
// false if it is unknown.
func (c *Context) variable(name string) (value string, ok bool) {
	switch {
	case c.Environment == nil:
		return "", false
	case name == "PWD":
		return c.Dir, c.Dir != ""
	case own()[name] && !kept()[name], fromShell()[name], strings.HasPrefix(name, "BASH"),
		strings.HasPrefix(name, "COMP_"), strings.HasPrefix(name, "EPOCH"),
		strings.HasSuffix(strings.ToLower(name), "_proxy"): // a sandbox may set it
		return "", false
	}
	value = c.Environment.values[name]
	// a ~ in it does not stand for the home directory
	return value, !strings.Contains(value, "~")
}

// changes records how an expansion changes the value. It returns false if that is not known: only
// operators that remove a text, or that replace an empty value, with a text without quotes.
func (p *piece) changes(e *syntax.Expansion) bool {
	if e.Word != nil && len(e.Word.Parts) > 0 {
		p.arg = e.Word.Lit()
	}
	star := strings.Count(p.arg, "*")
	for i := range len(p.arg) {
		if c := p.arg[i]; !letterOrDigit(c) && strings.IndexByte("*_./+,@%:-", c) < 0 {
			return false
		}
	}
	p.op = e.Op
	switch e.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		return star == 0 && p.arg != "" || e.Word == nil || len(e.Word.Parts) == 0
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return p.arg != "" && (star == 0 || star == 1 && strings.HasSuffix(p.arg, "*"))
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return p.arg != "" && (star == 0 || star == 1 && strings.HasPrefix(p.arg, "*"))
	}
	return false
}

// partOfName returns the variable of which basename or dirname prints a part of the value, if that
// is all that a substitution does: $(basename "$f" .js).
func partOfName(w *walker, n *syntax.CmdSubst) (p piece, ok bool) {
	if len(n.Stmts) != 1 {
		return piece{}, false
	}
	if name := firstWord(n.Stmts[0]); name != "basename" && name != "dirname" {
		return piece{}, false
	}
	call := plainCall(n.Stmts[0])
	if call == nil || len(call.Args) < 2 {
		return piece{}, false
	}
	program, args, over := call.Args[0].Lit(), call.Args[1:], false
	if over = args[0].Lit() == "--"; over {
		args = args[1:]
	}
	if len(args) == 0 || len(args) > 2 || len(args) == 2 && program == "dirname" {
		return piece{}, false
	}
	all, ok := w.parts(args[0])
	if !ok || len(all) != 1 || all[0].name == "" || all[0].naked || all[0].op != 0 {
		return piece{}, false
	}
	p = all[0]
	if p.part += " " + program; !over {
		p.part += "-"
	}
	if len(args) == 2 {
		p.op, p.arg = syntax.RemSmallSuffix, args[1].Lit()
		return p, aSuffix().MatchString(p.arg)
	}
	return p, true
}

// aSuffix matches the endings that basename removes.
var aSuffix = lazyregexp.New(`^[\w.-]+$`)

// partsOfNames returns what basename or dirname prints for the values, without line ends: also
// nothing for one that may be a flag.
func partsOfNames(part string, all []string) (out []string) {
	part, mayFail := strings.CutSuffix(part, "-")
	for _, v := range all {
		switch {
		case partlyUnknown(v):
			return nil
		case v == "" && part == "basename":
			out = append(out, "")
		case part == "basename":
			out = append(out, strings.TrimRight(path.Base(v), "\n"))
		default:
			out = append(out, strings.TrimRight(folderOf(v), "\n"))
		}
		if mayFail && v != "" && strings.ContainsAny(v[:1], "-*?[") {
			out = append(out, "")
		}
	}
	return out
}

// folderOf returns what dirname prints for a name, which leaves .. in it as it is.
func folderOf(name string) string {
	whole := strings.TrimRight(name, "/")
	dir := strings.TrimRight(whole[:strings.LastIndexByte(whole, '/')+1], "/")
	switch {
	case dir == "" && strings.HasPrefix(name, "/"):
		return "/"
	case dir == "":
		return "."
	}
	return dir
}

// appends reports whether pieces, of which one is what a pattern matches, are that with other text
// around it, or in place of the ending that the pattern has: "${f%.js}.ts".
func (v *variables) appends(pieces []piece) bool {
	return !slices.ContainsFunc(pieces, func(p piece) bool {
		if p.op == syntax.RemLargePrefix && p.arg == "*/" { // as basename
			return false
		}
		plain := p
		plain.op, plain.arg = 0, ""
		all, _, _ := v.texts([]piece{plain}, maxDeep)
		ending := p.op == syntax.RemSmallSuffix || p.op == syntax.RemLargeSuffix
		return p.name != "" && p.op != 0 && (!ending || strings.Contains(p.arg, "*") ||
			anyOf(all, func(text string) bool {
				return !strings.HasSuffix(text[strings.LastIndexByte(text, '*')+1:], p.arg)
			}))
	})
}

// usesOnce reports whether only one command of the line uses files. Then a name that it creates is
// not used by others, as that of a link may be.
func usesOnce(s *Script) bool {
	name := ""
	for i := range s.Commands {
		c := &s.Commands[i]
		switch silent := silentPrograms()[c.Name] && c.Name != "shopt"; {
		case contains(c.Assign, "GLOBIGNORE"), len(c.Argv) > 0 && len(c.Assign) > 0,
			!silent && name != "" && c.Name != "", SetsPatterns(c), c.Name == "ln":
			return false
		case !silent && len(c.Argv) > 0:
			name = c.Name
		}
	}
	return !slices.ContainsFunc(s.Redirects, func(r Redirect) bool { return !ignored(r.Path) })
}

// changed returns values with the change.
func (p *piece) changed(all []string) (out []string) {
	text := strings.Trim(p.arg, "*")
	for _, v := range all {
		at := -1
		switch p.op {
		case syntax.DefaultUnset: // it is unknown whether an empty one is set
			if out = append(out, v); v == "" {
				out = append(out, p.arg)
			}
			continue
		case syntax.DefaultUnsetOrNull:
			if v == "" {
				v = p.arg
			}
		default:
			switch {
			case v == glob.Unknown, v == gitName: // the rest of a branch may begin with -
				out = append(out, glob.Unknown)
				continue
			case partlyUnknown(v):
				return nil
			}
			if Pattern(v) {
				one := p.changedPattern(v, text)
				if one == "" {
					return nil
				}
				if out = append(out, one); p.part != "" && glob.Match(v, text) {
					out = append(out, text)
				}
				continue
			}
			if p.part != "" && v == text { // basename removes no whole name
				out = append(out, v)
				continue
			}
		}
		switch star := text != p.arg; {
		case p.op == syntax.RemSmallSuffix && star:
			at = strings.LastIndex(v, text)
		case p.op == syntax.RemLargeSuffix && star:
			at = strings.Index(v, text)
		case p.op == syntax.RemSmallSuffix, p.op == syntax.RemLargeSuffix:
			v = strings.TrimSuffix(v, text)
		case p.op == syntax.RemSmallPrefix && star:
			if at := strings.Index(v, text); at >= 0 {
				v = v[at+len(text):]
			}
		case p.op == syntax.RemLargePrefix && star:
			if at := strings.LastIndex(v, text); at >= 0 {
				v = v[at+len(text):]
			}
		case p.op == syntax.RemSmallPrefix, p.op == syntax.RemLargePrefix:
			v = strings.TrimPrefix(v, text)
		}
		if at >= 0 {
			v = v[:at]
		}
		out = append(out, v)
	}
	return out
}

// changedPattern returns what stands for the change of each name that a pattern matches, from which
// text is removed: a pattern, or a text with glob.Unknown. "" = that is not known.
func (p *piece) changedPattern(v, text string) string {
	if strings.ContainsAny(v, `\(`) || strings.Contains(v, "**") || text == "" {
		return ""
	}
	star, first, last := text != p.arg, strings.IndexAny(v, "*?["), strings.LastIndexAny(v, "*?]")
	begin, end := v[:first], v[last+1:]
	switch p.op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		switch {
		case text == "/": // a pattern matches no / with its signs
			return withoutFolders(v, p.op, star)
		case !star && strings.HasSuffix(end, text):
			return strings.TrimSuffix(v, text)
		case !star && !strings.HasSuffix(text, end):
			return v
		}
		begin, _, _ = strings.Cut(begin, text[:1])
		return begin + glob.Unknown
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		switch {
		case star && text == "/" && !strings.Contains(v, "/"):
			return v
		case star && text == "/": // a pattern matches no / with its signs
			at := strings.IndexByte(v, '/')
			if p.op == syntax.RemLargePrefix {
				at = strings.LastIndexByte(v, '/')
			}
			return v[at+1:]
		case !star && strings.HasPrefix(begin, text) && begin != text:
			return v[len(text):]
		case !star && !strings.HasPrefix(text, begin) && !strings.HasPrefix(begin, text):
			return v
		}
		return glob.Unknown + end[strings.LastIndexByte(end, text[len(text)-1])+1:]
	}
	return ""
}

// withoutFolders returns a pattern of which the operator removes a / at its end, or what begins
// with one.
func withoutFolders(pattern string, op syntax.ParExpOperator, star bool) string {
	at := strings.LastIndexByte(pattern, '/')
	switch {
	case !star:
		return strings.TrimSuffix(pattern, "/")
	case op == syntax.RemLargeSuffix:
		at = strings.IndexByte(pattern, '/')
	}
	switch at {
	case -1:
		return pattern
	case 0:
		return glob.Unknown
	}
	return pattern[:at]
}

// onlyReads reports whether a line sets IFS for read only.
func onlyReads(s *Script) bool {
	left := strings.ReplaceAll(s.text, "IFS= read ", "")
	return left != s.text && !strings.Contains(left, "IFS") && !anyCommand(s, func(c Command) bool {
		return c.Name != "read" && (contains(c.Assign, "IFS") || contains(c.Assign, "?")) ||
			contains(c.Argv, "IFS") || contains(c.Argv, "-vIFS")
	})
}

// texts returns the possible texts of pieces. apart reports that one of them may become several
// words, or a pattern.
func (v *variables) texts(pieces []piece, deep int) (out []string, apart, ok bool) {
	if deep == 0 {
		return nil, false, false
	}
	out = []string{""}
	empty := false // an unquoted one may be
	for _, p := range pieces {
		if v.tries++; v.tries > maxTries {
			return nil, false, false
		}
		all := []string{p.text}
		if (p.output || p.part != "") && v.shadowed {
			return nil, false, false
		}
		if p.name != "" {
			var ok bool
			if all, ok = v.textsOf(p, deep); !ok {
				return nil, false, false
			}
			apart = apart || p.naked &&
				(v.split || anyOf(all,
					func(t string) bool { return strings.ContainsAny(t, " \t\n*?[(") }))
			empty = empty || p.naked && contains(all, "")
		}
		var next []string
		for _, before := range out {
			for _, t := range all {
				if len(before)+len(t) > maxValue {
					return nil, false, false
				}
				joined := []string{before + t}
				if p.name != "" && before != "" && strings.HasPrefix(t, "~") {
					joined = v.joined(before, t)
				}
				if next = append(next, joined...); joined == nil {
					return nil, false, false
				}
			}
		}
		if out = next; len(out) > maxValues {
			return nil, false, false
		}
	}
	if empty { // without a text it is no word at all
		apart = apart || anyOf(out, func(text string) bool {
			return text == "" || text[0] == '-' || strings.Contains(text, "~")
		})
	}
	return out, apart, true
}

// textsOf returns the possible texts of a piece that is a variable.
func (v *variables) textsOf(p piece, deep int) (all []string, ok bool) {
	if digits()[p.name] && !v.blind && !contains(v.changed, p.name) {
		return []string{glob.Unknown}, p.op == 0
	}
	held := v.held[p.name]
	if held != nil && (held.open || held.found != nil) || held == nil && !p.early {
		return nil, false
	}
	if held != nil {
		for _, value := range held.values {
			texts, _, ok := v.texts(value, deep-1)
			if all = append(all, texts...); !ok || len(all) > maxValues {
				return nil, false
			}
		}
	}
	if p.early {
		text, ok := v.context.variable(p.name)
		if !ok || contains(v.changed, p.name) {
			return nil, false
		}
		all = append(all, text)
	}
	for part := range strings.FieldsSeq(p.part) {
		all = partsOfNames(part, v.atHome(all, func(one string) bool {
			return len(one) > 1 && one[1] == '/' && strings.Trim(one[1:], "/") != ""
		}))
	}
	switch p.op {
	case 0:
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		all = p.changed(all)
	default:
		all = p.changed(v.atHome(all, p.keepsHome))
	}
	return all, len(all) > 0
}

// may returns the possible texts of word i, or nil if they are unknown.
func (c *Command) may(i int) []string {
	if c.Static[i] {
		return c.Argv[i : i+1]
	}
	return c.info[i].values
}
