// This file compares the names of events and fields in the code that receives events with the
// table. The code that fires events cannot misspell them: there is a type for each event.

package spec_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/event"
	"github.com/agentscripts/agent/engine/spec"
	"github.com/agentscripts/agent/engine/suggest"
)

// TestEventNamesInCode checks all code that compares the name of an event or gets a field, and all
// texts that are almost the name of an event: a misspelled name would silently match nothing.
func TestEventNamesInCode(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"engine", "agent", "cmd", "tui", "lua", "js"} {
		err := filepath.WalkDir(filepath.Join("../..", folder),
			func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() || filepath.Ext(path) != ".go" ||
					strings.HasSuffix(path, "_test.go") {
					return err
				}
				set := token.NewFileSet()
				f, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
				if err != nil {
					return err
				}
				wrong := unknownNames(f)
				if !strings.Contains(filepath.ToSlash(path), "/engine/foreign/") {
					wrong = append(wrong, misspelled(f)...) // not the names of other hosts
				}
				for _, l := range wrong {
					t.Errorf("%s: there is no event or field %s", set.Position(l.Pos()), l.Value)
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// knownNames returns the names of events, and of their fields.
func knownNames() (events, fields []string) {
	fields = event.EnvelopeKeys()
	for _, row := range spec.Events() {
		events = append(events, row.Name)
		for _, p := range row.Payload {
			fields = append(fields, p.Name)
		}
	}
	return events, fields
}

// misspelled returns the texts anywhere in f that are almost the name of an event: in a list, in
// the key of a map, as an argument.
func misspelled(f *ast.File) (wrong []*ast.BasicLit) {
	events, fields := knownNames()
	fields = append(fields, others...)
	ast.Inspect(f, func(n ast.Node) bool {
		l, ok := n.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return true
		}
		s, err := strconv.Unquote(l.Value)
		if err != nil || !twoWords.MatchString(s) || slices.Contains(events, s) ||
			slices.Contains(fields, s) {
			return true
		}
		if suggest.Nearest(s, events) != "" {
			wrong = append(wrong, l)
		}
		return true
	})
	return wrong
}

// others are names of other things that resemble the name of an event.
var others = []string{"full_output", "message_stop", "on_response", "server_error", "subagent_type",
	"tool_kind"}

var twoWords = regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`)

// unknownNames returns the texts in f that are used as the name of an event or a field and do not
// exist.
func unknownNames(f *ast.File) (wrong []*ast.BasicLit) {
	events, fields := knownNames()
	check := func(known []string, list ...ast.Expr) {
		for _, e := range list {
			if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if s, err := strconv.Unquote(l.Value); err != nil || !slices.Contains(known, s) {
					wrong = append(wrong, l)
				}
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if isEventCall(n.X, "Name") {
				check(events, n.Y)
			}
		case *ast.SwitchStmt:
			for _, s := range n.Body.List {
				if n.Tag != nil && isEventCall(n.Tag, "Name") {
					check(events, s.(*ast.CaseClause).List...)
				}
			}
		case *ast.CallExpr:
			if isEventCall(n, "Text") || isEventCall(n, "Field") {
				check(fields, n.Args...)
			}
		}
		return true
	})
	return wrong
}

// isEventCall reports whether e calls a method of an event, a variable ev.
func isEventCall(e ast.Expr, method string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != method {
		return false
	}
	switch x := f.X.(type) {
	case *ast.Ident:
		return x.Name == "ev"
	case *ast.SelectorExpr:
		return x.Sel.Name == "ev"
	}
	return false
}

// TestUnknownEventNames checks that unknownNames finds each form, and ignores other texts.
func TestUnknownEventNames(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		`switch ev.Name() { case "tool_end", "tool_ednd": }`: 1,
		`switch d.ev.Name() { case "tool_end": }`:            0,
		`_ = ev.Name() != "toolend"`:                         1,
		`_ = ev.Text("tool") + ev.Text("tol")`:               1,
		`_ = ev.Field("toool")`:                              1,
		`_ = ev.Text("session_id")`:                          0,
		`_ = x.Text("toool")`:                                0,
		`_ = row.Name() == "toool"`:                          0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {"+code+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(unknownNames(f)); got != want {
			t.Errorf("%s: got %d wrong names, want %d", code, got, want)
		}
	}
}

// TestMisspelledEventNames checks that a name that is almost that of an event is found anywhere.
func TestMisspelledEventNames(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]int{
		`_ = []string{"tool_ednd", "tool_end"}`:  1,
		`_ = map[string]int{"session_strat": 1}`: 1,
		`handlers("llm_mesage")`:                 1,
		`_ = e.Name() == "turn_edn"`:             1,
		`f("tool_calls", "message_id")`:          0, // fields
		`f("guards", "tool end", "told")`:        0,
		`f("custom_thing")`:                      0,
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc f() {"+code+"}", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(misspelled(f)); got != want {
			t.Errorf("%s: got %d wrong names, want %d", code, got, want)
		}
	}
}
