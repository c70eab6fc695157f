package tool

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// editBytes is the size limit for files that are edited or compared: source files are far smaller,
// and the whole file is in memory several times.
const editBytes = 16 << 20

func editTool() *engine.Tool {
	edit := object(map[string]any{
		"old": property("string",
			"text to replace, exactly as in the file, with enough context to be "+
				"unique"),
		"new": property("string", "text to put there"),
		"all": property("boolean", "replace every occurrence instead of the only one"),
	}, "old", "new")
	list := property("array",
		"replacements, made in order, each on the result of the one before; all or none")
	list["items"], list["minItems"] = edit, 1
	return &engine.Tool{
		Name: "edit", Kind: "edit", Source: "builtin",
		Description: "Replaces exact pieces of text in a file. Each old must be found exactly " +
			"once, unless all is set; otherwise nothing is changed.",
		Schema: object(map[string]any{
			"path": property("string",
				"file to change, absolute or relative to the working directory"),
			"edits": list,
		}, "path", "edits"),
		Subject: &subject.Subject{Kind: subject.Path, Arg: "path", Reads: true, Writes: true,
			Everywhere: true, RuledBy: "write", Verb: "Edit",
			Title: []subject.Phrase{{Arg: "path"}}},
		Aliases: editAliases(),
		Run:     runEdit, Preview: previewEdit,
	}
}

func runEdit(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	c, made, err := planEdit(ctx, use)
	if err != nil {
		return nil, err
	}
	if err := replaceFile(ctx, use, c.path, c.after); err != nil {
		return nil, explain("edit", c.name, err)
	}
	r := c.result(fmt.Sprintf("edited %s: %s", c.name, plain.Count(made, "replacement")))
	r.Details["replacements"] = made
	return r, nil
}

func previewEdit(ctx context.Context, use *engine.Use) (*ui.Preview, error) {
	c, made, err := planEdit(ctx, use)
	if err != nil {
		return nil, err
	}
	return c.preview(plain.Count(made, "replacement")), nil
}

// planEdit makes the edits in memory and counts them.
func planEdit(ctx context.Context, use *engine.Use) (*change, int, error) {
	name := value.Text(use.Args, "path")
	path, err := resolvePath(use, name)
	if err != nil {
		return nil, 0, err
	}
	_, decided := use.Decided()
	st, err := regular("edit", name, path, decided)
	if err != nil {
		return nil, 0, err
	}
	if st.Size() > editBytes {
		return nil, 0, fmt.Errorf("edit %s: has %d bytes, more than the %d that can be edited",
			name, st.Size(), editBytes)
	}
	f, err := openDecided(use, path, decided)
	if err != nil {
		return nil, 0, explain("edit", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, 0, explain("edit", name, err)
	}
	before := string(b)
	edits, _ := use.Args["edits"].([]any)
	after, made, err := applyEdits(ctx, before, edits)
	if err != nil {
		return nil, 0, fmt.Errorf("edit %s: %w; nothing was changed", name, err)
	}
	return &change{name: name, path: path, dir: workdir(use), existed: true, read: true,
		before: before, after: after}, made, nil
}

// applyEdits makes all edits or, if one fails, none. The error names the first that failed.
func applyEdits(ctx context.Context, text string, edits []any) (string, int, error) {
	if len(edits) == 0 {
		return "", 0, fmt.Errorf("edits: got none, want at least one {old, new}")
	}
	crlf := 2*strings.Count(text, "\r\n") > strings.Count(text, "\n")
	made := 0
	for i, e := range edits {
		if ctx.Err() != nil {
			return "", 0, stopped(ctx)
		}
		m, _ := e.(map[string]any)
		old, replacement := value.Text(m, "old"), value.Text(m, "new")
		all, _ := m["all"].(bool)
		// models write \n even if the file has \r\n
		if crlf && !(strings.Contains(old, "\n") && !strings.Contains(old, "\r\n") &&
			strings.Contains(text, old)) {
			if replacement = toCRLF(replacement); !strings.Contains(text, old) {
				old = toCRLF(old)
			}
		}
		n := 0
		if old != "" {
			n = strings.Count(text, old)
		}
		// ambiguous if occurrences overlap: "aa" in "aaa"
		if n == 1 && !all && strings.Contains(text[strings.Index(text, old)+1:], old) {
			n = 2
		}
		if err := checkEdit(text, old, replacement, n, all); err != nil {
			return "", 0, fmt.Errorf("edit %d of %d: %w", i+1, len(edits), err)
		}
		text = strings.ReplaceAll(text, old, replacement)
		made += n
	}
	return text, made, nil
}

func toCRLF(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

func checkEdit(text, old, replacement string, n int, all bool) error {
	switch {
	case old == "":
		return fmt.Errorf("old is empty; use write to fill a file")
	case old == replacement:
		return fmt.Errorf("old and new are the same")
	case n == 0:
		return fmt.Errorf("old was not found%s", nearMiss(text, old))
	case n > 1 && !all:
		return fmt.Errorf(
			"old was found %d times, in lines %s, want once; give more of the text around it, or "+
				"set all", n, linesOf(text, old))
	case len(text)+n*(len(replacement)-len(old)) > editBytes:
		return fmt.Errorf("the file would become larger than the %d bytes that can be edited",
			editBytes)
	}
	return nil
}

// linesNamed is how many positions an error lists; grep finds all of them.
const linesNamed = 10

// linesOf lists the lines in which old begins.
func linesOf(text, old string) string {
	var lines []string
	line, at := 1, 0
	for len(lines) < linesNamed {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return strings.Join(lines, ", ")
		}
		line += strings.Count(text[at:at+i], "\n")
		lines = append(lines, strconv.Itoa(line))
		if at += i + 1; old[0] == '\n' {
			line++
		}
	}
	return strings.Join(lines, ", ") + ", ..."
}
