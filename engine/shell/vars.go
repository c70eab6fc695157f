// This file resolves variables that the same command line sets: DIR=build; rm "$DIR/x".
//
// A use of a variable is resolved if the variable has certainly been set before in the same shell.
// Its possible values are all values that the line gives it anywhere, so loops, functions and order
// do not matter.

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/agentscripts/agent/engine/glob"
)

const (
	// maxValues limits the possible values of one word.
	maxValues = 50
	// maxDeep limits how deep variables refer to others, and maxTries the parts of words that are
	// examined in all, because nested variables multiply.
	maxDeep, maxTries = 20, 20_000
	// maxValue limits the bytes of a possible value of a word.
	maxValue = 4 << 10
	// maxKnown limits the variables that are tracked at one place.
	maxKnown = 200
)

// piece is a part of a word: a text, or a variable.
type piece struct {
	text   string
	name   string // of the variable; "" = none
	naked  bool   // it is unquoted: blanks in it split words, and it may be a pattern
	early  bool   // it may have the value that it has in the environment
	output bool   // it is what a program prints
	// how the value of the variable is changed: the operator, such as %, and its text
	op  syntax.ParExpOperator
	arg string
	// the part of the value that counts, before it is changed: "basename" or "dirname", or several
	// of these, each with a - behind it if the value may be a flag of the program
	part string
}

// variables are those that a command line sets.
type variables struct {
	context *Context
	held    map[string]*variable // what they hold
	changed []string             // those that the shell sets itself, and the line sets too
	// other variables than those of held may be set, or to other values
	blind bool
	// the line runs a file in the same shell, which may set any; that it is known which file counts
	// on no other doing so
	sourced bool
	tries   int // parts of words that were examined to resolve variables

	// set when all commands are known
	shadowed bool // see Script.shadows
	rehomed  bool // HOME may be set somewhere
	split    bool // IFS is set somewhere
}

// variable holds the possible values of a variable.
type variable struct {
	values [][]piece
	open   bool   // or an unknown value
	found  []Path // or the name of one of these files
}

// names is a list of variables that are set, the last one first. A list never changes.
type names struct {
	name   string
	before *names
	n      int // how many there are
}

// with returns the list with one more name, unless it is too long.
func (n *names) with(name string) *names {
	switch {
	case n == nil:
		return &names{name, nil, 1}
	case n.n == maxKnown:
		return n
	}
	return &names{name, n, n.n + 1}
}

func (n *names) has(name string) bool {
	for ; n != nil; n = n.before {
		if n.name == name {
			return true
		}
	}
	return false
}

// own are variables that the shell sets itself, or whose value may differ from what is assigned.
var own = setOf(
	"_ IFS REPLY MAPFILE COPROC PIPESTATUS RANDOM SRANDOM SECONDS LINENO OPTARG OPTIND OPTERR " +
		"PWD OLDPWD HOME PATH DIRSTACK FUNCNAME GROUPS UID EUID PPID SHELLOPTS HOSTNAME HISTCMD")

// digits are variables whose values are numbers, until the line sets them.
var digits = setOf("$ # ? UID EUID PPID RANDOM SRANDOM SECONDS LINENO")

// variable returns the known values of a variable; nil = the shell sets it, or its values are
// unknown.
func (v *variables) variable(name string) *variable {
	if own()[name] || strings.HasPrefix(name, "BASH") ||
		strings.HasPrefix(name, "COMP_") || strings.HasPrefix(name, "EPOCH") || name == "" ||
		name == "?" {
		return nil
	}
	if v.held == nil {
		v.held = map[string]*variable{}
	}
	one := v.held[name]
	if one == nil {
		one = &variable{}
		v.held[name] = one
	}
	return one
}

// opens records that a variable may hold anything. "?" stands for all variables.
func (v *variables) opens(name string) {
	if one := v.variable(name); one != nil {
		one.open = true
	} else if name == "?" || name == "" {
		v.blind = true
	} else {
		v.changed = append(v.changed, name)
	}
}

// holds records a value that a variable is set to.
func (v *variables) holds(name string, value []piece, ok bool) {
	one := v.variable(name)
	switch {
	case one == nil:
		v.opens(name)
	case !ok || len(one.values) == maxValues:
		one.open = true
	default:
		one.values = append(one.values, value)
	}
}

// holdsFound records that a variable is set to the names of files, one after the other.
func (v *variables) holdsFound(name string, all []Path) {
	switch one := v.variable(name); {
	case one == nil:
		v.opens(name)
	case one.found != nil && !slices.Equal(one.found, all):
		one.open = true
	default:
		one.found = all
	}
}

