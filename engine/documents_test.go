// This file holds what comments and documents say against what is in the repository.

package engine_test

import (
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	// citation is a document that a comment names, maybe with sections of it: docs/events.md, "Order" and "Failure".
	citation = regexp.MustCompile(`docs/([a-z/]+)\.md((?:[,: ]|its|sections?|and|or|"[^"]+")*)`)
	section  = regexp.MustCompile(`"([^"]+)"`)
	// outside are names of documents that are not in the repository.
	outside = regexp.MustCompile(`\b(EVENTS|SCRIPT-API|DESIGN|STYLE)(\.md)?\b`)
)

// wrongCitations returns what is wrong with the citations of a comment; read returns a document.
func wrongCitations(comment string, read func(name string) (string, error)) (wrong []string) {
	for _, name := range outside.FindAllString(comment, -1) {
		wrong = append(wrong, name+" is not in the repository: cite a file of docs")
	}
	for _, m := range citation.FindAllStringSubmatch(strings.Join(strings.Fields(comment), " "), -1) {
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

// TestCitations: comments cite documents and sections that exist, and none outside of the repository.
func TestCitations(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
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

// TestWrongCitations: the check finds what it is for.
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
