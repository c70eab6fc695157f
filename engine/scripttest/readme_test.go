// This file runs the samples of the README and of documents, and compares their lists with the
// code.

package scripttest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/spec"
)

func document(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func samplesOf(t *testing.T, name, lang string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile("(?s)```"+lang+
		"\n(.*?)```").FindAllStringSubmatch(document(t, name), -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		t.Fatalf("no %s in %s", lang, name)
	}
	return out
}

// TestGuide runs the scripts of docs/scripts.md, in both languages.
func TestGuide(t *testing.T) {
	t.Parallel()
	steps := []struct{ input, want string }{
		{"call write {\"path\": \"secret.txt\", \"content\": \"x\"}",
			"refused by case: secrets are edited by hand"},
		{"call roll {\"sides\": 1, \"dice\": 3}", `"content":"the sum is 3"`},
		{"command /todo milk", "case says: buy milk"},
		{"command /hi", "case says: hello"},
	}
	for _, lang := range []string{"lua", "js"} {
		for i, src := range samplesOf(t, "docs/scripts.md", lang) {
			out := one(t, lang)(src+"\n-- project/TODO.md --\nbuy milk\nsleep\n", steps[i].input)
			if !strings.Contains(out, steps[i].want) || strings.Contains(out, "sleep") {
				t.Errorf("%s\ngot\n%s\nwant %s", src, out, steps[i].want)
			}
		}
	}
}

// one returns a function that runs a script in one of the two languages.
func one(t *testing.T, lang string) func(src, input string) string {
	k := kit()
	for _, rt := range k.Runtimes {
		if rt.Language() == lang {
			k.Runtimes = k.Runtimes[:0:0]
			k.Runtimes = append(k.Runtimes, rt)
			break
		}
	}
	return func(src, input string) string {
		t.Helper()
		return k.Output(t, "-- case."+lang+" --\n"+src+"\n-- input --\n"+input+"\n")
	}
}

// TestReadmeGuard runs the ten-line script of the README, in both languages.
func TestReadmeGuard(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"lua", "js"} {
		checkGuard(t, one(t, lang), samplesOf(t, "README.md", lang)[0])
	}
}

func checkGuard(t *testing.T, run func(src, input string) string, guard string) {
	t.Helper()
	if n := strings.Count(guard, "\n"); n > 10 {
		t.Errorf("the ten-line script has %d lines", n)
	}
	tests := []struct{ call, want string }{
		{`bash {"command": "rm -rf build"}`, "refused by case: rm -r cannot be undone"},
		{`bash {"command": "cd x && rm build -fr"}`, "refused by case: rm -r cannot be undone"},
		{`bash {"command": "rm x"}`, "bash ran"},
		{`bash {"command": "ls -R"}`, "bash ran"},
		{`write {"path": ".env", "content": "x"}`, "refused by case: secrets are edited by hand"},
		{`edit {"path": "/a/.env.local"}`, "refused by case: secrets are edited by hand"},
		{`write {"path": "env", "content": "x"}`, "write ran"},
		{`write {"path": "a.env", "content": "x"}`, "write ran"},
	}
	for _, test := range tests {
		if out := run(guard, "permission yolo\ncall "+test.call); !strings.Contains(out,
			test.want) {
			t.Errorf("%s: got\n%s\nwant %q", test.call, out, test.want)
		}
	}
}

// TestScriptsOfDocuments loads every script of the pages about functions, and makes a tool call.
func TestScriptsOfDocuments(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"lua", "js"} {
		for _, src := range samplesOf(t, "docs/functions.md", lang) {
			out := one(t, lang)(src,
				"confirm yes\ncall read {\"path\": \"x\"}\nguardcall write {\"path\": \"x\", "+
					"\"content\": \"y\"}")
			if !strings.Contains(out, "read ran") {
				t.Errorf("%s\ngot\n%s", src, out)
			}
		}
	}
}

// TestFunctionsAtAGlance checks that the page names all functions, and no others.
func TestFunctionsAtAGlance(t *testing.T) {
	t.Parallel()
	text := document(t, "docs/functions.md")
	known := map[string]bool{}
	for _, row := range spec.API() {
		known[row.Name] = true
		group, _, nested := strings.Cut(row.Name, ".")
		switch {
		case row.Fact && row.Name != "null", strings.Contains(text, "ext."+row.Name):
		case nested && strings.Contains(text, "ext."+group+"."):
		default:
			t.Errorf("ext.%s is not in docs/functions.md", row.Name)
		}
	}
	for _, m := range regexp.MustCompile(
		`\bext\.([a-z0-9_]+(?:\.[a-z0-9_]+)?)`).FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			t.Errorf("docs/functions.md names ext.%s, which does not exist", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`ext\.on\("(\w+)"`).FindAllStringSubmatch(text, -1) {
		found := false
		for _, row := range spec.Events() {
			found = found || row.Name == m[1]
		}
		if !found {
			t.Errorf("docs/functions.md names the event %s, which does not exist", m[1])
		}
	}
}
