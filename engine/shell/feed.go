// This file determines the standard input of a command: a here-document, or the output of another
// command.

package shell

import (
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// single reports whether the output of a statement comes from one command only: the command itself,
// or the last one of a pipe.
func single(n *syntax.Stmt) bool {
	if pipe, ok := n.Cmd.(*syntax.BinaryCmd); ok &&
		(pipe.Op == syntax.Pipe || pipe.Op == syntax.PipeAll) {
		return single(pipe.Y)
	}
	_, ok := n.Cmd.(*syntax.CallExpr)
	return ok
}

// feeds returns the command, from index at on, whose output comes last. For a wrapped command it is
// the wrapper.
func (s *Script) feeds(at int) int {
	for i := len(s.Commands) - 1; i > at; i-- {
		if len(s.Commands[i].Via) <= len(s.Commands[at].Via) {
			return i
		}
	}
	return at
}

// input reports whether a redirection changes standard input.
func input(r *syntax.Redirect) bool {
	if r.N != nil {
		return r.N.Value == "0"
	}
	switch r.Op {
	case syntax.RdrIn, syntax.DplIn, syntax.RdrInOut, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	}
	return false
}

// mayExec reports whether a redirection of a command may be one of the shell itself, as exec makes
// it.
func mayExec(cmd syntax.Command) bool {
	call, ok := cmd.(*syntax.CallExpr)
	return ok && slices.ContainsFunc(call.Args, func(w *syntax.Word) bool {
		text, ok := plainText(w.Parts, false)
		return !ok || text == "exec" || braced(w)
	})
}

// heredoc records the here-document that the last redirection of a command's input provides.
func (w *walker) heredoc(r *syntax.Redirect, cmd syntax.Command) {
	call, ok := cmd.(*syntax.CallExpr)
	if !ok {
		return
	}
	if w.fed == nil {
		w.fed = map[*syntax.CallExpr]*syntax.Redirect{}
	}
	w.fed[call] = r
}

// errHeredoc reports a here-document that bash ends in the middle of an expansion.
var errHeredoc = errors.New("a here-document whose last line may stand in it before")

// checkHeredocEnd reports an error if bash may end a here-document elsewhere than the parser: at a
// line within an expansion, which the parser ignores, at the end of a substitution, as in
// $(cat <<E ... E), or if the word that ends it is not simply quoted.
func (w *walker) checkHeredocEnd(r *syntax.Redirect) {
	if r.Hdoc == nil || r.Word == nil {
		return
	}
	w.heredocAt = max(w.heredocAt, r.Hdoc.Pos().Offset())
	end, ok := heredocWord(r.Word.Parts)
	text := w.source(r.Hdoc)
	for at := min(int(r.Hdoc.Pos().Offset()), len(w.text)); strings.HasSuffix(w.text[:at],
		"\\\n"); at -= 2 {
		text = "\\\n" + text // the parser leaves these out
	}
	quoted := strings.ReplaceAll(w.source(r.Word), "\\\n", "") != end // then no lines are joined
	ok = ok && (quoted || !joinsTo(text, end)) && !(r.Op == syntax.DashHdoc && holdsHeredoc(r.Hdoc))
	for _, p := range r.Hdoc.Parts {
		_, plain := p.(*syntax.Lit)
		for line := range strings.Lines(w.source(p)) {
			rest, begins := strings.CutPrefix(strings.TrimLeft(line, "\t"), end)
			ok = ok && (!begins || strings.TrimRight(rest, "\n") != "" || plain) &&
				(!begins || strings.Trim(rest, ")`\n ") != "" || strings.Trim(rest, "\n ") == "")
		}
	}
	if !ok {
		w.s.Err = errHeredoc
	}
}

// holdsHeredoc reports whether there is a here-document within another one. Bash removes the tabs
// before the lines of <<-, also those of the inner one, before it reads that.
func holdsHeredoc(body *syntax.Word) (found bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		r, is := n.(*syntax.Redirect)
		found = found || is && r.Hdoc != nil
		return !found
	})
	return found
}

