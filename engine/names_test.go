// This file counts names that are hard to search for.

package engine_test

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// mostNamesakes is the maximum number of functions and methods that have the same bare verb as
// name. A search for it would find too many.
const mostNamesakes = 5

// bareVerbs are names that have no object. Exported names are not counted: their package and type
// qualify them, and many are those of the standard library.
const bareVerbs = "add answer ask begin call change check clear complete cut decode draw drop " +
	"emit encode end enter fail find finish follow forget get give go handle hear keep load look " +
	"make mark move next note open parse push put read remove replace resolve run say see send " +
	"set settle show skip split start step stop take tell update wait walk watch write"

// vagueFiles are file names that do not describe the content.
const vagueFiles = "act bad below brief bound carry common deep face fed gone good guess helpers " +
	"live may maybe mend misc missed need offer perhaps place quiet ran still take tell " +
	"util utils weigh widen within"

// TestNames counts bare verbs and vague file names.
func TestNames(t *testing.T) {
	t.Parallel()
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	verbs, vagueNames := strings.Fields(bareVerbs), strings.Fields(vagueFiles)
	counts := map[string]int{}
	for _, s := range sources {
		topic := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.name), ".go"), "_test")
		if slices.Contains(vagueNames, topic) {
			t.Errorf("the name %s does not describe the content: name the file for its type or "+
				"topic",
				s.name)
		}
		if s.test() || ast.IsGenerated(s.file) {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && slices.Contains(verbs, f.Name.Name) {
				counts[f.Name.Name]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if n := counts[name]; n > mostNamesakes {
			t.Errorf("%d functions and methods are named %s, more than %d: add a noun",
				n, name, mostNamesakes)
		}
	}
}
