// This file runs the cases of a folder in every language and compares the results.

package scripttest

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// caseTime is the deadline for one script of a case. It is far longer than any script needs, and
// short enough that a script that hangs is reported with the case's name before go test kills the
// process.
const caseTime = slowdown * 60 * time.Second

// shownBefore is the number of lines that are shown before one that differs: they tell which line
// of input it belongs to.
const shownBefore = 3

// Kit runs cases.
type Kit struct {
	Runtimes []engine.Runtime
	// Header parses the header of a script, which has its grants. nil: scripts have no headers.
	Header func(name string, src []byte) (scriptfile.Header, error)
	// Update rewrites want if all languages agree, instead of comparing with it.
	Update bool
	// Patience is the factor by which time limits of scripts are multiplied; 0 = patience.
	Patience float64

	modules []file // of the current case: lib/NAME.lua and lib/NAME.js
}

// library returns the modules of the case in a language.
func (k *Kit) library(rt engine.Runtime) *scriptfile.Library {
	lib := &scriptfile.Library{}
	for _, f := range k.modules {
		if end := path.Ext(f.name); slices.Contains(rt.Extensions(), end) {
			name := strings.TrimSuffix(f.name, end)
			lib.Files = append(lib.Files, name)
			lib.Modules = append(lib.Modules, &scriptfile.Module{Name: name, File: f.name,
				Path: "/scripts/" + f.name, Bytes: []byte(f.data)})
		}
	}
	return lib
}

// Run runs every *.txtar file of dir as a parallel subtest. It fails if there are none.
func (k *Kit) Run(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"),
			func(t *testing.T) {
				t.Parallel()
				one := *k // a copy, because cases change it
				one.runFile(t, name)
			})
	}
}

func (k *Kit) runFile(t *testing.T, name string) {
	a := readArchive(t, name)
	for _, line := range strings.Split(a.comment, "\n") {
		if why, ok := strings.CutPrefix(line, "skip: "); ok {
			t.Skip(why)
		}
		if part, ok := strings.CutPrefix(line, "patience: "); ok {
			n, err := strconv.ParseFloat(part, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			k.Patience = n * slowdown
		}
	}
	k.compare(t, name, a, k.run(t, a))
}

// RunScript runs the case in the file name with the scripts at paths, which maps languages to
// files.
func (k *Kit) RunScript(t *testing.T, name string, paths map[string]string) {
	t.Helper()
	a := readArchive(t, name)
	withScripts := *a
	withScripts.files = append([]file(nil), a.files...)
	for lang, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		withScripts.set("case."+lang, string(src))
	}
	got := k.run(t, &withScripts)
	k.compare(t, name, a, got)
}

func readArchive(t *testing.T, name string) *archive {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return parseArchive(string(text))
}

// compare compares the result of a case with its want file, or updates the file.
func (k *Kit) compare(t *testing.T, name string, a *archive, got string) {
	t.Helper()
	want, _ := a.get("want")
	switch {
	case t.Failed() || got == want:
	case k.Update:
		a.set("want", got)
		if err := os.WriteFile(name, []byte(a.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s differs; -update rewrites it\n%s", name, firstDifference(got, want))
	}
}

// Output runs a case that is given as text and returns its result. The test fails if the languages
// differ.
func (k *Kit) Output(t *testing.T, text string) string {
	t.Helper()
	return k.run(t, parseArchive(text))
}

// run runs the case in every language and returns its result.
func (k *Kit) run(t *testing.T, a *archive) string {
	t.Helper()
	var outputs []string
	for _, rt := range k.Runtimes {
		outputs = append(outputs, k.runIn(t, rt, a))
	}
	for i, rt := range k.Runtimes {
		if outputs[i] != outputs[0] {
			t.Errorf("the languages differ\n== %s\n%s== %s\n%s%s", k.Runtimes[0].Language(),
				outputs[0], rt.Language(), outputs[i], firstDifference(outputs[i], outputs[0]))
		}
	}
	return outputs[0]
}

func (k *Kit) runIn(t *testing.T, rt engine.Runtime, a *archive) string {
	t.Helper()
	src, ok := a.get("case." + rt.Language())
	if !ok {
		t.Fatalf("the case has no case.%s", rt.Language())
	}
	input, _ := a.get("input")
	k.modules = nil
	for _, f := range a.files {
		if strings.HasPrefix(f.name, scriptfile.ModulePrefix) {
			k.modules = append(k.modules, f)
		}
	}
	var parts []string
	for _, chunk := range chunks(src) {
		s := k.open(t, rt, chunk, input, a.below("project/"))
		s.run(input)
		parts = append(parts, s.close())
	}
	return strings.Join(parts, "---\n")
}

// chunks splits a script at lines "---". Each chunk begins with an empty line for each line of the
// earlier chunks, so that errors have the line numbers of the case.
func chunks(src string) []string {
	var out []string
	lines := strings.SplitAfter(src, "\n")
	begin := 0
	for i, line := range append(lines, "---\n") {
		if line == "---\n" {
			out = append(out, strings.Repeat("\n", begin)+
				strings.Join(lines[begin:min(i, len(lines))], ""))
			begin = i + 1
		}
	}
	return out
}

// firstDifference returns the first line that differs, and some lines before it.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			before := strings.Join(g[max(0, i-shownBefore):i], "\n      ")
			return "first difference:\n      " + before + "\n got  " + lineAt(g, i) + "\n want " +
				lineAt(w, i)
		}
	}
	return ""
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