// joinsTo reports whether lines of a text that a backslash joins are, or begin with, the word end.
// Bash ends a here-document there, in a substitution also after the first of them.
func joinsTo(text, end string) bool {
	line, joined := "", false
	for part := range strings.Lines(text) {
		part = strings.TrimLeft(strings.TrimSuffix(part, "\n"), "\t")
		rest, more := strings.CutSuffix(part, `\`)
		if line += rest; line == end && (joined || more) {
			return true
		}
		if joined = more; !more {
			line = ""
		}
	}
	return false
}

// heredocWord returns the word that ends a here-document; ok means that the parser and bash agree
// about it.
func heredocWord(parts []syntax.WordPart) (end string, ok bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.Contains(p.Value, "\n") {
				return "", false
			}
		case *syntax.SglQuoted:
			if p.Dollar || strings.Contains(p.Value, "\n") {
				return "", false
			}
		case *syntax.DblQuoted:
			text, plain := plainText(p.Parts, true)
			if p.Dollar || !plain || strings.Contains(text, "\n") {
				return "", false
			}
		default:
			return "", false
		}
	}
	end, err := literal(&syntax.Word{Parts: parts})
	return end, err == nil
}

// feed reads the standard input of the shell at the given index: a here-document, or the output of
// a command that prints only its words. A wrapper passes its input on.
func (w *walker) feed(at int, r *syntax.Redirect) {
	for text := w.stdinText(&w.s.Commands[at], r); at < len(w.s.Commands); at++ {
		c := &w.s.Commands[at]
		c.stdinText = text
		if r != nil && languageOf(c.Name) != nil {
			if code, ok := w.given(r); ok {
				c.stdinCode = &code
			}
		}
		if c.Hides == "stdin" && (isShell(c.Name) && otherLanguage(c.Name) == "" ||
			c.Name == "ssh") {
			break
		}
		if _, ok := wrapperOf(c.Name); !ok || c.Name == "xargs" || c.Name == "parallel" {
			return
		}
	}
	if at == len(w.s.Commands) {
		return
	}
	c := w.s.Commands[at]
	text, ok := "", false
	if r != nil {
		text, ok = w.given(r)
	} else if c.From >= 0 && c.sole {
		text, ok = w.s.Commands[c.From].says()
	}
	if ok {
		w.s.Commands[at].fed = true
		w.s.parseText(text, c.origin())
	}
}

// stdinText returns the standard input of c, with variables unexpanded.
func (w *walker) stdinText(c *Command, r *syntax.Redirect) string {
	switch {
	case r != nil && r.Hdoc != nil:
		return w.source(r.Hdoc)
	case r != nil && r.Op == syntax.WordHdoc && r.Word != nil:
		return w.source(r.Word)
	case r == nil && c.From >= 0 && c.sole && contains([]string{"echo", "printf"},
		w.s.Commands[c.From].Name):
		return strings.Join(w.s.Commands[c.From].Argv[1:], " ")
	case r == nil && c.From >= 0 && c.sole && w.s.Commands[c.From].Name == "cat" &&
		len(w.s.Commands[c.From].Argv) == 1:
		return w.s.Commands[c.From].stdinText
	}
	return ""
}

// given returns the text of a here-document, and false if the text is not static.
func (w *walker) given(r *syntax.Redirect) (string, bool) {
	switch r.Op {
	case syntax.WordHdoc:
		if r.Word == nil || !static(r.Word.Parts) {
			return "", false
		}
		text, err := literal(r.Word)
		return text, err == nil
	case syntax.Hdoc, syntax.DashHdoc:
		if r.Hdoc == nil {
			return "", true
		}
		var b strings.Builder
		for _, p := range r.Hdoc.Parts {
			one, ok := p.(*syntax.Lit)
			if !ok {
				return "", false
			}
			b.WriteString(one.Value)
		}
		// E, and not 'E'
		if raw, ok := plainText(r.Word.Parts, false); ok && len(r.Word.Parts) == 1 &&
			raw == r.Word.Lit() {
			return hereText.Replace(b.String()), true
		}
		return b.String(), true
	}
	return "", false
}

// hereText removes the backslashes that quote characters in a here-document.
var hereText = strings.NewReplacer(`\\`, `\`, `\$`, "$", "\\`", "`", "\\\n", "")

// says returns the text that a command writes to its standard output, and false if it is unknown.
func (c *Command) says() (string, bool) {
	if c.Name != "echo" || unknownIn(c.Static) || len(c.Argv) < 2 {
		return "", false
	}
	text := strings.Join(c.Argv[1:], " ")
	if c.Argv[1] == "" || c.Argv[1][0] == '-' || strings.Contains(text, `\`) {
		return "", false
	}
	return text, true
}
