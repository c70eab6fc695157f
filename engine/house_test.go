package engine_test

import (
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of size. Larger types, packages and lines are hard to read.
const (
	mostMethods = 40  // of a type: see TestMethods
	mostFiles   = 40  // of a package, without its tests
	mostColumns = 100 // of a line; a tab is four
)

// TestHouse counts files and columns, and looks at the order of imports.
func TestHouse(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, s := range sources {
		if !s.test() && !ast.IsGenerated(s.file) {
			counts[s.folder()]++
		}
		if at := s.misplacedImport(); at > 0 {
			t.Errorf("%s:%d: imports of the standard library stand first, in a group of their own",
				s.name, at)
		}
		for _, n := range s.longLines(t) {
			t.Errorf("%s:%d: the line is longer than %d columns", s.name, n, mostColumns)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[name]; n > mostFiles {
			t.Errorf("%s has %d files, more than %d: move a part of it to a new package", name, n,
				mostFiles)
		}
	}
}

// misplacedImport returns the line of the first import that shares a group with another kind of
// package, or follows one; 0 if there is none.
func (s *source) misplacedImport() int {
	last, foreign := 0, false
	for _, i := range s.file.Imports {
		first, _, _ := strings.Cut(strings.Trim(i.Path.Value, `"`), "/")
		line, other := s.line(i.Pos()), strings.Contains(first, ".")
		if last > 0 && other != foreign && (foreign || line == last+1) {
			return line
		}
		last, foreign = line, other
	}
	return 0
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

// longLines returns the numbers of the lines of a file that are too long, except those in texts of
// several lines, which are in other languages.
func (s *source) longLines(t *testing.T) (long []int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(s.name)))
	if err != nil {
		t.Fatal(err)
	}
	other := map[int]bool{}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			for n := s.line(lit.Pos()) + 1; n <= s.line(lit.End()); n++ {
				other[n-1], other[n] = true, true
			}
		}
		return true
	})
	for i, line := range strings.Split(string(text), "\n") {
		if columns(line) > mostColumns && !other[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

func (s *source) line(at token.Pos) int { return s.set.Position(at).Line }

// columns returns how wide a line is.
func columns(line string) int {
	return utf8.RuneCountInString(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    "))
}

// recovers are the files that may call recover, with the number of calls. The list may only shrink:
// other packages use engine/apart.
var recovers = map[string]int{"engine/apart/apart.go": 2}

// TestRecovers counts calls of recover.
func TestRecovers(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
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
