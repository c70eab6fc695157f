package engine_test

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/token"
	"go/types"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// module is the code of this module with its types, without tests, for this operating system.
// Packages of others are empty, so that values of their types have no type: reading them would take
// too long. Only those that make texts are read.
type module struct {
	others   types.Importer
	sources  map[string][]*source // by folder
	packages map[string]*types.Package
	types    map[ast.Expr]types.TypeAndValue
}

// typed returns the module. The result is shared by tests.
var typed = sync.OnceValues(func() (*module, error) {
	sources, err := readSources()
	if err != nil {
		return nil, err
	}
	m := newModule()
	for _, s := range sources {
		dir, base := filepath.Split(filepath.Join("..", filepath.FromSlash(s.name)))
		if ok, err := build.Default.MatchFile(dir, base); err != nil || !ok || s.test() {
			continue
		}
		m.sources[s.folder()] = append(m.sources[s.folder()], s)
	}
	for folder := range m.sources {
		m.check(folder)
	}
	return m, nil
})

// findGo tells go/build where Go's own packages are. A test that was compiled with -trimpath does
// not know it.
var findGo = sync.OnceFunc(func() {
	if build.Default.GOROOT != "" {
		return
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		panic(err)
	}
	build.Default.GOROOT = strings.TrimSpace(string(out))
})

func newModule() *module {
	findGo()
	return &module{importer.ForCompiler(token.NewFileSet(), "source", nil), map[string][]*source{},
		map[string]*types.Package{},
		map[ast.Expr]types.TypeAndValue{}}
}

// Import implements types.Importer.
func (m *module) Import(name string) (*types.Package, error) {
	if folder, ok := strings.CutPrefix(name, modulePath+"/"); ok {
		return m.check(folder), nil
	}
	if name == "strings" || name == "bytes" {
		return m.others.Import(name)
	}
	p := m.packages[name]
	if p == nil {
		p = types.NewPackage(name, path.Base(name))
		p.MarkComplete()
		m.packages[name] = p
	}
	return p, nil
}

// check finds the types of a folder.
func (m *module) check(folder string) *types.Package {
	name := modulePath + "/" + folder
	if p := m.packages[name]; p != nil {
		return p
	}
	list := m.sources[folder]
	files := make([]*ast.File, len(list))
	for i, s := range list {
		files[i] = s.file
	}
	// errors are about packages of others
	conf := types.Config{Importer: m, Error: func(error) {}, FakeImportC: true}
	p, _ := conf.Check(name, list[0].set, files, &types.Info{Types: m.types})
	m.packages[name] = p
	return p
}

// methods returns the number of methods of a type, with those of the module's types that it embeds.
func methods(t *types.TypeName) (n int) {
	set := types.NewMethodSet(types.NewPointer(t.Type()))
	for i := range set.Len() {
		if p := set.At(i).Obj().Pkg(); p != nil && strings.HasPrefix(p.Path(), modulePath) {
			n++
		}
	}
	return n
}

// TestMethods: a type with many methods is several. Methods of embedded types count: whoever reads
// the type has to know them.
func TestMethods(t *testing.T) {
	t.Parallel()
	m, err := typed()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for folder := range m.sources {
		p := m.packages[modulePath+"/"+folder]
		for _, name := range p.Scope().Names() {
			of, ok := p.Scope().Lookup(name).(*types.TypeName)
			if !ok || of.IsAlias() || types.IsInterface(of.Type()) {
				continue
			}
			checked++
			if n := methods(of); n > mostMethods {
				t.Errorf("%s.%s has %d methods, with those of the types that it embeds, more "+
					"than %d: "+
					"give a part of them a type and a field of its own", folder, name, n,
					mostMethods)
			}
		}
	}
	if checked < 500 {
		t.Errorf("%d types are checked", checked)
	}
}
