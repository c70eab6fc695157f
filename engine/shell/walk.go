// This file walks the tree of one text and adds the commands that it finds.

package shell

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// walker visits the nodes of one text.
type walker struct {
	s    *Script
	text string
	o    origin // of the tree that is being walked
	// the next command runs only if the previous one has succeeded
	and bool
	// the redirections that set the standard input of commands
	fed   map[*syntax.CallExpr]*syntax.Redirect
	known *names // variables that are surely set here
	// those that are whether or not the last statement has succeeded
	always *names
	// the next statement is part of a list with && or ||
	chain bool
	visit func(syntax.Node) bool // the method node, converted once
	// the command that is being read; the list gets a copy
	now Command
	// how many lists with |, && or || the next statement is part of
	deep     int
	unquoted map[syntax.Node]bool // single quotes that may be text to bash
	// the simple command that is the last statement; -1 = that is another kind of statement
	last int
	// where the text of the last here-document begins; 0 = there is none
	heredocAt uint
	// the files whose names a read gets, one at a time
	reads map[*syntax.CallExpr][]Path
}

// walk adds the commands below n and the commands that they run.
func (s *Script) walk(n syntax.Node, text string, o origin) {
	w := &walker{s: s, text: text, o: o}
	for _, name := range o.args {
		w.known = w.known.with(name)
	}
	w.visit, w.always = w.node, w.known
	if strings.ContainsAny(text, "'<>\\") || hasBraces(text) {
		deep := false
		if w.unquoted, deep = literalQuotes(n, w.source); deep {
			s.Err = errDeepQuotes
			return
		}
	}
	syntax.Walk(n, w.visit)
}

func (w *walker) node(n syntax.Node) bool {
	w.arithmetic(n)
	switch n := n.(type) {
	case *syntax.Stmt:
		w.statement(n)
		return false
	case *syntax.BinaryCmd:
		w.binary(n)
		return false
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl,
		*syntax.WhileClause, *syntax.ForClause, *syntax.CoprocClause:
		if w.apart(n) {
			return false
		}
	case *syntax.IfClause:
		w.branch(n.Cond)
		if w.branch(n.Then); n.Else != nil {
			w.node(n.Else)
		}
		return false
	case *syntax.CaseClause:
		syntax.Walk(n.Word, w.visit)
		for _, item := range n.Items {
			for _, p := range item.Patterns {
				syntax.Walk(p, w.visit)
			}
			w.branch(item.Stmts)
		}
		return false
	case *syntax.TimeClause:
		timeProgram(n.Stmt)
	case *syntax.CallExpr:
		w.walkCall(n)
	case *syntax.SglQuoted:
		if w.unquoted[n] {
			w.expandLiteral(n)
		}
	case *syntax.Lit:
		if w.unquoted[n] {
			w.opaque(n)
		}
	case *syntax.DeclClause: // export, declare, local
		c := w.command(n)
		c.Argv, c.Static, c.info = []string{n.Variant.Value}, []bool{true},
			[]word{{prefix: n.Variant.Value}}
		for _, a := range n.Args {
			w.assign(&c, a)
			w.commands(a)
		}
		c.Hides = renames(n)
		w.declared(n)
		w.s.addCommand(&c)
	default:
		w.quiet(n)
	}
	return w.s.Err == nil
}

// branch walks statements that may not run.
func (w *walker) branch(all []*syntax.Stmt) {
	before := w.known
	for _, n := range all {
		syntax.Walk(n, w.visit)
	}
	w.known = before
}

