//go:build amd64 || arm64 || 386 || arm || riscv64 || loong64 || ppc64le || s390x

package confine

import (
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// early are the packages that this one may import: none of them imports package os, so that this
// package is initialized before os, and before all that needs os.
var early = []string{"errors", "runtime", "slices", "strconv", "syscall", "unsafe"}

// TestNothingElseStarts: with package os, or any other that imports it, all packages of the program
// whose paths sort before this one are initialized in each process that confines itself.
func TestNothingElseStarts(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(early, path) {
				t.Errorf("%s imports %s: see confine_linux.go", f.Name(), path)
			}
		}
	}
}

func TestMountedAt(t *testing.T) {
	t.Parallel()
	if !mountedAt("/proc") || mountedAt("/proc/self") || mountedAt("") {
		t.Error("the list of mounts was not understood")
	}
	if got, want := escapeMountPoint("/a b\tc\nd\\e#é"), `/a\040b\011c\012d\134e#é`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