// assigned records an assignment. plain means that the value is not processed further.
func (w *walker) assigned(a *syntax.Assign, plain bool) {
	if a.Name == nil || a.Naked && plain {
		return
	}
	value, ok := []piece(nil), true
	if a.Value != nil {
		if all := listedWord(w, a.Value); all != nil && plain && a.Index == nil && !a.Append {
			w.s.vars.holdsFound(a.Name.Value, all)
			return
		}
		value, ok = w.parts(a.Value)
	}
	w.s.vars.holds(a.Name.Value, value,
		ok && plain && a.Index == nil && a.Array == nil && !a.Append)
}

// declared records the assignments of export, declare, local.
func (w *walker) declared(n *syntax.DeclClause) {
	plain := true
	for _, a := range n.Args {
		if a.Naked && a.Value != nil {
			flags := a.Value.Lit()
			plain = plain && flags != "" && strings.Trim(flags, "-+gxrp") == ""
			w.s.vars.blind = w.s.vars.blind || flags == "" || strings.Contains(flags, "n")
		}
	}
	for _, a := range n.Args {
		if w.assigned(a, plain); a.Naked && a.Name != nil && n.Variant.Value != "export" &&
			n.Variant.Value != "readonly" { // local x: it has no value
			w.s.vars.opens(a.Name.Value)
		}
	}
	w.sure(n.Args)
}

// forgets records the variables that a command may change.
func (v *variables) forgets(c *Command) {
	switch c.Name {
	case "printf":
		if len(c.Argv) < 2 || c.Static[1] && !strings.HasPrefix(c.Argv[1], "-v") {
			return
		}
		fallthrough
	case "read":
		switch name := c.Argv[len(c.Argv)-1]; {
		case len(c.lists) > 0:
			v.holdsFound(name, c.lists)
			return
		case c.lists != nil:
			v.holds(name, aCommit, true)
			return
		}
		fallthrough
	case "mapfile", "readarray", "getopts", "unset", "wait":
		for i, a := range c.Argv {
			switch {
			case !c.Static[i]:
				v.opens("?")
			case syntax.ValidName(a):
				v.opens(a)
			case strings.HasPrefix(a, "-"): // -aNAME, -vNAME
				for at := 1; at < len(a); at++ {
					if syntax.ValidName(a[at:]) && i > 0 {
						v.opens(a[at:])
					}
				}
			case strings.Contains(a, "["):
				v.opens("?")
			}
		}
	case "declare", "typeset", "local", "export", "readonly":
		if len(c.Argv) > 1 { // as words of builtin
			v.opens("?")
		}
	case "source", ".":
		v.sourced = true
		fallthrough
	case "set", "shift":
		for name := range v.held {
			if name == "@" || name[0] >= '0' && name[0] <= '9' {
				v.held[name].open = true
			}
		}
	case "let", "alias", "enable", "":
		if len(c.Argv) > 0 {
			v.opens("?")
		}
	}
}

// sure records that variables are set from this place on.
func (w *walker) sure(all []*syntax.Assign) {
	for _, a := range all {
		if a.Name != nil && !a.Naked {
			w.known = w.known.with(a.Name.Value)
		}
	}
}

// iterates records the possible values of a loop variable.
func (w *walker) iterates(n *syntax.WordIter) {
	name := n.Name.Value
	args := w.s.vars.held["@"]
	switch given := args != nil && w.known.has("@"); {
	case given && (!n.InPos.IsValid() || len(n.Items) == 1 && w.source(n.Items[0]) == `"$@"`):
		w.s.vars.holdsFound(name, args.found)
		w.known = w.known.with(name)
		return
	case !n.InPos.IsValid():
		w.s.vars.opens(name)
	}
	for _, item := range n.Items {
		all := []*syntax.Word{item}
		if braced(item) {
			var err error
			if all, err = braces(item); err != nil {
				w.s.vars.opens(name)
			}
		}
		for _, one := range all {
			if all := listedWord(w, one); all != nil && len(n.Items) == 1 {
				w.s.vars.holdsFound(name, all)
				continue
			}
			value, ok := w.parts(one)
			if listsCommits(one) {
				value, ok = aCommit, true
			}
			naked := slices.ContainsFunc(value, func(p piece) bool { return p.naked })
			w.s.vars.holds(name, value, ok && !naked)
		}
	}
	w.known = w.known.with(name)
}

// parts returns the pieces of a word. It returns false if the word holds anything but text and
// variables that have surely been set.
func (w *walker) parts(word *syntax.Word) (out []piece, ok bool) {
	w.s.mixed = w.s.mixed || mixesQuotes(word)
	return w.partsOf(nil, word.Parts, false)
}

