// This file limits the size of strings made by the operator "..". The interpreter concatenates
// strings of any size in one instruction, which cannot be interrupted: a loop around s = s .. s can
// allocate gigabytes before the watchdog checks the heap. So a chain of .. whose result can grow by
// more than its literals is compiled as a call of concat, which checks the size first.

package lua

import (
	"strings"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

// concatMark stands for the function concat in a syntax tree. In the compiled code it is a
// constant, which bindConcat replaces.
const concatMark = "\x00concat of github.com/agentscripts/agent/lua\x00"

// longestNumber is longer than any number as text, in bytes.
const longestNumber = 32

// guardConcat replaces chains of .. in a syntax tree with calls of concat.
func guardConcat(list []ast.Stmt) {
	for _, s := range list {
		guardStmt(s)
	}
}

func guardStmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		guardExprs(s.Lhs)
		guardExprs(s.Rhs)
	case *ast.LocalAssignStmt:
		guardExprs(s.Exprs)
	case *ast.FuncCallStmt:
		guardExpr(&s.Expr)
	case *ast.DoBlockStmt:
		guardConcat(s.Stmts)
	case *ast.WhileStmt:
		guardExpr(&s.Condition)
		guardConcat(s.Stmts)
	case *ast.RepeatStmt:
		guardExpr(&s.Condition)
		guardConcat(s.Stmts)
	case *ast.IfStmt:
		guardExpr(&s.Condition)
		guardConcat(s.Then)
		guardConcat(s.Else)
	case *ast.NumberForStmt:
		guardExpr(&s.Init)
		guardExpr(&s.Limit)
		guardExpr(&s.Step)
		guardConcat(s.Stmts)
	case *ast.GenericForStmt:
		guardExprs(s.Exprs)
		guardConcat(s.Stmts)
	case *ast.FuncDefStmt:
		guardConcat(s.Func.Stmts)
	case *ast.ReturnStmt:
		guardExprs(s.Exprs)
	}
}

func guardExprs(list []ast.Expr) {
	for i := range list {
		guardExpr(&list[i])
	}
}

func guardExpr(at *ast.Expr) {
	switch e := (*at).(type) {
	case *ast.AttrGetExpr:
		guardExpr(&e.Object)
		guardExpr(&e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			guardExpr(&f.Key)
			guardExpr(&f.Value)
		}
	case *ast.FuncCallExpr:
		guardExpr(&e.Func)
		guardExpr(&e.Receiver)
		guardExprs(e.Args)
	case *ast.LogicalOpExpr:
		guardExpr(&e.Lhs)
		guardExpr(&e.Rhs)
	case *ast.RelationalOpExpr:
		guardExpr(&e.Lhs)
		guardExpr(&e.Rhs)
	case *ast.ArithmeticOpExpr:
		guardExpr(&e.Lhs)
		guardExpr(&e.Rhs)
	case *ast.UnaryMinusOpExpr:
		guardExpr(&e.Expr)
	case *ast.UnaryNotOpExpr:
		guardExpr(&e.Expr)
	case *ast.UnaryLenOpExpr:
		guardExpr(&e.Expr)
	case *ast.FunctionExpr:
		guardConcat(e.Stmts)
	case *ast.StringConcatOpExpr:
		guardChain(at, e)
	}
}

// guardChain replaces one chain, unless it adds only literals to a string. Such a string grows
// slowly enough for the watchdog.
func guardChain(at *ast.Expr, e *ast.StringConcatOpExpr) {
	var parts []ast.Expr
	grows := 0
	for rest := ast.Expr(e); ; {
		chain, more := rest.(*ast.StringConcatOpExpr)
		part := rest
		if more {
			part, rest = chain.Lhs, chain.Rhs
		}
		guardExpr(&part)
		switch p := part.(type) {
		case *ast.StringExpr, *ast.NumberExpr:
			grows--
		case *ast.FuncCallExpr:
			p.AdjustRet = true // exactly one value, as an operand has
		case *ast.Comma3Expr:
			p.AdjustRet = true
		}
		grows++
		if parts = append(parts, part); !more {
			break
		}
	}
	if grows < 2 {
		return
	}
	mark := &ast.StringExpr{Value: concatMark}
	call := &ast.FuncCallExpr{Func: mark, Args: parts, AdjustRet: true}
	for _, x := range []ast.PositionHolder{mark, call} {
		x.SetLine(e.Line())
		x.SetLastLine(e.LastLine())
	}
	*at = call
}

// bindConcat replaces the mark in the compiled code with the function concat.
func bindConcat(proto *glua.FunctionProto) {
	for i, c := range proto.Constants {
		if c == glua.LString(concatMark) {
			proto.Constants[i] = &glua.LFunction{IsG: true, GFunction: concat}
		}
	}
	for _, p := range proto.FunctionPrototypes {
		bindConcat(p)
	}
}

// concat implements the operator .. for all operands of a chain.
func concat(L *glua.LState) int {
	n, size := L.GetTop(), 0
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case glua.LString:
			size += len(v)
		case glua.LNumber:
			size += longestNumber
		default:
			return concatSlowly(L, n)
		}
	}
	checkText(L, "..", size)
	var b strings.Builder
	b.Grow(size)
	for i := 1; i <= n; i++ {
		b.WriteString(glua.LVAsString(L.Get(i)))
	}
	L.Push(glua.LString(b.String()))
	return 1
}

// concatSlowly does the work of concat if an operand is not a string: from right to left, with
// metamethods.
func concatSlowly(L *glua.LState, n int) int {
	right := L.Get(n)
	for i := n - 1; i > 0; i-- {
		left := L.Get(i)
		if glua.LVCanConvToString(left) && glua.LVCanConvToString(right) {
			a, b := glua.LVAsString(left), glua.LVAsString(right)
			checkText(L, "..", len(a)+len(b))
			right = glua.LString(a + b)
			continue
		}
		f := L.GetMetaField(left, "__concat")
		if f == glua.LNil {
			f = L.GetMetaField(right, "__concat")
		}
		if f.Type() != glua.LTFunction {
			raisef(L, "cannot perform concat operation between %v and %v", left.Type().String(),
				right.Type().String())
		}
		L.Push(f)
		L.Push(left)
		L.Push(right)
		L.Call(2, 1)
		right = L.Get(-1)
		L.Pop(1)
	}
	L.Push(right)
	return 1
}
