// This file lists programs that run code of the project, and where that is.

package shell

import (
	"slices"
	"strings"
	"sync"
)

// codeRunner is a row of the table: programs, the words with which they run code ("" = any), and
// the ends of the names of the files in which it is.
type codeRunner struct{ programs, with, endings string }

// codeRunners are the programs that run code without naming its files.
var codeRunners = sync.OnceValue(func() map[string]codeRunner {
	out := map[string]codeRunner{}
	for _, r := range []codeRunner{
		{"go", "run generate test tool", ".go"}, {"cargo", "run r test t bench build b", ".rs"},
		{"dotnet", "run test watch", ".cs .csproj"}, {"swift", "run test", ".swift"},
		{"zig", "run test build", ".zig"}, {"java", "", ".java .jar .class"}, {"nim", "r", ".nim"},
		{"crystal", "run spec", ".cr"}, {"dart flutter", "run test", ".dart"},
		{"mix", "", ".ex .exs"}, {"gradle gradlew", "", ".gradle .kts .java .kt"},
		{"mvn mvnw", "", ".java pom.xml"}, {"ansible-playbook", "", ".yml .yaml"},
		{"jest vitest mocha ava", "", ".js .mjs .cjs .jsx .ts .mts .tsx"}, {"rspec", "", ".rb"},
		{"pytest py.test", "", ".py"}, {"cmake ctest", "", ".cmake cmakelists.txt"},
		{"bats", "", ".bats"}, {"prove", "", ".t .pl"}, {"run-parts", "", ""},
		{"bazel buck2", "run test build", "build .bzl .bazel"}, {"sbt", "", ".sbt .scala"},
		{"stack cabal", "run test", ".hs"},
	} {
		for name := range strings.FieldsSeq(r.programs) {
			out[name] = r
		}
	}
	return out
})

// projectCode reports whether c runs code of the project, and how the names of its files end.
func projectCode(c *Command) (endings []string, runs bool) {
	r, ok := codeRunners()[c.Name]
	if !ok || r.with != "" && !slices.ContainsFunc(strings.Fields(r.with),
		func(w string) bool { return slices.Contains(c.Argv[1:], w) }) {
		return nil, false
	}
	return strings.Fields(r.endings), true
}

// hasCode reports whether c runs code that is in one of the files. Files that are only edited do
// not count: tests usually follow an edit.
func (w *wrote) hasCode(c *Command) bool {
	endings, _ := projectCode(c)
	for name := range w.made {
		if slices.ContainsFunc(endings,
			func(ending string) bool { return strings.HasSuffix(name, ending) }) {
			return true
		}
	}
	return false
}

// folderRunners run the files in the folders that they get.
var folderRunners = setOf("run-parts bats prove pytest node mocha jest vitest rspec")

// otherCompilers are compilers besides those that the pattern compilers matches.
var otherCompilers = setOf("rustc ld as nasm tcc ghc swiftc kotlinc javac ocamlopt ocamlc fpc " +
	"gdc dmd ldc2 gfortran mcs csc valac nim crystal")

// gitHooks are the names of the files that git runs as hooks.
var gitHooks = setOf("applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit " +
	"prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge pre-push " +
	"pre-receive update post-receive post-update push-to-checkout pre-auto-gc post-rewrite " +
	"sendemail-validate fsmonitor-watchman reference-transaction post-index-change")
