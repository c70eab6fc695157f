// This file follows CONTRIBUTING.md on a copy of the repository.

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agentscripts/agent/engine/long"
)

// recipes are the sections of CONTRIBUTING.md that say how to add something, with the archive that
// holds the example, and the largest number of files that may have to be changed, not counting
// tests and documents; 0 means no limit.
var recipes = []struct {
	heading, name string
	most          int
}{
	{"An API function", "api", 0},
	{"An event", "event", 0},
	{"A model provider", "provider", 4},
	{"A built-in tool", "tool", 2},
	{"A slash command", "command", 1},
	{"A panel", "panel", 2},
}

// TestContributing adds one of each to a copy of the repository by changing the files that
// CONTRIBUTING.md lists, generates the generated files, and uses what was added.
func TestContributing(t *testing.T) {
	long.Only(t, 70)
	t.Parallel()
	c := newRepoCopy(t)
	c.follow()
	c.generateEvents()
	c.build("engine/spec", "engine/scripttest", "agent/hook", "agent/llm", "agent/tool", "tui",
		"cmd/agent")
	for _, folder := range []string{"engine/shell", "js", "scripts"} {
		c.buildUnchanged(folder)
	}
	c.generate()
	c.buildUnchanged("engine")
	c.test("engine", "^Test(House|Policy|Names|Recovers|Cuts)$") // the house rules pass
	c.test("engine/spec", "Reference|Names|Guide|Payload")
	c.test("engine/scripttest", "^(TestCases|TestExamples)$/^(reverse|text.reverse)$")
	c.test("cmd/agent", "^TestEveryEventFires$/^session_name$")
	c.test("cmd/agent", "Docs")
	c.start("tui", "", "-test.run", "TestScreens", "-update")
	c.test("tui", "TestAbout|TestEditor|TestScreens")
	c.test("agent/llm", "TestProviders")
	c.test("agent/tool", "TestBuiltins")
	c.run("MISTRAL_API_KEY=key-0123456789abcdef", "mistral/mistral-large +128k tokens", "models")
	c.run("", `count.*\b5 bytes`, "-p", `call count {"path": "five.txt"}`)
	c.run("", "Directory: .*cmd", "-p", "/where")
}

