// Package docs holds the pages of this folder, for help without a network.
package docs

import (
	"embed"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The page about the insides of the program is left out: it is for those who have its source.
//
//go:embed acp.md audit.md embedding.md events.md functions.md install.md json.md models.md
//go:embed permissions.md rpc.md sandbox.md screen.md scripts.md shell.md tools.md trust.md usage.md
//go:embed tutorial
var pages embed.FS

// Names returns the names of the pages, in order: those of the files without their folder and
// ending.
func Names() (names []string) {
	for _, pattern := range []string{"*.md", "tutorial/*.md"} {
		files, err := fs.Glob(pages, pattern)
		if err != nil {
			panic("docs: " + err.Error()) // a mistake in this package
		}
		for _, file := range files {
			names = append(names, strings.TrimSuffix(path.Base(file), ".md"))
		}
	}
	slices.Sort(names)
	return names
}

// Page returns the page with a name; "" if there is none.
func Page(name string) string {
	for _, folder := range []string{"", "tutorial/"} {
		if b, err := pages.ReadFile(folder + name + ".md"); err == nil {
			return string(b)
		}
	}
	return ""
}
