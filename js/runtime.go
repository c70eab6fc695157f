package js

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/agentscripts/agent/engine"
)

// maxCallStack is how deep calls in a script may nest. Honest recursion stays far below it, and a
// thousand interpreter frames are far from what Go's own stack allows.
const maxCallStack = 1000

type language struct {
	prelude *goja.Program
}

// New returns the JavaScript runtime. It sets the match timeout of the regular expression library
// for the whole process, once: the library reads it when it compiles a pattern.
func New() engine.Runtime {
	setRegexpTimeout()
	return language{prelude: goja.MustCompile("prelude", prelude, true)}
}

func (language) Language() string     { return "js" }
func (language) Extensions() []string { return []string{".js", ".mjs"} }

// Load implements engine.Runtime. It must be called on a goroutine that holds no turn.
func (l language) Load(run *engine.Run, bind *engine.Binding) (engine.VM, error) {
	script := bind.Gen.Script
	program, err := compile(script.Name, script.Bytes)
	if err != nil {
		return nil, err
	}
	v := newVM(bind)
	act := &activation{run: run}
	err = v.enter(act, func() error {
		v.setup(l.prelude)
		if _, err := v.rt.RunProgram(program); err != nil {
			return v.scriptError(err)
		}
		_, err := v.settle(act, nil)
		return err
	})
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// compile parses and compiles a script's bytes. The error is a *engine.ScriptError.
func compile(name string, src []byte) (*goja.Program, error) {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if err := checkSource(src); err != nil {
		se := &engine.ScriptError{Position: engine.Position{File: name}, Message: err.Error(), Err: err}
		var at *sourceError
		if errors.As(err, &at) {
			se.Line, se.Column, se.Hint = at.line, at.column, at.hint
		}
		return nil, se
	}
	ast, err := parser.ParseFile(nil, name, string(src), 0, parser.WithDisableSourceMaps)
	if err != nil {
		return nil, syntaxError(name, src, err)
	}
	program, err := goja.CompileAST(ast, true)
	if err != nil {
		return nil, syntaxError(name, src, err)
	}
	return program, nil
}

// syntaxError makes the parser's or the compiler's error into ours: the first mistake, with its place.
func syntaxError(name string, src []byte, err error) *engine.ScriptError {
	se := &engine.ScriptError{Position: engine.Position{File: name}, Message: "SyntaxError: " + err.Error(), Err: err}
	var list parser.ErrorList
	var compiler *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		first := list[0]
		se.Line, se.Column, se.Message = first.Position.Line, first.Position.Column, "SyntaxError: "+first.Message
	case errors.As(err, &compiler):
		se.Message = "SyntaxError: " + compiler.Message
		if compiler.File != nil {
			p := compiler.File.Position(compiler.Offset)
			se.Line, se.Column = p.Line, p.Column
		}
	}
	se.Hint = syntaxHint(lineOf(src, se.Line))
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		se.Hint = "is it a JavaScript source file? save it as UTF-8"
	}
	return se
}

// syntaxHint says what to write instead of syntax that scripts do not have.
func syntaxHint(line string) string {
	switch first, _, _ := bytesCutWord(line); first {
	case "import":
		return "import is not available: ext is a global, and a script is one file"
	case "export":
		return "export is not available: call ext.guard, ext.on, ext.tool at the top level"
	}
	if containsWord(line, "await") {
		return "await works only inside an async function: put it into the handler, async (ev) => { ... }"
	}
	if containsWord(line, "import") {
		return "import is not available: ext is a global, and a script is one file"
	}
	return ""
}

// lineOf returns line n (1-based) of src, "" if there is none.
func lineOf(src []byte, n int) string {
	for i := 1; len(src) > 0; i++ {
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		if i == n {
			return string(line)
		}
		src = rest
	}
	return ""
}

// bytesCutWord splits a line into its first word and the rest.
func bytesCutWord(line string) (word, rest string, ok bool) {
	var a, b string
	n, _ := fmt.Sscan(line, &a, &b)
	return a, b, n > 0
}

// containsWord reports whether line has word, not as a part of a longer one.
func containsWord(line, word string) bool {
	letter := func(i int) bool { return i >= 0 && i < len(line) && identifierByte(line[i]) }
	for i := 0; i+len(word) <= len(line); i++ {
		if line[i:i+len(word)] == word && !letter(i-1) && !letter(i+len(word)) {
			return true
		}
	}
	return false
}
