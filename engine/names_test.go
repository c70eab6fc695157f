// This file counts names that cannot be searched.

package engine_test

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// mostNamesakes is how many functions and methods may have the same bare verb as their name. A
// search for a name that more of them have finds mostly others.
const mostNamesakes = 5

// bareVerbs are names that say what is done and not to what it is done. Exported names are not
// counted: their package and type qualify them, and many are those of the standard library.
const bareVerbs = "add answer ask begin call change check clear complete cut decode draw drop " +
	"emit encode end enter fail find finish follow forget get give go handle hear keep load look " +
	"make mark move next note open parse push put read remove replace resolve run say see send " +
	"set settle show skip split start step stop take tell update wait walk watch write"

// tooCommon are the bare verbs that more than mostNamesakes functions and methods are named. A
// number here may only go down; what is within the bound has no row.
var tooCommon = map[string]int{
	"add": 21, "ask": 8, "begin": 12, "call": 7, "emit": 8, "end": 8, "finish": 6, "get": 6,
	"load": 6, "next": 7, "note": 7, "open": 8, "parse": 6, "read": 9, "run": 11, "say": 6,
	"set": 10, "settle": 6, "take": 7, "tell": 9, "wait": 7,
}

// vagueFiles are file names that do not say what the file holds.
const vagueFiles = "act below brief bound carry common deep face fed gone good guess helpers live " +
	"may maybe mend misc need offer perhaps place quiet ran still take tell util utils " +
	"weigh widen within"

// vague are the files that still have such a name. It may only become shorter.
var vague = []string{
	"agent/acp/take.go", "agent/face.go", "agent/rpc/take.go",
	"engine/host/act.go", "engine/load/gone.go", "engine/load/good.go",
	"engine/load/tell.go",
}

// TestNames counts bare verbs and vague file names.
func TestNames(t *testing.T) {
	t.Parallel()
	sources, err := readSources("..")
	if err != nil {
		t.Fatal(err)
	}
	verbs, vagueNames := strings.Fields(bareVerbs), strings.Fields(vagueFiles)
	counts := map[string]int{}
	var files []string
	for _, s := range sources {
		if strings.HasSuffix(s.name, "_test.go") || ast.IsGenerated(s.file) {
			continue
		}
		if slices.Contains(vagueNames, strings.TrimSuffix(path.Base(s.name), ".go")) {
			files = append(files, s.name)
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && slices.Contains(verbs, f.Name.Name) {
				counts[f.Name.Name]++
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		allowed, known := tooCommon[name]
		switch n := counts[name]; {
		case n > max(mostNamesakes, allowed):
			t.Errorf("%d functions and methods are named %s, more than %d: add a noun",
				n, name, max(mostNamesakes, allowed))
		case known && n < allowed:
			t.Errorf("%d functions and methods are named %s: write that into tooCommon, or "+
				"take the row out", n, name)
		}
	}
	slices.Sort(files)
	if !slices.Equal(files, vague) {
		t.Errorf("files with vague names: got %q, want %q", files, vague)
	}
}
