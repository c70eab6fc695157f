package engine_test

import (
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// oneHelper lists calls for which a helper exists: code that makes them itself answers a question
// again, and the answers drift apart. The files that may make a call ask another question.
var oneHelper = []struct {
	call  string // the end of the called expression
	args  string // matches its arguments, or a part of them
	use   string
	files []string
}{
	{".ReadSlice", "", "plain.ReadLine", []string{"engine/plain/readline.go"}},
	{"utf8.RuneStart", "", "plain.Head, plain.Tail or plain.Unfinished",
		[]string{"engine/plain/cut.go",
			"engine/host/fs.go", // both ends of a part of a file
			"lua/compat.go"}},   // utf8.offset
	{"strings.Map", "", "plain.Name or plain.OneLine", []string{"engine/plain/name.go"}},
	{"strings.Join", `^strings\.Fields\(.*, " "$`, "plain.OneLine",
		[]string{"engine/plain/plain.go",
			"agent/tool/html.go",       // white space of HTML
			"agent/tool/nearmiss.go"}}, // texts are compared
	{"Prefix", `"~/"`, "realpath.CutHome", nil},
	{"os.UserHomeDir", "", "the option User", []string{"agent/agent.go", "agent/config/project.go",
		"agent/program/program.go", "cmd/agent/app.go"}},
	{"os.CreateTemp", "", "atomicfile", []string{"engine/atomicfile/atomicfile.go",
		"agent/output/store.go", "engine/host/temp.go", // files that stay
		"cmd/agent/doctor.go"}}, // finds out whether a folder can be written
	{".Rename", "", "atomicfile", []string{"engine/atomicfile/atomicfile.go",
		"agent/session/restore.go", "engine/internal/store/store.go", // damaged files
		"engine/host/fs.go", "engine/internal/files/move_other.go", // ext.fs.move
		"agent/share/folder.go", // whole folders
		"engine/host/log.go"}},  // the log before this one
}

// TestOneHelper finds such calls.
func TestOneHelper(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range oneHelper {
		var made []string
		for _, s := range sources {
			if s.test() {
				continue
			}
			for _, call := range callsOf(s.file, h.call, regexp.MustCompile(h.args)) {
				if made = append(made, s.name); !slices.Contains(h.files, s.name) {
					t.Errorf("%s: use %s instead of %s", s.at(call), h.use, h.call)
				}
			}
		}
		for _, file := range h.files {
			if !slices.Contains(made, file) {
				t.Errorf("%s does not call %s: remove it from the list", file, h.call)
			}
		}
	}
}

// callsOf returns the calls in f of functions whose name ends like that, with such arguments.
func callsOf(f *ast.File, name string, args *regexp.Regexp) (calls []ast.Node) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !strings.HasSuffix(types.ExprString(call.Fun), name) {
			return true
		}
		var list []string
		for _, e := range call.Args {
			list = append(list, types.ExprString(e))
		}
		if args.MatchString(strings.Join(list, ", ")) {
			calls = append(calls, call)
		}
		return true
	})
	return calls
}

func TestCallsOf(t *testing.T) {
	t.Parallel()
	s := mustParse(t, "x.go", `package x
func f() {
	in.r.ReadSlice('\n')
	if strings.HasPrefix(p, "~/") || strings.HasPrefix(p, "/") {}
}`)
	if n := len(callsOf(s.file, ".ReadSlice", regexp.MustCompile(""))); n != 1 {
		t.Errorf("%d calls of ReadSlice are found, want 1", n)
	}
	if n := len(callsOf(s.file, "Prefix", regexp.MustCompile(`"~/"`))); n != 1 {
		t.Errorf("%d calls with ~ are found, want 1", n)
	}
}
