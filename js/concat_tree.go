// This file finds additions and templates in a syntax tree, and the variables that hold numbers.

package js

import (
	"slices"

	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/token"
	"github.com/dop251/goja/unistring"
)

// finder walks through a syntax tree.
type finder struct {
	additions []addition        // inner before outer
	templates []*ast.Expression // inner before outer
	// written has the values that are assigned to each variable; a nil value is unknown. added has
	// those that += adds to it.
	written, added map[unistring.String][]ast.Expression
}

func (f *finder) statements(list []ast.Statement) {
	for _, s := range list {
		f.statement(s)
	}
}

func (f *finder) statement(s ast.Statement) {
	switch s := s.(type) {
	case *ast.BlockStatement:
		if s != nil {
			f.statements(s.List)
		}
	case *ast.ExpressionStatement:
		f.expression(&s.Expression)
	case *ast.ReturnStatement:
		f.expression(&s.Argument)
	case *ast.ThrowStatement:
		f.expression(&s.Argument)
	case *ast.VariableStatement:
		f.bindings(s.List)
	case *ast.LexicalDeclaration:
		f.bindings(s.List)
	case *ast.FunctionDeclaration:
		f.function(s.Function)
	case *ast.ClassDeclaration:
		f.class(s.Class)
	case *ast.LabelledStatement:
		f.statement(s.Statement)
	case *ast.WithStatement:
		f.expression(&s.Object)
		f.statement(s.Body)
	case *ast.IfStatement:
		f.expression(&s.Test)
		f.statement(s.Consequent)
		f.statement(s.Alternate)
	case *ast.SwitchStatement:
		f.expression(&s.Discriminant)
		for _, c := range s.Body {
			f.expression(&c.Test)
			f.statements(c.Consequent)
		}
	case *ast.TryStatement:
		f.statement(s.Body)
		if s.Catch != nil {
			f.target(s.Catch.Parameter)
			f.statement(s.Catch.Body)
		}
		f.statement(s.Finally)
	default:
		f.loop(s)
	}
}

func (f *finder) loop(s ast.Statement) {
	switch s := s.(type) {
	case *ast.WhileStatement:
		f.expression(&s.Test)
		f.statement(s.Body)
	case *ast.DoWhileStatement:
		f.expression(&s.Test)
		f.statement(s.Body)
	case *ast.ForInStatement:
		f.into(s.Into)
		f.expression(&s.Source)
		f.statement(s.Body)
	case *ast.ForOfStatement:
		f.into(s.Into)
		f.expression(&s.Source)
		f.statement(s.Body)
	case *ast.ForStatement:
		switch init := s.Initializer.(type) {
		case *ast.ForLoopInitializerExpression:
			f.expression(&init.Expression)
		case *ast.ForLoopInitializerVarDeclList:
			f.bindings(init.List)
		case *ast.ForLoopInitializerLexicalDecl:
			f.bindings(init.LexicalDeclaration.List)
		}
		f.expression(&s.Test)
		f.expression(&s.Update)
		f.statement(s.Body)
	}
}

func (f *finder) into(into ast.ForInto) {
	switch i := into.(type) {
	case *ast.ForIntoVar:
		f.target(i.Binding.Target)
	case *ast.ForDeclaration:
		f.target(i.Target)
	case *ast.ForIntoExpression:
		f.target(i.Expression)
		f.expression(&i.Expression)
	}
}

func (f *finder) bindings(list []*ast.Binding) {
	for _, b := range list {
		f.expression(&b.Initializer)
		if name, ok := b.Target.(*ast.Identifier); ok && b.Initializer != nil {
			f.written[name.Name] = append(f.written[name.Name], b.Initializer)
			continue
		}
		f.target(b.Target)
	}
}

// target records that variables get unknown values: those of a destructuring pattern or a
// parameter.
func (f *finder) target(e ast.Expression) {
	switch e := e.(type) {
	case *ast.Identifier:
		f.written[e.Name] = append(f.written[e.Name], nil)
	case *ast.AssignExpression: // a target with a default
		f.target(e.Left)
		f.expression(&e.Right)
	case *ast.ArrayPattern:
		for _, x := range append(e.Elements, e.Rest) {
			f.target(x)
		}
	case *ast.ObjectPattern:
		for _, p := range e.Properties {
			switch p := p.(type) {
			case *ast.PropertyShort:
				f.target(&p.Name)
				f.expression(&p.Initializer)
			case *ast.PropertyKeyed:
				f.expression(&p.Key)
				f.target(p.Value)
			}
		}
		f.target(e.Rest)
	}
}

