// This file limits the size of strings made by the operator + and by templates. The interpreter
// concatenates strings of any size in one instruction, which cannot be interrupted: a loop around s
// += s can allocate gigabytes before the watchdog checks the heap. So an expression whose result
// can grow by more than its literals is compiled as a call of concat or template, which check the
// size first. The watchdog alone limits code compiled by eval and Function.

package js

import (
	"reflect"
	"slices"

	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/file"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// The variables that hold concat and template. No source text can contain such a name.
const (
	concatName   = " concat"
	templateName = " template"
)

// guardConcat replaces additions and templates in a syntax tree with calls of concat and template.
func guardConcat(tree *ast.Program) {
	f := &finder{written: map[unistring.String][]ast.Expression{},
		added: map[unistring.String][]ast.Expression{}}
	f.statements(tree.Body)
	n := numbers{}
	n.findNumbers(f.written, f.added)
	for _, s := range f.additions { // inner ones come first
		n.guardAddition(s)
	}
	for _, at := range f.templates {
		n.guardTemplate(at)
	}
}

// addition is a chain of operands that are added from left to right: a + b + c, or a += b + c.
type addition struct {
	at    *ast.Expression // of the outermost +
	parts []*ast.Expression
	// target is the left side of +=, nil if there is none.
	target ast.Expression
}

// guardAddition replaces one chain, unless it adds only literals and numbers to a value. Such a
// string grows slowly enough for the watchdog.
func (n numbers) guardAddition(s addition) {
	var args []ast.Expression
	for _, p := range s.parts {
		args = append(args, *p)
	}
	if s.target == nil {
		if n.grows(args) {
			*s.at = callOf(concatName, (*s.at).Idx0(), args)
		}
		return
	}
	target := s.target
	if n.begins(target) {
		target = &ast.NumberLiteral{}
	}
	if !n.grows(append([]ast.Expression{target}, args...)) {
		return
	}
	if !repeatable(s.target) { // the sum is checked when it is made
		*s.at = callOf(concatName, (*s.at).Idx0(), []ast.Expression{*s.at})
		return
	}
	assign := (*s.at).(*ast.AssignExpression)
	assign.Operator = token.ASSIGN
	assign.Right = callOf(concatName, assign.Idx0(), append([]ast.Expression{s.target}, args...))
}

// guardTemplate replaces one template, unless it adds only literals and numbers to a value.
func (n numbers) guardTemplate(at *ast.Expression) {
	t := (*at).(*ast.TemplateLiteral)
	if !n.grows(t.Expressions) {
		return
	}
	var args []ast.Expression
	for i, e := range t.Elements {
		if e.Parsed != "" {
			args = append(args, &ast.StringLiteral{Idx: e.Idx, Value: e.Parsed})
		}
		if i < len(t.Expressions) {
			args = append(args, t.Expressions[i])
		}
	}
	*at = callOf(templateName, t.Idx0(), args)
}

// grows reports whether two of the operands may be long strings.
func (n numbers) grows(operands []ast.Expression) bool {
	long := 0
	for _, e := range operands {
		if _, literal := e.(*ast.StringLiteral); !literal && !n.is(e) {
			long++
		}
	}
	return long > 1
}

// callOf returns a call of one of our functions, at the position of the expression that it
// replaces.
func callOf(name unistring.String, at file.Idx, args []ast.Expression) ast.Expression {
	return &ast.CallExpression{Callee: &ast.Identifier{Name: name, Idx: at}, LeftParenthesis: at,
		ArgumentList: args, RightParenthesis: at}
}

// repeatable reports whether the target of += can be evaluated twice without changing the meaning,
// as in a.b = a.b + c.
func repeatable(target ast.Expression) bool {
	switch t := target.(type) {
	case *ast.Identifier:
		return true
	case *ast.DotExpression:
		return simple(t.Left)
	case *ast.PrivateDotExpression:
		return simple(t.Left)
	case *ast.BracketExpression:
		return simple(t.Left) && simple(t.Member)
	}
	return false
}

func simple(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.Identifier, *ast.ThisExpression, *ast.StringLiteral, *ast.NumberLiteral:
		return true
	case *ast.DotExpression:
		return simple(e.Left)
	}
	return false
}

