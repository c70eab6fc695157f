// Package docs holds the pages of this folder, for help without a network.
package docs

import (
	"compress/gzip"
	_ "embed"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// zipped has the pages, compressed: a third of their size. Each begins with a line of its own:
// pageMark and its name. go generate ./engine/spec writes it. The page about the insides of the
// program is left out: it is for those who have its source.
//
//go:embed pages.gz
var zipped string

// pageMark begins the line before a page. No page has such a line.
const pageMark = "\x00page "

// pages returns the pages by name: that of the file without its folder and ending.
var pages = sync.OnceValue(func() map[string]string {
	r, err := gzip.NewReader(strings.NewReader(zipped))
	if err != nil {
		panic("docs: " + err.Error()) // a mistake in the program
	}
	text, err := io.ReadAll(r)
	if err != nil {
		panic("docs: " + err.Error())
	}
	all := map[string]string{}
	for _, part := range strings.Split(string(text), pageMark)[1:] {
		name, page, _ := strings.Cut(part, "\n")
		all[name] = page
	}
	return all
})

// Names returns the names of the pages, in order.
func Names() []string { return slices.Sorted(maps.Keys(pages())) }

// Page returns the page with a name; "" if there is none.
func Page(name string) string { return pages()[name] }
