// This file compiles source text, after checks that the compiler does not make.

package lua

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/agentscripts/agent/engine/apart"
	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// maxSource is the size of the largest script, in bytes. People write far less by hand, and
	// compiling this much takes about the load budget at worst.
	maxSource = 1 << 20
	// maxLoad is the same for load, which handlers call: compiling cannot be interrupted.
	maxLoad = 128 << 10
)

// compile compiles the main chunk of src. It runs no code, and src cannot make it use much memory
// or stack.
func compile(name string, src []byte, most int) (proto *glua.FunctionProto,
	serr *fault.ScriptError) {
	p := apart.Catch(func() { proto, serr = compileSource(name, src, most) })
	if p != nil {
		return nil, syntaxError(name, 0, 0, fmt.Sprintf("cannot compile: %v", p.Value), "")
	}
	return proto, serr
}

// compileSource does the work of compile. It panics if the interpreter's compiler fails on src.
func compileSource(name string, src []byte, most int) (*glua.FunctionProto,
	*fault.ScriptError) {
	if serr := checkBytes(name, src, most); serr != nil {
		return nil, serr
	}
	src = blankFirstLine(src)
	if _, serr := checkTokens(name, src); serr != nil {
		return nil, serr
	}
	chunk, err := parse.Parse(bytes.NewReader(src), name)
	if err != nil {
		return nil, parseError(name, src, err)
	}
	guardConcat(chunk)
	proto, err := glua.Compile(chunk, name)
	if err != nil {
		return nil, compileError(name, err)
	}
	bindConcat(proto)
	finishFunction(proto)
	return proto, nil
}

func syntaxError(name string, line, column int, message, hint string) *fault.ScriptError {
	return &fault.ScriptError{Position: fault.Position{File: name, Line: line, Column: column},
		Message: message, Hint: hint}
}

// checkBytes rejects source that is not text.
func checkBytes(name string, src []byte, most int) *fault.ScriptError {
	if len(src) > most {
		return syntaxError(name, 0, 0,
			fmt.Sprintf("the source text is too large: %d bytes, at most %d", len(src), most), "")
	}
	if i := bytes.IndexByte(src, 0); i >= 0 {
		line, column := lineColumn(src, i)
		return syntaxError(name, line, column, "the file contains a NUL byte",
			"is it a Lua source file?")
	}
	if !utf8.Valid(src) {
		i := 0
		for r, n := utf8.DecodeRune(src); r != utf8.RuneError || n > 1; r,
			n = utf8.DecodeRune(src[i:]) {
			i += n
		}
		line, column := lineColumn(src, i)
		return syntaxError(name, line, column, "the file is not valid UTF-8",
			`save it as UTF-8; a single byte can be written "\255"`)
	}
	return nil
}

// blankFirstLine blanks out a byte order mark and a #! line, as the lua program does. Positions do
// not change.
func blankFirstLine(src []byte) []byte {
	rest := plain.TrimBOM(src)
	if !bytes.HasPrefix(rest, []byte("#")) {
		return rest
	}
	end := bytes.IndexByte(rest, '\n')
	if end < 0 {
		return nil
	}
	return rest[end:]
}

// lineColumn returns the 1-based position of offset i.
func lineColumn(src []byte, i int) (line, column int) {
	line = 1 + bytes.Count(src[:i], []byte("\n"))
	return line, i - bytes.LastIndexByte(src[:i], '\n')
}

