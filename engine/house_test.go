package engine_test

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The bounds of the house: what is larger is not read by anybody as a whole.
const (
	mostMethods = 40  // of a type
	mostFiles   = 40  // of a package, without its tests
	mostColumns = 100 // of a line; a tab is four
)

// longLines is how many lines of code are longer than mostColumns: mostly texts in which no line
// can be broken. It may only go down.
const longLines = 124

// TestHouse counts methods, files and columns.
func TestHouse(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	long := 0
	for _, s := range sources {
		if strings.HasSuffix(s.name, "_test.go") || ast.IsGenerated(s.file) {
			continue
		}
		folder := path.Dir(s.name)
		counts[folder]++
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				counts[folder+"."+receiver(f)]++
			}
		}
		n, err := longLinesOf(filepath.Join("..", filepath.FromSlash(s.name)))
		if err != nil {
			t.Fatal(err)
		}
		long += n
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		most, what := mostFiles, "files"
		if strings.Contains(path.Base(name), ".") {
			most, what = mostMethods, "methods"
		}
		if n := counts[name]; n > most {
			t.Errorf("%s has %d %s, more than %d: give a part of it a type or a package of its own",
				name, n, what, most)
		}
	}
	if long != longLines {
		t.Errorf("%d lines are longer than %d columns, want %d", long, mostColumns, longLines)
	}
}

// receiver is the name of the type that f is a method of.
func receiver(f *ast.FuncDecl) string {
	expr := f.Recv.List[0].Type
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if index, ok := expr.(*ast.IndexExpr); ok {
		expr = index.X
	}
	return fmt.Sprint(expr)
}

// longLinesOf counts the lines of a file that are too long.
func longLinesOf(name string) (n int, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if len([]rune(strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t",
			"    "))) > mostColumns {
			n++
		}
	}
	return n, nil
}

// recovers are the files that may call recover, with how many calls there are. It may only shrink:
// whoever has to survive a panic calls a function of engine/apart, which says what it was.
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
