package tool

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// grepLimit is the default number of matching lines.
	grepLimit = 200
	// grepMost is the largest number that the model may request.
	grepMost = 5000
	// grepContext is the largest number of context lines around each match; read shows more.
	grepContext = 20
)

func grepTool(o Options) *engine.Tool {
	around := property("integer",
		fmt.Sprintf("lines to show before and after each match, at most %d", grepContext))
	around["minimum"], around["maximum"] = 0, grepContext
	limit := count(fmt.Sprintf("how many matching lines to show at most, %d if absent", grepLimit))
	limit["maximum"] = grepMost
	return &engine.Tool{
		Name: "grep", Kind: "search", ReadOnly: true, Source: "builtin",
		Description: "Searches the lines of text files, below a directory or in one file, in the " +
			"order of their paths. What git ignores, .git and binary files are left out. " +
			"Shows path:line:text. To find files by name use glob.",
		Schema: object(map[string]any{
			"pattern": property("string", "regular expression, RE2, matched within a line"),
			"path": property("string",
				"directory or file to search; the working directory if absent"),
			"glob": property("string",
				"search only files whose name fits, such as *.go or *.{ts,tsx}; with a slash in "+
					"it the path below the directory must fit, such as src/**/*.go; with ! "+
					"before it those that do not"),
			"ignore_case": property("boolean", "upper and lower case are the same"),
			"context":     around,
			"limit":       limit,
		}, "pattern"),
		Subject: &subject.Subject{Kind: subject.Path, Arg: "path", Absent: ".", Reads: true,
			Below: true, Filter: "glob", Verb: "Search for",
			Title: []subject.Phrase{{Arg: "pattern"}, {Words: "in", Arg: "path"},
				{Words: "of", Arg: "glob"}}},
		Aliases: also(map[string]string{"regex": "pattern", "query": "pattern", "include": "glob",
			"case_insensitive": "ignore_case"}, fileNames, folderNames),
		Run: interruptible(o.runGrep),
	}
}

func (o Options) runGrep(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	fold, _ := use.Args["ignore_case"].(bool)
	find, err := newLineSearch(value.Text(use.Args, "pattern"), fold)
	if err != nil {
		return nil, fmt.Errorf("grep: %w", err)
	}
	fits, err := glob.Filter(value.Text(use.Args, "glob"))
	if err != nil {
		return nil, fmt.Errorf("grep: %w", err)
	}
	name := value.Text(use.Args, "path")
	at, err := searched("grep", use, name)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	around := min(grepContext, max(0, integer(use.Args, "context", 0)))
	hits := &hits{apart: around > 0, most: min(grepMost,
		max(1, integer(use.Args, "limit", grepLimit)))}
	newSearcher := func() *searcher {
		return &searcher{find: find, context: around, most: hits.most + 1}
	}
	note := ""
	if at.file != nil {
		within, cancel := context.WithTimeout(ctx, searchTime)
		defer cancel()
		text, ends, err := newSearcher().file(within, at.file, shownPath(use, at.path, ""))
		switch {
		case err != nil:
			return nil, explain("grep", name, err)
		case within.Err() != nil:
			note = tooLong
		}
		hits.addHit(hit{at.path, text, ends})
	} else {
		w := &walk{root: at.path, tree: at.tree, user: o.Ignore}
		searchers := make([]*searcher, walkers())
		w.visit = func(who int, rel string, e fs.DirEntry) {
			if !e.Type().IsRegular() || !fits(rel) || !hits.wants(rel) {
				return
			}
			if searchers[who] == nil {
				searchers[who] = newSearcher()
			}
			f, err := at.tree.Open(rel)
			if err != nil {
				hits.unread()
				return
			}
			defer f.Close()
			text, ends, err := searchers[who].file(ctx, f, shownPath(use, at.path, rel))
			if err != nil {
				hits.unread()
			} else {
				hits.addHit(hit{rel, text, ends})
			}
		}
		if note, err = w.search(ctx); err != nil {
			return nil, err
		}
	}
	return hits.result(note), nil
}

// hits are the matches in the files whose paths sort first, so that the result does not depend on
// the order in which they are found. Its methods are safe for concurrent use.
type hits struct {
	most  int  // lines
	apart bool // separate the files by a line

	mu     sync.Mutex
	files  []hit // sorted
	lines  int   // of all files; more than most if the result is cut
	failed int   // unreadable files
}

type hit struct {
	rel, text string
	ends      []int // see searcher.file
}

// wants reports whether matches in a file would be shown.
func (h *hits) wants(rel string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.lines <= h.most || rel < h.files[len(h.files)-1].rel
}

func (h *hits) unread() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed++
}

func (h *hits) addHit(f hit) {
	if len(f.ends) == 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	at, _ := slices.BinarySearchFunc(h.files, f.rel,
		func(x hit, rel string) int { return strings.Compare(x.rel, rel) })
	h.files = slices.Insert(h.files, at, f)
	h.lines += len(f.ends)
	for last := len(h.files) - 1; h.lines-len(h.files[last].ends) > h.most; last-- {
		h.lines -= len(h.files[last].ends)
		h.files = h.files[:last]
	}
}

// result formats the first matching lines.
func (h *hits) result(note string) *engine.Result {
	h.mu.Lock()
	defer h.mu.Unlock()
	var b strings.Builder
	left := h.most
	for i, f := range h.files {
		if left == 0 {
			break
		}
		if i > 0 && h.apart {
			b.WriteString("--\n")
		}
		if len(f.ends) > left {
			f.text, f.ends = f.text[:f.ends[left-1]], f.ends[:left]
		}
		b.WriteString(f.text)
		left -= len(f.ends)
	}
	if h.lines == 0 {
		b.WriteString("[no matches]\n")
	}
	if h.lines > h.most {
		fmt.Fprintf(&b, "[these are the first %d matches, in the order of paths; there are more: "+
			"narrow path, glob or pattern, or raise limit]\n", h.most)
	}
	if h.failed > 0 {
		fmt.Fprintf(&b, "[%d files could not be read]\n", h.failed)
	}
	r := engine.TextResult(strings.TrimSuffix(b.String()+note, "\n"))
	r.Details = map[string]any{"matches": min(h.lines, h.most), "more": h.lines > h.most}
	return r
}
