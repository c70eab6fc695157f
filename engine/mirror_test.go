package engine_test

import (
	"go/ast"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// onlyIn are the files that only one of the two languages has, each with the reason. All other
// files have the same names in js and lua.
var onlyIn = map[string]string{
	"js/abort.go": "a Lua call cannot be cancelled by another one: it blocks its " +
		"handler.",
	"js/arguments.go": "in Lua no argument of a built-in runs code when it is " +
		"converted.",
	"js/buffers.go": "Lua has no buffers: a string holds bytes.",
	"js/charge.go": "both languages count with vm.Charge; in Lua limits.go does, since nothing " +
		"binds a function to arguments.",
	"js/concat_tree.go": "+ also adds numbers in JavaScript, so the tree is searched for " +
		"them; .. only joins texts.",
	"js/console.go": "console is JavaScript's; Lua's print is in sandbox.go.",
	"js/globals.go": "a JavaScript VM takes twice the memory with all of its globals; " +
		"Lua's libraries are small.",
	"js/lists_join.go":       "the methods of JavaScript's lists need two files.",
	"js/patterns_linear.go":  "Lua's patterns have one matcher, which is bounded by itself.",
	"js/patterns_timeout.go": "Lua's patterns have no timeout.",
	"js/promise.go":          "a Lua function that waits blocks its handler and has no promise.",
	"js/proxies.go": "a property of a proxy is looked up in Go without bound; " +
		"metatables have a bound.",
	"js/replace.go": "Lua's gsub is in patterns.go.",
	"js/rewrite.go": "only JavaScript has dialects that need translation.",
	"js/secret.go": "JavaScript secrets are a special kind of object; Lua secrets are a " +
		"metatable in view.go.",
	"js/stringify.go": "Lua's JSON is made in Go, by ext.json.",
	"js/texts.go":     "Lua has few functions of strings: they are in limits.go.",
	"js/timers.go":    "setTimeout is JavaScript's; both have ext.after and ext.every.",
	"js/inside.go": "gopher-lua leaves no state behind when a run is stopped, and its types are " +
		"exported.",
	"js/web.go":      "the web API is JavaScript's.",
	"js/web_text.go": "the web API is JavaScript's.",
	"js/web_url.go":  "the web API is JavaScript's.",
	"lua/compat.go": "Lua 5.1 lacks functions of later versions; esbuild and language.js " +
		"provide them for JavaScript.",
	"lua/coroutine.go":      "JavaScript's generators need no guard.",
	"lua/os.go":             "os is Lua's; JavaScript has Date, which reads the engine's clock.",
	"lua/patterns_class.go": "the interpreter of JavaScript has its own matcher.",
	"lua/patterns_match.go": "the interpreter of JavaScript has its own matcher.",
	"lua/protect.go":        "gopher-lua's pcall is broken; try and catch of goja are not.",
}

// mirrored are the names that the js and the lua version of a file both declare, for the same job.
var mirrored = map[string]string{
	"bind.go": "VM.args VM.builtin VM.callHost VM.newNamespace namespace",
	"call.go": "VM.function activation function function.Call function.CallInline " +
		"function.CallOpen function.IsFunction",
	"compile.go": "compile syntaxError",
	"concat.go":  "guardConcat",
	"convert.go": "decoder decoder.decodeValue decoder.list decoder.object decoder.table " +
		"decoder.view typeName values values.array values.data values.object " +
		"values.plain values.real values.result values.value",
	"errors.go": "failures failures.causeOf failures.position failures.raise " +
		"failures.registration failures.scalarMessage failures.scriptError " +
		"failures.stopError failures.thrownMessage",
	"hints.go":    "failures.explain",
	"limits.go":   "guards guards.setGuards",
	"patterns.go": "patterns patterns.setPatterns",
	"realm.go":    "realm realm.clearInterrupt realm.global realm.interrupt realm.setRealm",
	"require.go":  "VM.evaluate VM.requireModule loadedModule",
	"runtime.go": "New VM.checkUse VM.runMain language language.CheckSyntax language.Extensions " +
		"language.Language language.Load",
	"sandbox.go": "VM.log VM.row VM.setGlobals",
	"tokens.go":  "checkTokens tokens tokens.comment tokens.failAt tokens.peek tokens.word",
	"view.go":    "eventView values.shaped values.view",
	"vm.go":      "VM VM.Close newVM",
}

// TestMirror compares the files of js and lua, and the names in them.
func TestMirror(t *testing.T) {
	t.Parallel()
	names := map[string]map[string][]string{"js": {}, "lua": {}}
	sources, err := readSources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		dir, file := path.Split(s.name)
		if files := names[path.Clean(dir)]; files != nil && !strings.HasSuffix(file, "_test.go") {
			files[file] = topNames(s.file)
		}
	}
	other := map[string]string{"js": "lua", "lua": "js"}
	unused := maps.Clone(onlyIn)
	for dir, files := range names {
		for _, file := range slices.Sorted(maps.Keys(files)) {
			if _, both := names[other[dir]][file]; both {
				continue
			}
			if delete(unused, dir+"/"+file); onlyIn[dir+"/"+file] == "" {
				t.Errorf("%s/%s: %s has no such file: give it the name that its job has there, "+
					"or say why in onlyIn", dir, file, other[dir])
			}
		}
	}
	for file := range unused {
		t.Errorf("%s is in onlyIn, but it does not exist, or both languages have it", file)
	}
	for _, file := range slices.Sorted(maps.Keys(names["js"])) {
		var both []string
		for _, name := range names["js"][file] {
			if slices.Contains(names["lua"][file], name) {
				both = append(both, name)
			}
		}
		if got := strings.Join(both, " "); got != mirrored[file] {
			t.Errorf("%s: both languages have\n%s\nwant\n%s", file, got, mirrored[file])
		}
	}
}

// topNames returns the functions, methods and types of a file, sorted; a method is Type.name.
func topNames(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = receiverName(d.Recv.List[0].Type) + "." + name
			}
			names = append(names, name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					names = append(names, t.Name.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