func (w *walker) partsOf(out []piece, parts []syntax.WordPart, quoted bool) ([]piece, bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.ParamExp:
			if p.Param == nil || p.Slice != nil || p.Repl != nil ||
				p.Index != nil || p.Excl || p.Length || p.Width || p.Names != 0 {
				return nil, false
			}
			one := piece{name: p.Param.Value, naked: !quoted}
			if p.Exp != nil && !one.changes(p.Exp) {
				return nil, false
			}
			if one.early = !w.known.has(one.name); one.early && !inherits(w, one.name) &&
				!digits()[one.name] {
				return nil, false
			}
			out = append(out, one)
		case *syntax.DblQuoted:
			var ok bool
			if out, ok = w.partsOf(out, p.Parts, true); !ok || p.Dollar {
				return nil, false
			}
		case *syntax.Lit:
			text := p.Value
			if strings.Contains(text, `\`) {
				one := syntax.WordPart(p)
				if quoted {
					one = &syntax.DblQuoted{Parts: []syntax.WordPart{p}}
				}
				var err error
				if text, err = literal(&syntax.Word{Parts: []syntax.WordPart{one}}); err != nil {
					return nil, false
				}
			}
			out = append(out, piece{text: text})
		case *syntax.SglQuoted:
			if !static([]syntax.WordPart{p}) {
				return nil, false
			}
			text, err := literal(&syntax.Word{Parts: []syntax.WordPart{p}})
			if err != nil {
				return nil, false
			}
			out = append(out, piece{text: text})
		case *syntax.CmdSubst:
			more, ok := w.output(p)
			if !ok {
				return nil, false
			}
			if more[0].part != "" {
				more[0].naked = !quoted
			}
			out = append(out, more...)
		default:
			return nil, false
		}
	}
	return out, true
}

// resolveWords finds the possible values of words that contain variables.
func (s *Script) resolveWords() {
	s.vars.shadowed, s.vars.split, s.vars.rehomed = s.shadows(), s.ifs, setsHome(s)
	if s.vars.sourced {
		resolveSourced(s)
		s.vars.blind = true
	}
	if s.vars.blind {
		return
	}
	for i := range s.Commands {
		c := &s.Commands[i]
		for j := range c.info {
			s.values(&c.info[j])
		}
		s.replaceFlags(c)
	}
	for i := range s.Redirects {
		s.values(&s.Redirects[i].info)
	}
}

// resolveSourced finds the possible names of the files that source and . run.
func resolveSourced(s *Script) {
	for i := range s.Commands {
		c := &s.Commands[i]
		if s.vars.blind || c.Name != "source" && c.Name != "." || len(c.info) < 2 {
			continue
		}
		s.values(&c.info[1])
		for _, dir := range c.in.now {
			if file := c.script(); file != "" && !c.Static[1] && s.context.Written != nil {
				_, written := s.context.Written(within(dir, file))
				c.foreign = c.foreign || written
			}
		}
	}
}

// replaceFlags makes the words known that certainly are one flag, as in x=-r; grep $x: flags tell
// what the other words are. If one may be a flag, among other texts, there may be more words.
func (s *Script) replaceFlags(c *Command) {
	cloned := false
	for i := 1; i < len(c.info); i++ {
		w := &c.info[i]
		isFlag := func(v string) bool {
			return len(v) > 1 && v[0] == '-' || i == 1 && fileWays()[c.Name] == likeTar
		}
		switch {
		case c.Static[i] || w.found != nil || !anyOf(w.values, isFlag),
			len(w.values) == 1 && w.values[0] == w.prefix: // the variable is empty here
		case len(w.values) > 1, Pattern(w.values[0]): // of which it is one name
			c.Open = true
		default:
			if !cloned { // parts of a command share them
				c.Argv, c.Static = slices.Clone(c.Argv), slices.Clone(c.Static)
				c.info, cloned = slices.Clone(c.info), true
				w = &c.info[i]
			}
			c.Argv[i], c.Static[i] = w.values[0], true
			*w = word{prefix: w.values[0]}
		}
	}
	if cloned && (c.Name == "fd" || c.Name == "fdfind") {
		for _, one := range fdCommands(c) {
			s.addCommand(&one)
		}
	}
}

// values records the possible values of a word.
func (s *Script) values(w *word) {
	if w.pieces == nil || w.values != nil {
		return
	}
	all, apart, ok := s.vars.texts(w.pieces, maxDeep)
	if !ok || apart && slices.ContainsFunc(w.pieces, func(p piece) bool { return p.naked }) {
		return
	}
	w.made = len(w.pieces) > 1 && slices.ContainsFunc(w.pieces, func(p piece) bool {
		texts, _, _ := s.vars.texts([]piece{p}, maxDeep)
		return p.name != "" && anyOf(texts, Pattern)
	})
	w.appends = w.made && s.vars.appends(w.pieces)
	if !anyOf(all, partlyUnknown) {
		w.values, w.splits = all, false
		return
	}
	if w.shapes = all; makesNames(s) {
		for i, one := range all {
			all[i] = strings.ReplaceAll(one, gitName, glob.Unknown)
		}
	}
	w.splits = w.splits && (s.vars.split && !onlyReads(s) || anyOf(all, func(v string) bool {
		return strings.Contains(v, glob.Unknown)
	}))
}
