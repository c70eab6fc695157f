package engine_test

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

// TestNoWorkAtInit: regular expressions of packages are compiled at their first use
// (sync.OnceValue). Compiling all of them takes a tenth of the time of a short run.
func TestNoWorkAtInit(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		if strings.HasSuffix(s.name, "_test.go") || path.Dir(s.name) == "engine/scripttest" {
			continue
		}
		for _, d := range s.file.Decls {
			if vars, ok := d.(*ast.GenDecl); ok && vars.Tok == token.VAR {
				findCompiled(t, s.name, vars)
			}
		}
	}
}

func findCompiled(t *testing.T, file string, vars *ast.GenDecl) {
	ast.Inspect(vars, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false // it runs later
		}
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "MustCompile" {
			t.Errorf("%s: a pattern is compiled at init: use sync.OnceValue", file)
		}
		return true
	})
}