func (f *finder) function(fn *ast.FunctionLiteral) {
	if fn == nil {
		return
	}
	f.parameters(fn.ParameterList)
	f.statement(fn.Body)
}

func (f *finder) parameters(list *ast.ParameterList) {
	if list == nil {
		return
	}
	for _, p := range list.List {
		f.target(p.Target)
		f.expression(&p.Initializer)
	}
	f.target(list.Rest)
}

func (f *finder) class(c *ast.ClassLiteral) {
	f.expression(&c.SuperClass)
	for _, e := range c.Body {
		switch e := e.(type) {
		case *ast.FieldDefinition:
			f.expression(&e.Key)
			f.expression(&e.Initializer)
		case *ast.MethodDefinition:
			f.expression(&e.Key)
			f.function(e.Body)
		case *ast.ClassStaticBlock:
			f.statement(e.Block)
		}
	}
}

func (f *finder) expressions(list []ast.Expression) {
	for i := range list {
		f.expression(&list[i])
	}
}

func (f *finder) expression(at *ast.Expression) {
	switch e := (*at).(type) {
	case *ast.BinaryExpression:
		if e.Operator == token.PLUS {
			f.addition(at)
			return
		}
		f.expression(&e.Left)
		f.expression(&e.Right)
	case *ast.AssignExpression:
		f.assignment(at, e)
	case *ast.TemplateLiteral:
		f.expression(&e.Tag)
		f.expressions(e.Expressions)
		if e.Tag == nil {
			f.templates = append(f.templates, at)
		}
	case *ast.ConditionalExpression:
		f.expression(&e.Test)
		f.expression(&e.Consequent)
		f.expression(&e.Alternate)
	case *ast.SequenceExpression:
		f.expressions(e.Sequence)
	case *ast.UnaryExpression:
		f.expression(&e.Operand)
	case *ast.FunctionLiteral:
		f.function(e)
	case *ast.ArrowFunctionLiteral:
		f.parameters(e.ParameterList)
		switch body := e.Body.(type) {
		case *ast.BlockStatement:
			f.statement(body)
		case *ast.ExpressionBody:
			f.expression(&body.Expression)
		}
	case *ast.ClassLiteral:
		f.class(e)
	default:
		f.operand(e)
	}
}

// operand walks through the parts of an expression that binds more tightly than operators.
func (f *finder) operand(e ast.Expression) {
	switch e := e.(type) {
	case *ast.CallExpression:
		f.expression(&e.Callee)
		f.expressions(e.ArgumentList)
	case *ast.NewExpression:
		f.expression(&e.Callee)
		f.expressions(e.ArgumentList)
	case *ast.DotExpression:
		f.expression(&e.Left)
	case *ast.PrivateDotExpression:
		f.expression(&e.Left)
	case *ast.BracketExpression:
		f.expression(&e.Left)
		f.expression(&e.Member)
	case *ast.OptionalChain:
		f.expression(&e.Expression)
	case *ast.Optional:
		f.expression(&e.Expression)
	case *ast.SpreadElement:
		f.expression(&e.Expression)
	case *ast.AwaitExpression:
		f.expression(&e.Argument)
	case *ast.YieldExpression:
		f.expression(&e.Argument)
	case *ast.ArrayLiteral:
		f.expressions(e.Value)
	case *ast.ObjectLiteral:
		for _, p := range e.Value {
			switch p := p.(type) {
			case *ast.PropertyShort:
				f.expression(&p.Initializer)
			case *ast.PropertyKeyed:
				f.expression(&p.Key)
				f.expression(&p.Value)
			case *ast.SpreadElement:
				f.expression(&p.Expression)
			}
		}
	}
}

// addition records the chain of + at a position, after the chains in its operands.
func (f *finder) addition(at *ast.Expression) {
	f.additions = append(f.additions, addition{at: at, parts: f.chain(at)})
}

