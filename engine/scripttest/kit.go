// This file runs the cases of a folder in every language and compares what comes of them.
package scripttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine"
)

// caseTime is how long one script of a case may take: far more than any needs, so that what hangs is found
// with the case's name before the test binary is killed.
const caseTime = 30 * time.Second

// Kit runs cases.
type Kit struct {
	Runtimes []engine.Runtime
	// Header reads the header of a script, for its grants. nil: no script has one.
	Header func(name string, src []byte) (engine.Header, error)
	// Update writes want anew where all languages agree, instead of comparing with it.
	Update bool
}

// Run runs every *.txtar file of dir as a subtest. A folder without cases fails.
func (k *Kit) Run(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases in %s (%v)", dir, err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { k.runFile(t, name) })
	}
}

func (k *Kit) runFile(t *testing.T, name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	a := parseArchive(string(text))
	for _, line := range strings.Split(a.comment, "\n") {
		if why, ok := strings.CutPrefix(line, "skip: "); ok {
			t.Skip(why)
		}
	}
	want, _ := a.get("want")
	outputs := k.runCase(t, a)
	if t.Failed() {
		return
	}
	for lang, got := range outputs {
		if got != outputs[k.Runtimes[0].Language()] {
			t.Fatalf("the languages differ\n%s", k.sideBySide(outputs))
		}
		if got != want && !k.Update {
			t.Errorf("%s: got\n%s\nwant\n%s\n%s", lang, got, want, firstDifference(got, want))
		}
	}
	if k.Update {
		a.set("want", outputs[k.Runtimes[0].Language()])
		if err := os.WriteFile(name, []byte(a.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runCase runs the case in every language and returns what came of it, by language.
func (k *Kit) runCase(t *testing.T, a *archive) map[string]string {
	t.Helper()
	input, _ := a.get("input")
	outputs := map[string]string{}
	for _, rt := range k.Runtimes {
		src, ok := a.get("case." + rt.Language())
		if !ok {
			t.Fatalf("the case has no case.%s", rt.Language())
		}
		var parts []string
		for _, chunk := range chunks(src) {
			s := k.open(t, rt, chunk)
			s.run(input)
			parts = append(parts, s.close())
		}
		outputs[rt.Language()] = strings.Join(parts, "---\n")
	}
	return outputs
}

// chunks cuts a script at lines "---". Each chunk keeps the lines of those before it, empty, so that
// errors name the lines of the case.
func chunks(src string) []string {
	var out []string
	lines := strings.SplitAfter(src, "\n")
	begin := 0
	for i, line := range append(lines, "---\n") {
		if line == "---\n" {
			out = append(out, strings.Repeat("\n", begin)+strings.Join(lines[begin:min(i, len(lines))], ""))
			begin = i + 1
		}
	}
	return out
}

func (k *Kit) sideBySide(outputs map[string]string) string {
	var b strings.Builder
	for _, rt := range k.Runtimes {
		b.WriteString("== " + rt.Language() + "\n" + outputs[rt.Language()])
	}
	return b.String()
}

// firstDifference names the first line that differs.
func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		if i >= len(g) || i >= len(w) || g[i] != w[i] {
			return "first difference:\n got  " + lineAt(g, i) + "\n want " + lineAt(w, i)
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
