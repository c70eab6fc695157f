package tool

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

// globShown is how many files are listed; narrower patterns show the rest.
const globShown = 500

func globTool(o Options) *engine.Tool {
	return &engine.Tool{
		Name: "glob", Kind: "search", ReadOnly: true, Source: "builtin",
		Description: fmt.Sprintf(
			"Finds files by their paths, the ones that changed last first, at most %d. What git "+
				"ignores and .git are left out. To search in files use grep.", globShown),
		Schema: object(map[string]any{
			"pattern": property("string",
				"pattern for the path: * within a name, ** for any directories, ?, [a-z], {a,b}; "+
					"*.go matches only the directory itself, **/*.go also below it"),
			"path": property("string", "directory to search; the working directory if absent"),
		}, "pattern"),
		Subject: &subject.Subject{Kind: subject.Path, Arg: "path", Absent: ".", Reads: true,
			Within: "pattern", Names: true, Below: true, Verb: "Find",
			Title: []subject.Phrase{{Arg: "pattern"}, {Words: "in", Arg: "path"}}},
		Aliases: also(map[string]string{"glob": "pattern", "glob_pattern": "pattern"}, folderNames),
		Run:     interruptible(o.runGlob),
	}
}

// globbed is a matching file.
type globbed struct {
	rel     string
	changed time.Time
}

func (o Options) runGlob(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	pattern := filepath.ToSlash(value.Text(use.Args, "pattern"))
	if err := glob.Check(pattern); err != nil {
		return nil, fmt.Errorf("glob: pattern: %w", err)
	}
	base, pattern := glob.Split(pattern)
	if !filepath.IsAbs(base) {
		base = filepath.Join(value.Text(use.Args, "path"), base)
	}
	at, err := searched("glob", use, base)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if at.tree == nil {
		return nil, fmt.Errorf("glob %s: is not a directory", base)
	}
	var mu sync.Mutex
	var found []globbed
	w := &walk{root: at.path, tree: at.tree, user: o.Ignore}
	if depth := strings.Count(pattern, "/"); !strings.Contains(pattern, "**") {
		w.enter = func(rel string) bool { return strings.Count(rel, "/") < depth }
	}
	w.visit = func(_ int, rel string, e fs.DirEntry) {
		if !glob.Match(pattern, rel) {
			return
		}
		if info, err := e.Info(); err == nil { // otherwise the file is gone
			mu.Lock()
			defer mu.Unlock()
			found = append(found, globbed{rel, info.ModTime()})
		}
	}
	note, err := w.search(ctx)
	if err != nil {
		return nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	sort.Slice(found, func(i, j int) bool {
		if c := found[i].changed.Compare(found[j].changed); c != 0 {
			return c > 0
		}
		return found[i].rel < found[j].rel
	})
	var b strings.Builder
	for _, f := range found[:min(len(found), globShown)] {
		b.WriteString(shownPath(use, at.path, f.rel) + "\n")
	}
	if len(found) == 0 {
		b.WriteString("[no files fit]\n")
	}
	if n := len(found) - globShown; n > 0 {
		fmt.Fprintf(&b, "[%d more: ask for less at a time]\n", n)
	}
	r := engine.TextResult(strings.TrimSuffix(b.String()+note, "\n"))
	r.Details = map[string]any{"files": len(found)}
	return r, nil
}