// compileConcat compiles a program that declares the two names as variables of the top level. The
// interpreter finds them faster than properties of the global object, and no script can assign to
// them.
func compileConcat() *goja.Program {
	const source = "const concat = globalThis.concat, template = globalThis.template;"
	tree, err := goja.Parse("concat", source)
	if err != nil {
		panic(err) // a mistake in source
	}
	for i, b := range tree.Body[0].(*ast.LexicalDeclaration).List {
		b.Target.(*ast.Identifier).Name = []unistring.String{concatName, templateName}[i]
	}
	program, err := goja.CompileAST(tree, true)
	if err != nil {
		panic(err)
	}
	return program
}

// joiner computes the additions and templates that guardConcat replaced with calls.
type joiner struct {
	realm *realm
	rt    *goja.Runtime // that of realm
	plus  rawFunc       // the operator + of two operands
}

// bindConcat runs the program of compileConcat. concat and template are globals only while it runs.
func (j *joiner) bindConcat(program *goja.Program) {
	j.realm.global("concat", j.rt.ToValue(j.concat))
	j.realm.global("template", j.rt.ToValue(j.template))
	j.realm.runProgram(program)
	for _, name := range []string{"concat", "template"} {
		_ = j.rt.GlobalObject().Delete(name)
	}
}

var integerType = reflect.TypeOf(int64(0))

// concat computes a + b + c from left to right, as the language does. It only checks a single
// argument.
func (j *joiner) concat(call goja.FunctionCall) goja.Value {
	args := call.Arguments
	sum := args[0]
	if s, ok := sum.(goja.String); ok && len(args) == 1 {
		j.realm.checkText(float64(s.Length()))
	}
	for i := 1; i < len(args); i++ {
		next := args[i]
		switch {
		case goja.IsNumber(sum) && goja.IsNumber(next):
			sum = j.addNumbers(sum, next)
		case (goja.IsString(sum) || goja.IsString(next)) && !composite(sum) &&
			!slices.ContainsFunc(args[i:], composite):
			args[i-1] = sum
			return j.joinAll(args[i-1:])
		default: // the interpreter converts it to a string or a number
			sum = j.plus(goja.FunctionCall{This: goja.Undefined(),
				Arguments: []goja.Value{sum, next}})
			if s, ok := sum.(goja.String); ok {
				j.realm.checkText(float64(s.Length()))
			}
		}
	}
	return sum
}

func (j *joiner) addNumbers(a, b goja.Value) goja.Value {
	if a.ExportType() == integerType && b.ExportType() == integerType {
		return j.rt.ToValue(a.ToInteger() + b.ToInteger())
	}
	return j.rt.ToValue(a.ToFloat() + b.ToFloat())
}

// composite reports whether converting val to a string may run code of the script, or fail.
func composite(val goja.Value) bool {
	switch val.(type) {
	case *goja.Object, *goja.Symbol:
		return true
	}
	return false
}

// template computes `a${b}c`: it joins its operands as strings.
func (j *joiner) template(call goja.FunctionCall) goja.Value {
	for i, a := range call.Arguments {
		if composite(a) {
			call.Arguments[i] = j.realm.text(a)
		}
	}
	return j.joinAll(call.Arguments)
}

// joinAll joins values that are not composite, as strings.
func (j *joiner) joinAll(parts []goja.Value) goja.Value {
	size := 0
	for i, p := range parts {
		s, ok := p.(goja.String)
		if !ok {
			s = j.realm.text(p)
			parts[i] = s
		}
		size += s.Length()
	}
	j.realm.checkText(float64(size))
	if len(parts) == 2 {
		return parts[0].(goja.String).Concat(parts[1].(goja.String))
	}
	var b goja.StringBuilder
	b.Grow(size)
	for _, p := range parts {
		b.WriteString(p.(goja.String))
	}
	return b.String()
}
