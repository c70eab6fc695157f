// This file compiles source files. Files that the interpreter cannot parse are rewritten by esbuild
// first.

package js

import (
	"bytes"
	"context"
	"errors"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"
	"github.com/dop251/goja/unistring"

	"github.com/agentscripts/agent/engine/fault"
	"github.com/agentscripts/agent/engine/plain"
)

// unit is a compiled source file.
type unit struct {
	program *goja.Program
	// module reports that the program's value is a function of (exports, require, module) that
	// holds the content of the file. Otherwise the program is the content.
	module bool
}

// compile compiles a source file. esbuild rewrites it first if it has types, import, export, await
// at the top level or syntax that the interpreter lacks. module says that the caller needs the
// exports, as for a file of lib. The error is a *fault.ScriptError.
func compile(ctx context.Context, name string, src []byte, module bool) (*unit, error) {
	src = plain.TrimBOM(src)
	if err := checkTokens(src); err != nil {
		return nil, refused(name, err)
	}
	if typed(name) {
		return rewrite(ctx, name, src, module)
	}
	tree, err := parser.ParseFile(nil, name, string(src), 0, parser.WithDisableSourceMaps)
	if err != nil && len(src) > maxRewrite {
		return nil, syntaxError(name, src, err)
	}
	if err != nil {
		return rewrite(ctx, name, src, module)
	}
	guardConcat(tree)
	if module {
		enclose(tree)
	}
	program, err := goja.CompileAST(tree, true)
	if err != nil {
		return rewrite(ctx, name, src, module)
	}
	return &unit{program, module}, nil
}

// enclose turns the body of a program into the body of a function of (exports, require, module).
// The function is the value of the program.
func enclose(tree *ast.Program) {
	const begin = 1
	params := &ast.ParameterList{Opening: begin, Closing: begin}
	for _, name := range []unistring.String{"exports", "require", "module"} {
		params.List = append(params.List,
			&ast.Binding{Target: &ast.Identifier{Name: name, Idx: begin}})
	}
	f := &ast.FunctionLiteral{Function: begin, ParameterList: params,
		Body:   &ast.BlockStatement{LeftBrace: begin, List: tree.Body, RightBrace: begin},
		Source: "function (exports, require, module) {}", DeclarationList: tree.DeclarationList}
	tree.Body, tree.DeclarationList = []ast.Statement{&ast.ExpressionStatement{Expression: f}}, nil
}

// typed reports whether the name of a file is that of a TypeScript file.
func typed(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".ts", ".mts", ".cts":
		return true
	}
	return false
}

// refused returns the error for source text that is rejected before it is compiled.
func refused(name string, err error) *fault.ScriptError {
	se := &fault.ScriptError{Position: fault.Position{File: name}, Message: err.Error(), Err: err}
	var at *sourceError
	if errors.As(err, &at) {
		se.Line, se.Column, se.Hint = at.line, at.column, at.hint
	}
	return se
}

// syntaxError converts an error of the parser or the compiler: the first mistake, with its
// position.
func syntaxError(name string, src []byte, err error) *fault.ScriptError {
	se := &fault.ScriptError{Position: fault.Position{File: name},
		Message: "SyntaxError: " + err.Error(), Err: err}
	var list parser.ErrorList
	var compiler *goja.CompilerSyntaxError
	switch {
	case errors.As(err, &list) && len(list) > 0:
		first := list[0]
		se.Line, se.Column, se.Message = first.Position.Line, first.Position.Column,
			"SyntaxError: "+first.Message
	case errors.As(err, &compiler):
		se.Message = "SyntaxError: " + compiler.Message
		if compiler.File != nil {
			p := compiler.File.Position(compiler.Offset)
			se.Line, se.Column = p.Line, p.Column
		}
	}
	se.Hint = textHint(src)
	return se
}

// textHint returns a hint if src is not text.
func textHint(src []byte) string {
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		return "is it a JavaScript source file? save it as UTF-8"
	}
	return ""
}
