package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestDeepNestingIsRejected checks that a deeply nested file is rejected: a project's config is
// read before the user trusts it, and may be crafted to be slow to parse.
func TestDeepNestingIsRejected(t *testing.T) {
	brackets := strings.Repeat("[", 200)
	for text, want := range map[string]bool{
		"x = " + strings.Repeat("{b=", 200):            true,
		"x = " + brackets:                              true,
		"x = [\n" + strings.Repeat("{a=[\n", 60):       true,
		"a" + strings.Repeat(".a", 200) + " = 1":       true,
		"[a" + strings.Repeat(" . a", 200) + "]":       true,
		"x = {" + strings.Repeat("a.", 200) + "a = 1}": true,
		// the fourth quote belongs to the string
		`x = ["""a"""", ` + brackets: true,
		`x = ["\\", ` + brackets:     true,
		// invalid for the decoder, but the string ends
		"x = \"\n" + brackets:            true,
		"# \" '\nx = " + brackets:        true,
		`x = "` + brackets + `"`:         false,
		`x = "\"` + brackets + `"`:       false,
		`x = '` + brackets + `'`:         false,
		"x = '''\n'" + brackets + "'''":  false,
		`x = """\"""` + brackets + `"""`: false,
		"x = 1 # " + brackets + "\n":     false,
		"#":                              false,
		"\"":                             false,
		"x = [" + strings.Repeat("1.5, ", 500) + "]":              false,
		strings.Repeat("[[a.b]]\nc = {d = [1.5]}\n", 200):         false,
		"x = \"a.b.c\"\n" + strings.Repeat("y.z = \"..\"\n", 200): false,
	} {
		if got := deep(text); got != want {
			t.Errorf("%.40q: got %v", text, got)
		}
	}
	for text, want := range map[string]string{
		"x = " + strings.Repeat("{b=", 20_000): "goes deeper than 100",
		strings.Repeat("x", maxProjectFile+1):  "has more than",
	} {
		if _, got := loadProject(t, text); len(got) != 1 ||
			!strings.Contains(got[0].String(), want) {
			t.Errorf("%.20q: got %.100v, want %s", text, got, want)
		}
	}
}

func TestWarningsAreLimited(t *testing.T) {
	p, got := loadProject(t, "[mcp.a]\ncommand = \"a\"\nargs = ["+strings.Repeat("1,", 1000)+
		"]\n[mcp.b]\ncommand = \"b\"\nx = 1\n[mcp.c]\ncommand = \"c\"\n")
	if len(got) != mostWarnings+1 || got[0].Line != 3 ||
		got[mostWarnings].String() != ".agent/config.toml: and 951 mistakes more" {
		t.Errorf("got %d warnings, the first %v and the last %v", len(got), got[0], got[len(got)-1])
	}
	if len(p.MCP) != 1 || p.MCP[0].Name != "c" {
		t.Errorf("got the servers %v, want only c, because the others have mistakes", p.MCP)
	}
}

func TestUnreadableRules(t *testing.T) {
	const text = "[permissions]\ndeny = [\"bash\"]\n"
	utf16 := "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00"
	for _, s := range []string{utf16, "# caf\xe9\n" + text, strings.ReplaceAll(text, "\n", "\r")} {
		if c, warnings := parse(s); c.Rules.Unread == "" || len(warnings) == 0 {
			t.Errorf("%.20q: got %+v and %v, want rules that could not be read, and a warning", s,
				c.Rules, warnings)
		}
	}
}

func loadProject(t *testing.T, text string) (*ProjectFile, []Warning) {
	t.Helper()
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, ".agent"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ProjectPath(root), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return loadProjectTOML(root, t.TempDir())
}

// TestWarningsAreInTheOrderOfTheFile: so they can be mended one after the other.
func TestWarningsAreInTheOrderOfTheFile(t *testing.T) {
	t.Parallel()
	_, got := parse("zeta = 1\nalpha = 2\n[permissions]\nbeta = 1\n[sandbox]\nfoo = 2\n")
	var lines []int
	for _, w := range got {
		lines = append(lines, w.Line)
	}
	if !slices.Equal(lines, []int{1, 2, 4, 6}) {
		t.Errorf("got the lines %v", lines)
	}
}
