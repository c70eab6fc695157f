// This file checks that only the file of a built-in tool knows the tool by its name. A second place
// would be easy to miss when a tool is added, and one such place was a hole in the user's rules.

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentscripts/agent/agent/tool"
)

// toolNameUses are the files and folders that may name built-in tools, with what makes it right.
var toolNameUses = map[string]string{
	"agent/tool":           "their own files",
	"agent/trial/stubs.go": "an argument of that name",
	"engine/foreign/hooks": "what another program calls them",
	"engine/shell":         "programs of the same names",
	"js/web.go":            "a function of the web",
}

// alsoKinds are the names of tools that are kinds of tools, or other common words, as well: code
// decides by the tool if it says so, see isTool.
var alsoKinds = []string{"read", "edit", "agent"}

// TestToolNames looks for code that decides by the name of a built-in tool: a comparison, a case,
// or a list or map of such names.
func TestToolNames(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, b := range tool.Declared() {
		names[b.Name] = true
	}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if d.Name() == "testdata" || rel != "." && strings.HasPrefix(d.Name(), ".") ||
				toolNameUses[rel] != "" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") ||
			toolNameUses[rel] != "" {
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		for _, at := range decisionsByTool(f, names) {
			t.Errorf("%s:%d decides by the name of a tool: ask its Subject", rel,
				files.Position(at).Line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// decisionsByTool returns the places in a file that compare a tool with a name or list tool names.
func decisionsByTool(f *ast.File, names map[string]bool) (at []token.Pos) {
	decides := func(name, other ast.Expr) bool {
		text, ok := nameIn(name, names)
		return ok && (!slices.Contains(alsoKinds, text) || isTool(other))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) &&
				(decides(n.X, n.Y) || decides(n.Y, n.X)) {
				at = append(at, n.Pos())
			}
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if n.Tag != nil && slices.ContainsFunc(s.(*ast.CaseClause).List,
					func(e ast.Expr) bool { return decides(e, n.Tag) }) {
					at = append(at, s.Pos())
				}
			}
		case *ast.CallExpr:
			if compares(n) && slices.ContainsFunc(n.Args,
				func(e ast.Expr) bool { return decides(e, n) }) {
				at = append(at, n.Pos())
			}
		case *ast.CompositeLit:
			if listsNames(n, names) {
				at = append(at, n.Pos())
			}
		}
		return true
	})
	return at
}

// compares reports whether a call compares texts: strings.HasPrefix(tool, "bash").
func compares(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && len(call.Args) == 2 &&
		slices.Contains([]string{"HasPrefix", "HasSuffix", "EqualFold", "Contains", "Compare"},
			f.Sel.Name)
}

// listsNames reports whether a list, or the keys of a map, are two names of tools or more; with
// anything else only if one of them means nothing else.
func listsNames(c *ast.CompositeLit, names map[string]bool) bool {
	found, other, certain := 0, false, false
	for _, e := range c.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Key
		}
		if inner, ok := e.(*ast.CompositeLit); ok && len(inner.Elts) > 0 {
			e = inner.Elts[0] // a row of a table
		}
		text, ok := nameIn(e, names)
		if !ok {
			other = true
			continue
		}
		found, certain = found+1, certain || !slices.Contains(alsoKinds, text)
	}
	return found > 1 && (certain || !other)
}

// nameIn returns the name of a tool that an expression is.
func nameIn(e ast.Expr, names map[string]bool) (text string, ok bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil && names[s]
}

// isTool reports whether an expression speaks of a tool: c.Tool, tool, ev.Text("tool").
func isTool(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || strings.Contains(strings.ToLower(n.Name), "tool")
		case *ast.BasicLit:
			found = found || n.Value == `"tool"`
		}
		return true
	})
	return found
}

// TestToolNamesFound checks that the check finds each form and ignores other words.
func TestToolNamesFound(t *testing.T) {
	t.Parallel()
	names := map[string]bool{"bash": true, "edit": true}
	for code, want := range map[string]int{
		`if c.Tool == "bash" {}`:                                   1,
		`if "bash" != tool {}`:                                     1,
		`if ev.Text("tool") == "edit" {}`:                          1,
		`switch v.tool { case "x": case "edit", "y": }`:            1,
		`_ = []string{"bash", "edit"}`:                             1,
		`_ = map[string]int{"bash": 1, "edit": 2}`:                 1,
		`_ = []struct{ a, b string }{{"bash", "x"}, {"edit", ""}}`: 1,
		`if kind == "edit" {}`:                                     0,
		`switch name { case "bash": }`:                             1,
		`_ = t.Name == "bash"`:                                     1,
		`_ = strings.HasPrefix(v.tool, "edit")`:                    1,
		`_ = strings.EqualFold(name, "bash")`:                      1,
		`_ = []string{"bash", "edit", "mcp"}`:                      1,
		`_ = strings.HasPrefix(kind, "edit")`:                      0,
		`_ = []string{"sh", "bash"}`:                               0,
		`_ = []string{"select", "edit"}`:                           0,
		`f("bash")`:                                                0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go",
			"package p\nfunc f() { "+code+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(decisionsByTool(f, names)); got != want {
			t.Errorf("%s: got %d, want %d", code, got, want)
		}
	}
}