// TestContributingLists makes the changes of TestContributing without compiling them.
func TestContributingLists(t *testing.T) {
	t.Parallel()
	c := newRepoCopy(t)
	c.follow()
	for _, name := range c.changed {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		if _, err := format.Source([]byte(readText(t, name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// follow changes the files of the copy that CONTRIBUTING.md lists, and ends the test if the lists
// and the changes differ.
func (c *repoCopy) follow() {
	c.t.Helper()
	document := readText(c.t, "../../CONTRIBUTING.md")
	for _, r := range recipes {
		archive, err := txtar.ParseFile("testdata/contributing/" + r.name + ".txtar")
		if err != nil {
			c.t.Fatal(err)
		}
		if wrong := compareList(listed(document, r.heading), archive.Files, r.most); wrong != "" {
			c.t.Errorf("CONTRIBUTING.md, %q: %s", r.heading, wrong)
		}
		for _, f := range archive.Files {
			c.change(f.Name, string(f.Data))
		}
	}
	if c.t.Failed() {
		c.t.FailNow()
	}
}

// listed returns the files that the numbered list of a section names.
func listed(document, heading string) []string {
	_, text, _ := strings.Cut(document, "\n### "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n#")
	var files []string
	for _, m := range regexp.MustCompile("(?m)^\\d+\\. `([^`]+)`:").FindAllStringSubmatch(text,
		-1) {
		files = append(files, m[1])
	}
	return files
}

// compareList returns the differences between a section's list and its example: each entry is one
// file. NAME stands for any name.
func compareList(list []string, files []txtar.File, most int) string {
	if len(list) == 0 {
		return "there is no list"
	}
	var left []string
	counted := 0
	for _, f := range files {
		left = append(left, f.Name)
		if !strings.HasSuffix(f.Name, ".md") && !strings.HasSuffix(f.Name, "_test.go") {
			counted++
		}
	}
	// exact names first, and long patterns before short ones
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "NAME"), strings.Count(b, "NAME")),
			cmp.Compare(len(b), len(a)))
	})
	for _, entry := range list {
		pattern := strings.ReplaceAll(entry, "NAME", "*")
		i := slices.IndexFunc(left, func(name string) bool {
			ok, err := path.Match(pattern, name)
			return ok && err == nil
		})
		if i < 0 {
			return entry + " is in the list and did not have to be changed"
		}
		left = slices.Delete(left, i, i+1)
	}
	if len(left) > 0 {
		return strings.Join(left, ", ") + " had to be changed: not in the list"
	}
	if most > 0 && counted > most {
		return fmt.Sprintf("%d files, at most %d are allowed", counted, most)
	}
	return ""
}

// repoCopy is a copy of the repository. Its programs are built in the repository itself with the
// changed files as an overlay, so that unchanged packages need not be compiled again; they run in
// the copy.
type repoCopy struct {
	t         *testing.T
	from, dir string
	changed   map[string]string // path in the repository -> path in the copy
	programs  string            // folder of the test programs
}

func newRepoCopy(t *testing.T) *repoCopy {
	t.Helper()
	from, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	c := &repoCopy{t: t, from: from, dir: t.TempDir(), changed: map[string]string{},
		programs: t.TempDir()}
	err = filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		rel, _ := filepath.Rel(from, name)
		to := filepath.Join(c.dir, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		b, err := os.ReadFile(name)
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return os.WriteFile(to, b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// change creates or changes the file name of the copy: see testdata/contributing/api.txtar.
func (c *repoCopy) change(name, text string) {
	c.t.Helper()
	to := filepath.Join(c.dir, filepath.FromSlash(name))
	c.changed[filepath.Join(c.from, filepath.FromSlash(name))] = to
	if !strings.HasPrefix(text, "@") {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimPrefix(lines[i], `\`)
		}
		c.write(to, strings.Join(lines, "\n"))
		return
	}
	was := strings.Split(readText(c.t, to), "\n")
	for _, part := range strings.Split("\n"+text, "\n@")[1:] {
		anchor, more, _ := strings.Cut(part, "\n")
		where, anchor, _ := strings.Cut(anchor, " ")
		is := func(line string) bool { return strings.Contains(line, anchor) }
		at := slices.IndexFunc(was, is)
		if at < 0 || slices.ContainsFunc(was[at+1:], is) {
			c.t.Errorf("%s: want one line with %q", name, anchor)
			continue
		}
		if where != "<" {
			at++
		}
		was = slices.Insert(was, at, strings.Split(strings.TrimSuffix(more, "\n"), "\n")...)
	}
	c.write(to, strings.Join(was, "\n"))
}

func (c *repoCopy) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

// build builds the test programs of folders with all changes. Most packages depend on what is
// changed, and compiling is most of the test's work: without inlining and what a debugger needs it
// takes half the time.
func (c *repoCopy) build(folders ...string) {
	c.t.Helper()
	overlay := filepath.Join(c.dir, "overlay.json")
	b, err := json.Marshal(map[string]any{"Replace": c.changed})
	if err != nil {
		c.t.Fatal(err)
	}
	c.write(overlay, string(b))
	c.compile(folders, "-overlay", overlay,
		"-gcflags=github.com/agentscripts/agent/...=-l -dwarf=false")
}

// buildUnchanged builds the test program of a folder whose tests only read the sources. Its
// packages are in the build cache.
func (c *repoCopy) buildUnchanged(folder string) {
	c.t.Helper()
	for name := range c.changed {
		if filepath.Dir(name) == filepath.Join(c.from, folder) {
			c.t.Fatalf("%s is changed", name)
		}
	}
	c.compile([]string{folder})
}

func (c *repoCopy) compile(folders []string, flags ...string) {
	c.t.Helper()
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-o", c.programs+"/")
	cmd.Args = append(cmd.Args, flags...)
	for _, folder := range folders {
		cmd.Args = append(cmd.Args, "./"+folder)
	}
	// without the GOEXPERIMENT of the tests' own build, unchanged packages are in the build cache
	cmd.Dir, cmd.Env = c.from, append(os.Environ(), "GOEXPERIMENT=")
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("the changes of CONTRIBUTING.md do not compile: %v\n%s", err, out)
	}
}

// generateEvents generates the types of events, which the other packages need to compile.
func (c *repoCopy) generateEvents() {
	c.t.Helper()
	c.build("engine/spec")
	c.start("engine/spec", "", "-test.run", "TestConstructors", "-update")
	types, err := filepath.Glob(filepath.Join(c.dir, "engine", "event", "*.go"))
	if err != nil || len(types) == 0 {
		c.t.Fatalf("generating the types of events: %v", err)
	}
	for _, name := range types {
		c.changed[filepath.Join(c.from, "engine", "event", filepath.Base(name))] = name
	}
}

// program returns the path of a folder's test program.
func (c *repoCopy) program(folder string) string {
	return filepath.Join(c.programs, path.Base(folder)+".test")
}

// generate runs the go:generate lines of the copy, all of which run tests.
func (c *repoCopy) generate() {
	c.t.Helper()
	line := regexp.MustCompile(`(?m)^//go:generate (?:env (\S+) )?go test \. (.*)$`)
	found := 0
	err := filepath.WalkDir(c.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") {
			return err
		}
		for _, m := range line.FindAllStringSubmatch(readText(c.t, name), -1) {
			found++
			folder, _ := filepath.Rel(c.dir, filepath.Dir(name))
			args := regexp.MustCompile(`-(run|count)\b`).ReplaceAllString(strings.ReplaceAll(m[2],
				`"`, ""), "-test.$1")
			c.start(folder, m[1], strings.Fields(args)...)
		}
		return nil
	})
	if err != nil || found < 3 {
		c.t.Fatalf("%d go:generate lines: %v", found, err)
	}
}

// test runs tests of a folder of the copy and fails if none matches.
func (c *repoCopy) test(folder, run string) {
	c.t.Helper()
	if out := c.start(folder, "", "-test.run", run, "-test.v"); !strings.Contains(out, "--- PASS") {
		c.t.Errorf("%s: no test %s:\n%s", folder, run, out)
	}
}

func (c *repoCopy) start(folder, env string, args ...string) string {
	c.t.Helper()
	cmd := exec.Command(c.program(folder), args...)
	cmd.Dir, cmd.Env = filepath.Join(c.dir, folder), os.Environ()
	if env != "" {
		cmd.Env = append(cmd.Env, env)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.t.Errorf("%s: %v: %v\n%.6000s", folder, args, err, out)
	}
	return string(out)
}

// run runs the program of the copy and fails unless its output matches the pattern.
func (c *repoCopy) run(env, want string, args ...string) {
	c.t.Helper()
	cmd := exec.Command(c.program("cmd/agent"))
	// under this name, the test program acts as the agent: see TestMain
	cmd.Args = append([]string{"agent"}, args...)
	cmd.Dir = filepath.Join(c.dir, "cmd")
	cmd.Env = []string{"AGENT_HOME=" + c.t.TempDir(), "PATH=" + os.Getenv("PATH"), env}
	c.write(filepath.Join(cmd.Dir, "five.txt"), "12345")
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile("(?s)"+want).Match(out) {
		c.t.Errorf("agent %v: want %q, got (%v)\n%s", args, want, err, out)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
