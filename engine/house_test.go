package engine_test

import (
	"go/ast"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of size. Larger types, packages and lines are hard to read.
const (
	mostMethods = 40  // of a type
	mostFiles   = 40  // of a package, without its tests
	mostColumns = 100 // of a line; a tab is four
)

// TestHouse counts methods, files and columns.
func TestHouse(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, s := range sources {
		if strings.HasSuffix(s.name, "_test.go") || ast.IsGenerated(s.file) {
			continue
		}
		folder := path.Dir(s.name)
		counts[folder]++
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				counts[folder+"."+receiverName(f.Recv.List[0].Type)]++
			}
		}
		long, err := longLines(filepath.Join("..", filepath.FromSlash(s.name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range long {
			t.Errorf("%s:%d: the line is longer than %d columns", s.name, n, mostColumns)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		most, what := mostFiles, "files"
		if strings.Contains(path.Base(name), ".") {
			most, what = mostMethods, "methods"
		}
		if n := counts[name]; n > most {
			t.Errorf("%s has %d %s, more than %d: move a part of it to a new type or package",
				name, n, what, most)
		}
	}

}

// TestReceiver: the methods of a type count together, whatever its parameters are called.
func TestReceiver(t *testing.T) {
	t.Parallel()
	for _, of := range []string{"T", "*T", "T[A]", "*T[A]", "T[A, B]", "*T[A, B]"} {
		s := mustParse(t, "x.go", "package x\nfunc (t "+of+") f() {}")
		f := s.file.Decls[0].(*ast.FuncDecl)
		if got := receiverName(f.Recv.List[0].Type); got != "T" {
			t.Errorf("a method of %s counts for %s", of, got)
		}
	}
}

// longLines returns the numbers of the lines of a file that are too long.
func longLines(name string) (long []int, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    ")
		if utf8.RuneCountInString(line) > mostColumns {
			long = append(long, i+1)
		}
	}
	return long, nil
}

// recovers are the files that may call recover, with the number of calls. The list may only shrink:
// other packages use engine/apart.
var recovers = map[string]int{"engine/apart/apart.go": 2}

// TestRecovers counts calls of recover.
func TestRecovers(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		n := 0
		ast.Inspect(s.file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "recover" {
					n++
				}
			}
			return true
		})
		if !s.test() && n != recovers[s.name] {
			t.Errorf("%s calls recover %d times, want %d: engine/apart has Catch, Call, Recover "+
				"and Run", s.name, n, recovers[s.name])
		}
	}
}

// TestCuts finds texts that are cut without engine/plain, which can split a character or copy the
// whole text: plain has Head, Tail, Clip, Short and Chars.
func TestCuts(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		if s.test() || s.folder() == "engine/plain" {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				for _, cut := range cutsByHand(f) {
					t.Errorf("%s: a text is cut without engine/plain", s.at(cut))
				}
			}
		}
	}
}

// cutsByHand returns the calls in f that convert a part of a text's runes to a string,
// string([]rune(s)[:n]), and those that repair a cut by bytes, strings.ToValidUTF8(s[:n], "").
func cutsByHand(f *ast.FuncDecl) (cuts []ast.Node) {
	chars := map[string]bool{} // variables that are []rune(...)
	ast.Inspect(f, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && isRunes(a.Rhs[0]) {
			chars[types.ExprString(a.Lhs[0])] = true
		}
		return true
	})
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		part, sliced := call.Args[0].(*ast.SliceExpr)
		if inner, ok := call.Args[0].(*ast.CallExpr); ok && len(inner.Args) == 1 {
			part, sliced = inner.Args[0].(*ast.SliceExpr)
		}
		switch name := types.ExprString(call.Fun); {
		case !sliced:
		case name == "string" && (isRunes(part.X) || chars[types.ExprString(part.X)]),
			name == "strings.ToValidUTF8" && types.ExprString(call.Args[1]) == `""`:
			cuts = append(cuts, call)
		}
		return true
	})
	return cuts
}

// isRunes reports whether an expression is []rune(...).
func isRunes(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && types.ExprString(call.Fun) == "[]rune"
}

func TestCutsByHand(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		`r := []rune(s); return string(r[:3]) + "..."`:    1,
		`return string([]rune(s)[:3])`:                    1,
		`return strings.ToValidUTF8(s[:3], "")`:           1,
		`return strings.ToValidUTF8(string(b[:3]), "")`:   1,
		`return strings.ToValidUTF8(s, "")`:               0,
		`return strings.ToValidUTF8(s[:n], "\uFFFD")`:     0,
		`return string(b[:n])`:                            0,
		`r := []rune(s); return string(r)`:                0,
		`r := []rune(s); slices.Reverse(r[1:]); return r`: 0,
	} {
		s := mustParse(t, "x.go", "package x\nfunc f(s string, b []byte) string {"+code+"}")
		if got := len(cutsByHand(s.file.Decls[0].(*ast.FuncDecl))); got != want {
			t.Errorf("%s: %d cuts are found, want %d", code, got, want)
		}
	}
}
