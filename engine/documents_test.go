// This file compares comments and documents with the repository.

package engine_test

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// citation is a document that a comment names, maybe with sections of it: docs/events.md,
	// "Order" and "Failure".
	citation = regexp.MustCompile(`docs/([a-z/]+)\.md((?:[,: ]|its|sections?|and|or|"[^"]+")*)`)
	section  = regexp.MustCompile(`"([^"]+)"`)
	// outside are names of documents that are not in the repository.
	outside = regexp.MustCompile(`\b(EVENTS|SCRIPT-API|DESIGN|STYLE)(\.md)?\b`)
)

// wrongCitations returns the errors in the citations of a comment. read returns a document.
func wrongCitations(comment string, read func(name string) (string, error)) (wrong []string) {
	for _, name := range outside.FindAllString(comment, -1) {
		wrong = append(wrong, name+" is not in the repository: cite a file of docs")
	}
	for _, m := range citation.FindAllStringSubmatch(strings.Join(strings.Fields(comment), " "),
		-1) {
		name := "docs/" + m[1] + ".md"
		text, err := read(name)
		if err != nil {
			wrong = append(wrong, name+" does not exist")
			continue
		}
		for _, q := range section.FindAllStringSubmatch(m[2], -1) {
			if !strings.Contains(text, "# "+q[1]+"\n") {
				wrong = append(wrong, name+" has no section "+q[0])
			}
		}
	}
	return wrong
}

// TestCitations: comments cite documents and sections that exist, and none outside of the
// repository.
func TestCitations(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	read := func(name string) (string, error) {
		b, err := os.ReadFile("../" + name)
		return string(b), err
	}
	for _, s := range sources {
		for _, group := range s.file.Comments {
			for _, wrong := range wrongCitations(group.Text(), read) {
				t.Errorf("%s: %s", s.at(ast.Node(group)), wrong)
			}
		}
	}
}

// TestWrongCitations: wrongCitations finds errors.
func TestWrongCitations(t *testing.T) {
	t.Parallel()
	read := func(name string) (string, error) {
		if name == "docs/here.md" {
			return "# Here\n\n## Order\n\n## Failure\n", nil
		}
		return "", os.ErrNotExist
	}
	for _, c := range []struct{ comment, want string }{
		{`It runs. Source: docs/here.md.`, ""},
		{`It runs. Source: docs/here.md, "Order" and "Failure".`, ""},
		{"see docs/here.md, its\nsection \"Order\"; it returns \"x\"", ""},
		{`Source: docs/here.md, "Budgets".`, `docs/here.md has no section "Budgets"`},
		{`see docs/here.md, "Order" and "None"`, `docs/here.md has no section "None"`},
		{`see docs/there.md`, `docs/there.md does not exist`},
		{`Source: EVENTS, input.`, `EVENTS is not in the repository: cite a file of docs`},
		{`the figures of DESIGN.md`, `DESIGN.md is not in the repository: cite a file of docs`},
	} {
		if got := strings.Join(wrongCitations(c.comment, read), "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.comment, got, c.want)
		}
	}
}

// named is a function in a document: `agent.(*Agent).Send`, `engine/load.ParseHeader`,
// `tui.newModel`.
var named = regexp.MustCompile("`([a-z]+(?:/[a-z]+)*)\\.(?:\\(\\*?(\\w+)\\)\\.)?(\\w+)`")

// declared returns the functions and types of the sources as documents name them, without stars.
func declared(sources []*source) map[string]bool {
	names := map[string]bool{}
	for _, s := range sources {
		if s.test() {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = "(" + receiverName(d.Recv.List[0].Type) + ")." + name
				}
				names[s.folder()+"."+name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if typ, ok := spec.(*ast.TypeSpec); ok {
						names[s.folder()+"."+typ.Name.Name] = true
					}
				}
			}
		}
	}
	return names
}

