// Package docs holds the pages of this folder, for help without a network.
package docs

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/agentscripts/agent/engine/packed"
)

// packedPages has the pages by name: that of the file without its folder and ending. go generate
// ./engine/spec writes it. The page about the insides of the program is left out: it is for those
// who have its source.
//
//go:embed pages.gz
var packedPages string

var pages = sync.OnceValue(func() map[string]string { return packed.Texts(packedPages) })

// Names returns the names of the pages, in order.
func Names() []string { return slices.Sorted(maps.Keys(pages())) }

// Page returns the page with a name; "" if there is none.
func Page(name string) string { return pages()[name] }