// statement walks one statement.
func (w *walker) statement(n *syntax.Stmt) {
	if w.s.Err != nil {
		return
	}
	chain, known := w.chain, w.known
	w.chain = false
	if !w.and {
		w.o.in = w.o.in.settled()
	}
	w.and = false
	before := w.o
	w.o.background = w.o.background || n.Background
	for _, r := range n.Redirs {
		if input(r) {
			w.o.from, w.o.sole, w.o.given = -1, false, true
			w.heredoc(r, n.Cmd)
			w.s.input = w.s.input || mayExec(n.Cmd)
		}
	}
	at := len(w.s.Commands)
	if n.Cmd != nil {
		syntax.Walk(n.Cmd, w.visit)
	}
	whose := -1
	if call, ok := n.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && at < len(w.s.Commands) {
		whose = at
	}
	for _, r := range n.Redirs {
		w.redirect(r, whose, before.in)
		syntax.Walk(r, w.visit)
	}
	if _, pipe := n.Cmd.(*syntax.BinaryCmd); !pipe { // of a pipe it is the last one
		w.last = whose
	}
	w.o.background, w.o.from, w.o.sole, w.o.given = before.background, before.from, before.sole,
		before.given
	if n.Background {
		w.o.in, w.known = before.in, known
	}
	if list, ok := n.Cmd.(*syntax.BinaryCmd); !ok || n.Background || list.Op != syntax.AndStmt &&
		list.Op != syntax.OrStmt {
		w.always = w.known
	}
	if !chain {
		w.known = w.always
	}
}

// binary walks two statements joined by &&, || or |.
func (w *walker) binary(n *syntax.BinaryCmd) {
	if w.deep++; w.deep > maxCommands { // the first of a long list is the deepest one
		w.s.Err = errMany
	}
	defer func() { w.deep-- }()
	if w.s.Err != nil {
		return
	}
	switch n.Op {
	case syntax.Pipe, syntax.PipeAll:
		before, at, known := w.o, len(w.s.Commands), w.known
		syntax.Walk(n.X, w.visit)
		w.o, w.known = before, known
		readsNames(w, n.X, n.Y)
		if last := len(w.s.Commands); last > at {
			w.o.from, w.o.sole, w.o.given = w.last, w.last >= 0 && single(n.X) && single(n.Y), true
			if w.last < 0 {
				w.o.from = w.s.feeds(at)
			}
		}
		syntax.Walk(n.Y, w.visit)
		w.o, w.known = before, known
	default:
		w.chain = true
		syntax.Walk(n.X, w.visit)
		always := w.always
		if w.and, w.chain = n.Op == syntax.AndStmt, true; !w.and {
			w.known = always
		}
		syntax.Walk(n.Y, w.visit)
		if n.Op == syntax.OrStmt {
			w.known = always
		}
		w.and, w.chain, w.always = false, false, always
	}
}