// chain walks through the operands of a chain of +, from left to right.
func (f *finder) chain(at *ast.Expression) (parts []*ast.Expression) {
	e, ok := (*at).(*ast.BinaryExpression)
	if !ok || e.Operator != token.PLUS {
		f.expression(at)
		return []*ast.Expression{at}
	}
	parts = f.chain(&e.Left)
	f.expression(&e.Right)
	return append(parts, &e.Right)
}

// assigns are the assignment operators whose result is one of their operands. The result of the
// others is a number.
var assigns = map[token.Token]bool{token.ASSIGN: true, token.LOGICAL_AND: true,
	token.LOGICAL_OR: true, token.COALESCE: true}

func (f *finder) assignment(at *ast.Expression, e *ast.AssignExpression) {
	name, variable := e.Left.(*ast.Identifier)
	if !variable {
		f.target(e.Left)
		f.expression(&e.Left)
	}
	f.expression(&e.Right)
	switch {
	case e.Operator == token.PLUS:
		f.additions = append(f.additions, addition{at: at, target: e.Left,
			parts: []*ast.Expression{&e.Right}})
		if variable {
			f.added[name.Name] = append(f.added[name.Name], e.Right)
		}
	case variable && assigns[e.Operator]:
		f.written[name.Name] = append(f.written[name.Name], e.Right)
	}
}

// numbers has the names of variables that begin as numbers: all that is assigned to them is one.
// The value is true if only numbers are added to them too. The others may become texts, but each +=
// makes them longer only by what it adds.
type numbers map[unistring.String]bool

// findNumbers begins with all variables. It removes those that may hold other values, and then
// those that are set to a removed one, until nothing changes.
func (n numbers) findNumbers(written, added map[unistring.String][]ast.Expression) {
	for name := range written {
		n[name] = true
	}
	other := func(e ast.Expression) bool { return !n.is(e) }
	text := func(e ast.Expression) bool {
		_, is := e.(*ast.StringLiteral)
		return is
	}
	for changed := true; changed; {
		changed = false
		for name, sure := range n {
			switch {
			case slices.ContainsFunc(written[name], other),
				slices.ContainsFunc(added[name], text):
				delete(n, name)
				changed = true
			case sure && slices.ContainsFunc(added[name], other):
				n[name] = false
				changed = true
			}
		}
	}
}

// begins reports whether an expression is a variable that begins as a number.
func (n numbers) begins(e ast.Expression) bool {
	name, ok := e.(*ast.Identifier)
	if !ok {
		return false
	}
	_, ok = n[name.Name]
	return ok
}

// numeric lists methods that return numbers.
var numeric = map[unistring.String]bool{"indexOf": true, "lastIndexOf": true, "charCodeAt": true,
	"codePointAt": true, "getTime": true, "findIndex": true, "search": true}

// is reports whether an expression is a number, or an operand that makes a string only a little
// longer.
func (n numbers) is(e ast.Expression) bool {
	switch e := e.(type) {
	case *ast.NumberLiteral, *ast.BooleanLiteral, *ast.NullLiteral:
		return true
	case *ast.Identifier:
		return n[e.Name]
	case *ast.UnaryExpression:
		return e.Operator != token.VOID && e.Operator != token.TYPEOF
	case *ast.BinaryExpression:
		switch e.Operator {
		case token.PLUS, token.LOGICAL_AND, token.LOGICAL_OR, token.COALESCE:
			return n.is(e.Left) && n.is(e.Right)
		}
		return true
	case *ast.ConditionalExpression:
		return n.is(e.Consequent) && n.is(e.Alternate)
	case *ast.DotExpression:
		return e.Identifier.Name == "length"
	case *ast.CallExpression:
		return n.numericCall(e.Callee)
	}
	return false
}

// numericCall reports whether a call of a function returns a number.
func (n numbers) numericCall(callee ast.Expression) bool {
	switch c := callee.(type) {
	case *ast.Identifier:
		return c.Name == "Number" || c.Name == "parseInt" || c.Name == "parseFloat"
	case *ast.DotExpression:
		of, _ := c.Left.(*ast.Identifier)
		return numeric[c.Identifier.Name] || of != nil &&
			(of.Name == "Math" || of.Name == "Date" || of.Name == "performance")
	}
	return false
}
