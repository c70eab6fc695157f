package engine_test

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// cheap are the functions that may be called at init: they allocate at most a few words, or, like
// setOf and listOf, return a function that does the work when it is called.
var cheap = []string{
	"append", "byProgram", "errors.New", "fmt.Errorf", "fmt.Sprintf", "lazyregexp.New", "len",
	"listOf", "make", "new", "reflect.TypeFor", "reflect.TypeOf", "setOf",
	"strings.NewReplacer", "sync.OnceFunc", "sync.OnceValue", "sync.OnceValues"}

// tables are the folders whose variables may be made with functions of any kind, each with the
// reason.
var tables = map[string]string{
	"agent/rpc": "the shapes of its methods are shared by several, and take a tenth of the " +
		"tables of engine/spec.",
	"engine":       "the shapes of results and calls: each run with scripts reads them.",
	"engine/chat":  "the shapes of messages: each run reads them.",
	"engine/event": "the shape of the envelope: each run reads it.",
	"engine/spec":  "the tables of events and functions: each run with an engine reads them.",
}

// calledAtInit are the other functions that initialise variables of packages, each with the reason.
var calledAtInit = map[string]string{
	"agent: refusal":          "it makes an error.",
	"agent/llm: plain.Reword": "it makes an error.",
	"cmd/agent/internal/gcstart: lessOften": "garbage must be collected less often while others " +
		"start.",
	"engine/internal/confine: confineSelf": "a confined program must not start anything else " +
		"first.",
	"js: time.Now":                      "it reads the clock, once.",
	"engine/ui: Levels":                 "it returns a few words.",
	"engine/vm: path.Dir":               "it cuts one name.",
	"engine/web: netip.MustParsePrefix": "it reads one short address.",
}

// TestNoWorkAtInit: what packages need is made at its first use (sync.OnceValue), because the work
// of all init functions is done in each run. Compiling all regular expressions, for example, takes
// a tenth of the time of a short run.
func TestNoWorkAtInit(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	unused := maps.Clone(calledAtInit)
	maps.Copy(unused, tables)
	for _, s := range sources {
		if strings.HasSuffix(s.name, "_test.go") || path.Dir(s.name) == "engine/scripttest" {
			continue
		}
		for _, call := range initCalls(s.file) {
			folder := path.Dir(s.name)
			name := folder + ": " + call
			delete(unused, folder)
			if delete(unused, name); tables[folder] == "" && calledAtInit[name] == "" {
				t.Errorf("%s: %s is called at init: use sync.OnceValue, or say why not in "+
					"calledAtInit as %q", s.name, call, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("%s is in tables or calledAtInit, but nothing is called at init", name)
	}
}

// initCalls returns the functions that a file calls when its package is initialised, except cheap
// ones and conversions to types like []byte.
func initCalls(file *ast.File) (calls []string) {
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // it runs later
		case *ast.CallExpr:
			fn := ast.Unparen(n.Fun)
			if _, now := fn.(*ast.FuncLit); now {
				calls = append(calls, "func")
			}
			if index, ok := fn.(*ast.IndexExpr); ok {
				fn = index.X
			}
			switch fn.(type) {
			case *ast.Ident, *ast.SelectorExpr:
				name := types.ExprString(fn)
				if strings.Contains(name, "(") {
					return true // a method of the result of another call, which is visited
				}
				_, conversion := types.Universe.Lookup(name).(*types.TypeName)
				if !conversion && !slices.Contains(cheap, name) {
					calls = append(calls, name)
				}
			}
		}
		return true
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				ast.Inspect(d, visit)
			}
		case *ast.FuncDecl:
			if d.Name.Name == "init" && d.Recv == nil {
				ast.Inspect(d.Body, visit)
			}
		}
	}
	return calls
}
