package tool

import (
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/nolink"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

// lsEntries is how many names are listed: more would not help, and cost tokens.
const lsEntries = 1000

func lsTool() *engine.Tool {
	return &engine.Tool{
		Name: List, Kind: "read", ReadOnly: true, Source: "builtin",
		Description: fmt.Sprintf(
			"Lists a directory, one name per line, in order of names; directories end with /, "+
				"links show where they lead. At most %d entries.", lsEntries),
		Schema: object(map[string]any{
			"path": property("string", "directory to list; the working directory if absent"),
		}),
		Subject: &subject.Subject{Kind: subject.Path, Arg: "path", Absent: ".", Reads: true,
			Names: true, Verb: "List", Title: []subject.Phrase{{Arg: "path"}}},
		Aliases: also(nil, folderNames),
		Run:     interruptible(runLs),
	}
}

func runLs(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	name := value.Text(use.Args, "path")
	if name == "" {
		name = "."
	}
	at, err := searched("ls", use, name)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if at.tree == nil {
		return nil, fmt.Errorf("ls %s: is not a directory; use read", name)
	}
	entries, err := at.tree.ReadDir("")
	if err != nil {
		return nil, explain("ls", name, err)
	}
	if ctx.Err() != nil {
		return nil, stopped(ctx)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	var b strings.Builder
	for i, e := range entries {
		if i == lsEntries {
			fmt.Fprintf(&b, "[%d more]\n", len(entries)-i)
			break
		}
		b.WriteString(listed(at.tree, e))
	}
	if len(entries) == 0 {
		b.WriteString("[empty directory]\n")
	}
	r := engine.TextResult(b.String())
	r.Display = &ui.Display{Title: name, Kind: "text"}
	r.Details = map[string]any{"path": at.path, "entries": len(entries)}
	return r, nil
}

func listed(tree *nolink.Tree, e os.DirEntry) string {
	switch {
	case e.IsDir():
		return quoteName(e.Name()) + "/\n"
	case e.Type()&os.ModeSymlink != 0:
		target, _ := tree.Readlink(e.Name())
		return quoteName(e.Name()) + " -> " + quoteName(target) + "\n"
	}
	return quoteName(e.Name()) + "\n"
}

// quoteName returns a name for the list, quoted if it could be mistaken for something else.
func quoteName(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name) {
		return strconv.Quote(name)
	}
	return name
}