// receiverName returns the name of a receiver's type, without star and type parameters.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// unknownNames returns the functions that a document names and that are not declared. It ignores
// names of files.
func unknownNames(text string, names map[string]bool) (unknown []string) {
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		name := m[1] + "." + m[3]
		if m[2] != "" {
			name = m[1] + ".(" + m[2] + ")." + m[3]
		}
		if file := m[3] == "go" || m[3] == "md" || m[3] == "toml"; !file && !names[name] {
			unknown = append(unknown, m[0])
		}
	}
	return unknown
}

// TestArchitecture: docs/architecture.md names functions, folders and modules that exist, and all
// folders and modules.
func TestArchitecture(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if n := len(named.FindAllString(text, -1)); n < 60 {
		t.Errorf("%d functions are named, want one for each step", n)
	}
	for _, name := range unknownNames(text, declared(sources)) {
		t.Errorf("docs/architecture.md names %s, which does not exist", name)
	}
	_, folders, _ := strings.Cut(text, "\n## The map\n")
	folders, _, _ = strings.Cut(folders, "\n## ")
	for _, s := range sources {
		if !s.test() && !tableHas(folders, s.folder()) {
			t.Errorf("docs/architecture.md: the map has no row for %s", s.folder())
		}
	}
	for _, name := range firstColumn(folders) {
		if st, err := os.Stat(filepath.Join("..", name)); err != nil || !st.IsDir() {
			t.Errorf("docs/architecture.md: the map has a row for %s, which is not a folder", name)
		}
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(text, "\n## Dependencies\n")
	table, _, _ = strings.Cut(table, "\n### ")
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1)
	for _, m := range direct {
		if !tableHas(table, m[1]) {
			t.Errorf("docs/architecture.md: the table of dependencies has no row for %s", m[1])
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(direct) {
		t.Errorf("docs/architecture.md: %d dependencies, go.mod has %d", rows, len(direct))
	}
}

// tableHas reports whether a table in Markdown has name in the first column.
func tableHas(table, name string) bool {
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 &&
			strings.Contains(cells[1], "`"+name+"`") {
			return true
		}
	}
	return false
}

// firstColumn returns the names in backticks in the first column of a table in Markdown.
func firstColumn(table string) (names []string) {
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range backticks.FindAllStringSubmatch(cells[1], -1) {
				names = append(names, m[1])
			}
		}
	}
	return names
}

var backticks = regexp.MustCompile("`([^`]+)`")

// TestUnknownNames: unknownNames finds errors.
func TestUnknownNames(t *testing.T) {
	t.Parallel()
	text := "package a\ntype T struct{}\nfunc (t *T) Do() {}\nfunc (T) do() {}\nfunc F() " +
		"{}\ntype G[X any] struct{}\nfunc (g *G[X]) M() {}"
	names := declared([]*source{mustParse(t, "a/b/x.go", text)})
	for doc, want := range map[string]string{
		"`a/b.F`, `a/b.(*T).Do`, `a/b.(T).do`, `a/b.T`, `a/b.(*G).M` and `a/b/x.go`": "",
		"`a/b.F2`": "`a/b.F2`", "`a/b.(*T).F`": "`a/b.(*T).F`", "`a.F`": "`a.F`",
		"`a/b.Do`": "`a/b.Do`",
	} {
		if got := strings.Join(unknownNames(doc, names), " "); got != want {
			t.Errorf("%s: got %q, want %q", doc, got, want)
		}
	}
}

// link is a relative link in Markdown, or a file of docs in backticks.
var link = regexp.MustCompile(
	"\\]\\(([^):#\\s]+)(?:#[^)]*)?\\)|`(docs/[a-z/]+(?:\\.md)?|(?:CHANGELOG|CONTRIBUTING|" +
		"README)\\.md)`")

// TestLinks: the files that documents name exist.
func TestLinks(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"../docs/*.md", "../docs/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, more...)
	}
	found := 0
	for _, name := range documents {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(b), -1) {
			found++
			to := filepath.Join(filepath.Dir(name), m[1])
			if m[2] != "" { // from the root, as the README writes them
				to = filepath.Join("..", m[2])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s names %s, which does not exist", name, m[1]+m[2])
			}
		}
	}
	if found < 50 {
		t.Errorf("%d links found, want more", found)
	}
}