// isolated walks a node that changes the directory only for itself, or at another time. It returns
// false for any other node.
func (w *walker) apart(n syntax.Node) bool {
	before, known, late := w.o, w.known, false
	defer func() { w.known = known }()
	switch n := n.(type) {
	case *syntax.CoprocClause:
		w.o.given = true
		w.quiet(n)
	case *syntax.FuncDecl: // runs when it is called
		late, w.known, w.o.given = true, nil, true
		if n.Name != nil {
			w.s.functions = append(w.s.functions, n.Name.Value)
		}
	case *syntax.WhileClause, *syntax.ForClause: // runs again where it ended
		w.s.loops = true
		late = mayMove(w, n)
	case *syntax.CmdSubst:
		// bash removes backslashes before it looks for the end of a here-document
		if text := w.source(n); n.Backquotes && strings.Contains(text, "<<") &&
			strings.Contains(text, `\`) {
			w.opaque(n)
		}
		if w.o.from = -1; n.Backquotes && w.backquoted(n) {
			w.o = before
			return true
		}
	case *syntax.ProcSubst:
		w.o.from, w.o.given = -1, w.o.given || n.Op == syntax.CmdOut
	}
	if late {
		w.o.in = w.o.in.lose(w.source(n))
	}
	start, first, heredoc := w.o.in, true, w.heredocAt
	w.heredocAt = 0
	syntax.Walk(n, func(m syntax.Node) bool {
		if first { // n itself
			first = false
			return true
		}
		return m == nil || w.node(m)
	})
	lost, moved := w.o.in.lost, w.o.in != start
	w.o = before
	switch n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		if w.heredocAt > n.End().Offset() { // bash ends it at the end of the substitution
			w.s.Err = errHeredoc
		}
	}
	w.heredocAt = max(heredoc, w.heredocAt)
	switch n.(type) {
	case *syntax.FuncDecl:
		w.s.moves = w.s.moves || moved
	case *syntax.WhileClause, *syntax.ForClause:
		w.s.lost = w.s.lost || moved && !late
	}
	if _, loop := n.(*syntax.FuncDecl); late && !loop && lost {
		w.o.in = w.o.in.lose(w.source(n))
	}
	return true
}

// mayMove reports whether a loop may change the directory: outside of subshells, whose changes end
// with them.
func mayMove(w *walker, loop syntax.Node) bool {
	text := []byte(w.source(loop))
	from := loop.Pos().Offset()
	syntax.Walk(loop, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.Subshell, *syntax.CmdSubst:
			for i := n.Pos().Offset(); i < n.End().Offset() && i-from < uint(len(text)); i++ {
				text[i-from] = ' '
			}
			return false
		}
		return true
	})
	return anyOf([]string{"cd", "pushd", "popd"},
		func(name string) bool { return strings.Contains(string(text), name) })
}

// backquoted parses a backquoted text that contains backslashes, which the shell removes before it
// parses the text. It returns false if there are none.
func (w *walker) backquoted(n *syntax.CmdSubst) bool {
	text := strings.Trim(w.source(n), "`")
	// bash ends the substitution there, even within quotes
	if strings.Contains(escaped.Replace(text), "`") {
		w.s.Err = errBackquote
		return true
	}
	if !strings.Contains(text, `\`) {
		return false
	}
	o := w.o
	o.pos, o.nested = w.pos(n), true
	if text = unquoted.Replace(text); w.unquoted[n] { // in double quotes, also those before a quote
		text = strings.ReplaceAll(text, `\"`, `"`)
	}
	w.s.parseText(text, o)
	return true
}

// errBackquote reports a backquote within quotes within backquotes.
var errBackquote = errors.New("a backquote that may end a substitution, or is quoted")

// escaped removes the characters that a backslash quotes.
var escaped = strings.NewReplacer(`\\`, "", "\\`", "")

// unquoted removes the backslashes that quote characters within backquotes.
var unquoted = strings.NewReplacer(`\\`, `\`, `\$`, "$", "\\`", "`")

// command returns an empty command at the position of n.
func (w *walker) command(n syntax.Node) Command {
	c := Command{Via: w.o.via, Line: int(n.Pos().Line()), From: w.o.from, sole: w.o.sole,
		given: w.o.given, posix: w.o.posix, Background: w.o.background, Pos: w.pos(n),
		Text: w.source(n), in: w.o.in}
	return c
}

func (w *walker) pos(n syntax.Node) int {
	if w.o.nested {
		return w.o.pos
	}
	return int(n.Pos().Offset())
}

func (w *walker) assign(c *Command, a *syntax.Assign) {
	if !w.s.aside() {
		return
	}
	name := "?" // it is unknown which: declare "$x"
	if a.Name != nil {
		name = a.Name.Value
	}
	w.s.ifs = w.s.ifs || (name == "IFS" || name == "?") && c.lists == nil
	c.Assign, c.Values = append(c.Assign, name), append(c.Values, nil)
	if a.Value != nil {
		for len(c.paths) < len(c.Values)-1 {
			c.paths = append(c.paths, word{})
		}
		c.paths = append(c.paths, word{prefix: underHome(w.source(a.Value)),
			names: wordInfo(a.Value).names})
	}
	if a.Value == nil || !static(a.Value.Parts) {
		if a.Value == nil && !a.Naked && a.Array == nil && !a.Append {
			c.Values[len(c.Values)-1] = new(string)
		}
		return
	}
	text, err := literal(a.Value)
	switch {
	case err != nil:
		return
	case subscript(text):
		w.opaque(a)
	// they wait for input
	case runs(name) && !contains([]string{"vim", "vi", "nvim", "emacs"}, text):
		o := w.o
		o.via, o.pos, o.nested = append(w.o.via[:len(w.o.via):len(w.o.via)], name), w.pos(a), true
		w.s.parseText(text, o)
	}
	c.Values[len(c.Values)-1] = &text
	c.paths[len(c.paths)-1].prefix = text
}

func (w *walker) walkCall(n *syntax.CallExpr) {
	w.now = w.command(n)
	c := &w.now
	c.lists = w.reads[n]
	for _, a := range n.Assigns {
		w.assign(c, a)
		w.assigned(a, true)
		if len(n.Args) > 0 {
			w.commands(a)
		}
	}
	c.expect(len(n.Args))
	for _, word := range n.Args {
		if err := w.words(c, word); err != nil {
			w.s.Err = err
			return
		}
	}
	if len(n.Args) == 0 {
		w.sure(n.Assigns)
	}
	if at := len(c.Argv) - 1; c.lists != nil {
		w.known = w.known.with(c.Argv[at])
	}
	at := len(w.s.Commands)
	w.s.addCommand(c)
	if at < len(w.s.Commands) {
		w.feed(at, w.fed[n])
		knowFolders(&w.s.Commands[at], w.s.entered)
		if w.o.in = w.o.in.after(&w.s.Commands[at]); w.s.moves &&
			contains(w.s.functions, c.Name) {
			w.o.in = w.o.in.lose(c.Text)
		}
	}
}

// expect allocates space for n words.
func (c *Command) expect(n int) {
	if n > 0 {
		c.Argv, c.Static, c.info = make([]string, 0, n), make([]bool, 0, n), make([]word, 0, n)
	}
}

// addCommand adds a command and the commands that it runs.
func (s *Script) addCommand(c *Command) {
	if len(s.Commands) == maxCommands {
		s.Err = errMany
		return
	}
	if s.words += len(c.Argv); s.words > maxWords {
		s.Err = fmt.Errorf("more than %d words", maxWords)
		return
	}
	if len(c.Argv) > 0 && c.Static[0] {
		c.Name = path.Base(strings.ReplaceAll(c.Argv[0], `\`, "/"))
		if Pattern(c.Argv[0]) && c.Argv[0] != "[" || // /bin/r? may be any match
			isOpenProgram(c.Argv[0], s.finds) {
			c.Name = ""
		}
	}
	if c.lists == nil && sets(c) {
		c.Assign, c.Values = append(c.Assign[:len(c.Assign):len(c.Assign)], "?"),
			append(c.Values[:len(c.Values):len(c.Values)], nil)
		s.ifs = true
	}
	s.vars.forgets(c)
	c.Hides, s.finds = cmp.Or(c.Hides, c.hidden()), s.finds || contains(c.Assign, "PATH")
	at := len(s.Commands)
	s.Commands = append(s.Commands, *c)
	inner, hides := s.within(c)
	if hides != "" {
		s.Commands[at].Hides = hides
	}
	for i := range inner {
		s.addCommand(&inner[i])
	}
	s.follow(at)
}

func (w *walker) redirect(r *syntax.Redirect, whose int, in *place) {
	out := Redirect{Writes: r.Op != syntax.RdrIn && r.Op != syntax.DplIn, Op: r.Op.String(),
		Command: whose, Pos: w.pos(r), via: w.o.via, in: in}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		w.checkHeredocEnd(r)
		return
	}
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") { // it is set to a number
		w.s.vars.opens(strings.Trim(r.N.Value, "{}"))
	}
	if r.Word != nil {
		out.Text, out.info = w.source(r.Word), wordInfo(r.Word)
		w.s.mixed = w.s.mixed || out.info.mixed
		switch {
		case braced(r.Word): // it may name another file
		case static(r.Word.Parts):
			out.Path, _ = literal(r.Word)
		default:
			out.info.pieces, _ = w.parts(r.Word)
		}
	}
	// bash opens a connection
	if strings.HasPrefix(out.Path, "/dev/tcp/") || strings.HasPrefix(out.Path, "/dev/udp/") {
		out.Writes = true
	}
	if (r.Op == syntax.DplOut || r.Op == syntax.DplIn) &&
		strings.Trim(out.Path, "0123456789-") == "" && out.Path != "" {
		return // 2>&1 does not name a file
	}
	if w.s.aside() {
		w.s.Redirects = append(w.s.Redirects, out)
	}
}

// aside counts a redirection or an assignment, and returns false if there are too many.
func (s *Script) aside() bool {
	if s.asides++; s.asides > maxAsides {
		s.Err = fmt.Errorf("more than %d redirections and variables", maxAsides)
	}
	return s.asides <= maxAsides
}