// parseError converts an error of the parser.
func parseError(name string, src []byte, err error) *fault.ScriptError {
	var pe *parse.Error
	if !errors.As(err, &pe) {
		return syntaxError(name, 0, 0, strings.TrimSpace(err.Error()), "")
	}
	if pe.Pos.Line == parse.EOF {
		end := bytes.TrimRight(src, " \t\r\n")
		line, column := lineColumn(src, len(end))
		return syntaxError(name, line, column, pe.Message+" at the end of the file",
			unclosed(name, end))
	}
	line, column := pe.Pos.Line, max(pe.Pos.Column, 1)
	// the parser names the last character of a word
	if n := len(pe.Token) - 1; n > 0 && column > n &&
		bytes.HasPrefix(src[offset(src, line, column-n):], []byte(pe.Token)) {
		column -= n
	}
	hint := ""
	if closes(pe.Token) {
		hint = unclosed(name, src[:offset(src, line, column)])
	}
	// the parser reads bytes
	if r, size := utf8.DecodeRune(src[offset(src, line, column):]); pe.Message == "Invalid token" &&
		size > 1 {
		return syntaxError(name, line, column, fmt.Sprintf("%c (%U) outside of a text", r, r),
			"names are made of a to z, A to Z, 0 to 9 and _")
	}
	return syntaxError(name, line, column, fmt.Sprintf("%s near '%s'", pe.Message, pe.Token), hint)
}

// closes reports whether a token ends a bracket or a block: where it does not fit, another one is
// still open.
func closes(token string) bool {
	switch token {
	case ")", "]", "}", "end", "until", "else", "elseif":
		return true
	}
	return false
}

// offset is the reverse of lineColumn.
func offset(src []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		at += bytes.IndexByte(src[at:], '\n') + 1
	}
	return min(at+column-1, len(src))
}

// unclosed says which bracket or block is open at the end of src, "" if none is.
func unclosed(name string, src []byte) string {
	open, _ := checkTokens(name, src)
	if len(open) == 0 {
		return ""
	}
	o := open[len(open)-1]
	return fmt.Sprintf("%s at line %d is not closed: want %s", o.text, o.line, o.closer())
}

func compileError(name string, err error) *fault.ScriptError {
	var ce *glua.CompileError
	if !errors.As(err, &ce) {
		return syntaxError(name, 0, 0, err.Error(), "")
	}
	return syntaxError(name, ce.Line, 0, ce.Message, "")
}

const (
	opShift    = 26 // the operation of an instruction is in its upper six bits
	opArgs     = 1<<opShift - 1
	opArgsAB   = 0xff<<18 | 1<<9 - 1 // A and B; C, the number of results, becomes "all"
	yieldNamed = "yield"
)

// finishFunction corrects a compiled function and the functions inside it.
//
// `return coroutine.yield(...)` becomes an ordinary call whose results are returned. As a tail call
// it breaks the coroutine: the frame is gone when it is resumed, and the interpreter crashes.
//
// `x.name` becomes `x["name"]`. They mean the same, but if x is a view, the latter does not
// allocate the name as a value at each access.
//
// The compiler gives every function room for 1,024 instructions, 12 KB; finishFunction frees the
// unused part.
func finishFunction(p *glua.FunctionProto) {
	p.Code, p.DbgSourcePositions = slices.Clone(p.Code), slices.Clone(p.DbgSourcePositions)
	p.Constants, p.FunctionPrototypes = slices.Clone(p.Constants),
		slices.Clone(p.FunctionPrototypes)
	p.DbgLocals, p.DbgCalls, p.DbgUpvalues = slices.Clone(p.DbgLocals), slices.Clone(p.DbgCalls),
		slices.Clone(p.DbgUpvalues)
	for _, c := range p.DbgCalls {
		if c.Name == yieldNamed && c.Pc < len(p.Code) &&
			p.Code[c.Pc]>>opShift == uint32(glua.OP_TAILCALL) {
			p.Code[c.Pc] = uint32(glua.OP_CALL)<<opShift | p.Code[c.Pc]&opArgsAB
		}
	}
	for i, code := range p.Code {
		if code>>opShift == uint32(glua.OP_GETTABLEKS) {
			p.Code[i] = uint32(glua.OP_GETTABLE)<<opShift | code&opArgs
		}
	}
	for _, inner := range p.FunctionPrototypes {
		finishFunction(inner)
	}
}
