package engine_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// cutsBytes are files that cut bytes wherever it may be.
var cutsBytes = []string{
	"agent/llm/llmtest/server.go", // a connection breaks in the middle of anything
}

// TestCuts finds texts that are cut without engine/plain, which can split a character or copy the
// whole text: plain has Head, Tail, Clip, Short and Chars.
func TestCuts(t *testing.T) {
	t.Parallel()
	m, err := typed()
	if err != nil {
		t.Fatal(err)
	}
	for folder, sources := range m.sources {
		if folder == "engine/plain" {
			continue
		}
		for _, s := range sources {
			cuts := m.cutsByHand(s)
			if slices.Contains(cutsBytes, s.name) {
				if cuts == nil {
					t.Errorf("%s cuts no bytes: remove it from cutsBytes", s.name)
				}
				continue
			}
			for _, cut := range cuts {
				t.Errorf("%s: a text is cut without engine/plain", s.at(cut))
			}
		}
	}
}

// cutsByHand returns the places in s that cut a text or bytes at a computed place:
//
//	string([]rune(s)[:n])
//	strings.ToValidUTF8(s, ""), which repairs a cut, and deletes what it should show
//	s[:min(len(s), n)] and s[max(0, len(s)-n):]
//	if len(s) > n { s = s[:n] }
func (m *module) cutsByHand(s *source) (cuts []ast.Node) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if name := types.ExprString(n.Fun); name == "string" && m.cutsRunes(n.Args[0]) ||
				name == "strings.ToValidUTF8" && types.ExprString(n.Args[1]) == `""` {
				cuts = append(cuts, n)
			}
		case *ast.SliceExpr:
			if m.cutsWithin(n) {
				cuts = append(cuts, n)
			}
		case *ast.IfStmt:
			cuts = append(cuts, m.cutsBelow(n)...)
		}
		return true
	})
	return cuts
}

// cutsRunes reports whether e is a part of []rune.
func (m *module) cutsRunes(e ast.Expr) bool {
	part, ok := e.(*ast.SliceExpr)
	return ok && m.isSliceOf(part.X, types.Rune)
}

// isText reports whether e is a string or bytes.
func (m *module) isText(e ast.Expr) bool {
	t := m.types[e].Type
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0 || m.isSliceOf(e, types.Byte)
}

func (m *module) isSliceOf(e ast.Expr, kind types.BasicKind) bool {
	t := m.types[e].Type
	if t == nil {
		return false
	}
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	of, ok := s.Elem().(*types.Basic)
	return ok && of.Kind() == kind
}

// cutsWithin reports whether a text is cut to a length by min, or from one by max. One byte is no
// length: its place is known.
func (m *module) cutsWithin(s *ast.SliceExpr) bool {
	limited := func(e ast.Expr, by string) bool {
		call, ok := e.(*ast.CallExpr)
		if !ok || types.ExprString(call.Fun) != by || !m.isText(s.X) {
			return false
		}
		length, one := false, false
		for _, arg := range call.Args {
			text := types.ExprString(arg)
			length = length || strings.Contains(text, "len("+types.ExprString(s.X)+")")
			one = one || text == "1"
		}
		return length && !one
	}
	return s.Low == nil && limited(s.High, "min") || s.High == nil && limited(s.Low, "max")
}

// cutsBelow returns the cuts of a text that its length is compared for.
func (m *module) cutsBelow(s *ast.IfStmt) (cuts []ast.Node) {
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok || cond.Op != token.GTR && cond.Op != token.GEQ {
		return nil
	}
	call, ok := cond.X.(*ast.CallExpr)
	if !ok || types.ExprString(call.Fun) != "len" || !m.isText(call.Args[0]) {
		return nil
	}
	text, most := types.ExprString(call.Args[0]), types.ExprString(cond.Y)
	ast.Inspect(s.Body, func(n ast.Node) bool {
		part, ok := n.(*ast.SliceExpr)
		if !ok || types.ExprString(part.X) != text {
			return true
		}
		head := part.Low == nil && part.High != nil && types.ExprString(part.High) == most
		tail := part.High == nil && types.ExprString(part.Low) == "len("+text+") - "+most
		if head || tail {
			cuts = append(cuts, part)
		}
		return true
	})
	return cuts
}

func TestCutsByHand(t *testing.T) {
	t.Parallel()
	m := newModule()
	for code, want := range map[string]int{
		`r := []rune(s); return string(r[:3]) + "..."`:                 1,
		`return string([]rune(s)[:3])`:                                 1,
		`return strings.ToValidUTF8(s[:3], "")`:                        1,
		`return strings.ToValidUTF8(string(b[:3]), "")`:                1,
		`return strings.ToValidUTF8(s, "")`:                            1,
		`return strings.ToValidUTF8(s[:n], "\uFFFD")`:                  0,
		`return string(b[:n])`:                                         0,
		`r := []rune(s); return string(r)`:                             0,
		`r := []rune(s); slices.Reverse(r[1:]); return s`:              0,
		`return s[:min(len(s), n)]`:                                    1,
		`return string(b[:min(n, len(b))])`:                            1,
		`return s[:min(int64(len(s)), 8)]`:                             1,
		`return s[max(0, len(s)-n):]`:                                  1,
		`if len(s) > n { s = s[:n] }; return s`:                        1,
		`if len(b) >= 3 { b = b[len(b)-3:] }; return ""`:               1,
		`if len(l) > 3 { l = l[:3] }; return ""`:                       0,
		`l = l[:min(len(l), 3)]; return ""`:                            0,
		`return s[:min(len(s), 1)]`:                                    0,
		`if len(s) > n { return s[:strings.Index(s, "x")]}; return ""`: 0,
		`x := t.text; return x[:min(len(x), n)]`:                       1,
		`x := strings.TrimSpace(s); return x[max(0, len(x)-n):]`:       1,
		`return t.f()[:min(len(t.f()), n)]`:                            1,
	} {
		src := mustParse(t, "x/x.go", "package x\nimport \"strings\"\n"+
			"type T struct { text string }\n"+
			"func (T) f() string { return \"\" }\n"+
			"func f(s string, b []byte, l []string, n int, t T) string {"+code+"}")
		m.sources[code] = []*source{src}
		m.check(code)
		if got := len(m.cutsByHand(src)); got != want {
			t.Errorf("%s: %d cuts are found, want %d", code, got, want)
		}
	}
}
