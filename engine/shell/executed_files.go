// This file finds the files that commands execute, and those among them that the same command line
// writes first. A file that exists is a program like any other, but the contents of a file that is
// written first are unknown.

package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// scriptRunners are interpreters that run the file named by their first word.
var scriptRunners = setOf("python pypy perl ruby node nodejs php lua luajit Rscript " +
	"tsx ts-node tclsh groovy bun deno")

// jsRunners are those of them that find a file by a name without its ending, or in a folder.
const jsRunners = "node nodejs tsx ts-node bun deno"

// scriptEndings are what they append to such a name.
var scriptEndings = listOf(".js .mjs .cjs .node .ts .tsx .mts .jsx /index.js /index.ts " +
	"/index.mjs /package.json")

// nodeFlags are prefixes of flags of node that may come before its file. None of them runs
// anything.
var nodeFlags = listOf(
	"--test --watch --no-warnings --no-deprecation --max-old-space-size= --inspect --trace- " +
		"--env-file= --enable-source-maps --experimental-strip-types --experimental-test " +
		"--experimental-vm-modules")

// module returns the module that python runs; "" = none, or unknown.
func (c *Command) module() string {
	if at := slices.Index(c.Argv, "-m"); at > 0 && at+1 < len(c.Argv) &&
		strings.HasPrefix(c.Name, "python") && !anyOf(c.Argv[1:at],
		func(a string) bool { return a[:min(len(a), 1)] != "-" }) {
		return c.Argv[at+1]
	}
	return ""
}

// isFile reports whether a name is that of a file, and not of an open input such as /dev/stdin,
// /proc/self/fd/0, or 3 in that folder.
func isFile(name string) bool {
	base := path.Base(name)
	return name != "" && base != "stdin" && strings.Trim(base, "0123456789") != "" &&
		!strings.Contains(name, "dev/") && !strings.Contains(name, "proc/")
}

// executable reports whether a word names a program by its path, and not some other kind of file.
func executable(name string) bool {
	return strings.Contains(name, "/") && (path.Ext(name) == "" || path.Ext(name) == ".sh")
}

// projectFiles are files that programs run by default, in lower case.
var projectFiles = sync.OnceValue(func() map[string][]string {
	files := map[string][]string{}
	for _, row := range [][2]string{{"make gmake", "makefile gnumakefile"}, {"just", "justfile"},
		{"rake", "rakefile"}, {"npm yarn pnpm bun npx bunx pnpx", "package.json .npm-init.js"},
		{"cargo", "build.rs"}, {"pytest python uvx pipx", "conftest.py __main__.py"}} {
		for name := range strings.FieldsSeq(row[0]) {
			files[name] = strings.Fields(row[1])
		}
	}
	return files
})

// runs returns the files that c runs, as far as its words name them.
func (c *Command) runs() (files []string) {
	if len(c.Argv) == 0 || !c.Static[0] {
		return nil
	}
	base := strings.TrimRight(c.Name, "0123456789.")
	if strings.Contains(c.Argv[0], "/") || len(path.Ext(c.Argv[0])) > 1 { // uv run x.py
		files = append(files, c.Argv[0])
	}
	if file := c.script(); file != "" {
		files = append(files, file)
		if has(jsRunners, base) && len(path.Ext(file)) < 2 { // it looks for these, too
			for _, ending := range scriptEndings() {
				files = append(files, path.Clean(file)+ending)
			}
		}
	}
	if startsShells()[c.Name] || isShell(c.Name) && anyOf(c.Argv[1:], readsSettings) {
		files = append(files, shellSettings...)
	}
	if at := slices.Index(c.Argv, "-F"); at > 0 && at+1 < len(c.Argv) &&
		(c.Name == "scp" || c.Name == "sftp") { // settings of ssh
		files = append(files, c.Argv[at+1])
	}
	if compilers().MatchString(c.Name) { // files with flags
		for _, w := range c.Argv[1:] {
			if name := strings.TrimPrefix(w, "-"); strings.HasPrefix(w, "@") {
				files = append(files, w[1:])
			} else if _, specs, ok := strings.Cut(name, "specs="); ok {
				files = append(files, specs)
			}
		}
	}
	if does, ok := codeOf(c); ok {
		files = append(files, does.Modules...)
	}
	if m := c.module(); m != "" {
		files = append(files, strings.ReplaceAll(m, ".", "/")+".py")
		for _, w := range c.Argv[1:] { // names of other modules
			files = append(files, strings.ReplaceAll(w, ".", "/")+".py")
		}
	}
	if base == "npm" && len(c.Argv) > 1 && c.Argv[1] == "pkg" { // it only changes it
		return files
	}
	if c.launches() == 0 && contains(builders, base) ||
		contains([]string{"npm", "yarn", "pnpm", "bun", "cargo", "pytest", "python"}, base) {
		files = append(append(files, c.Argv[1:]...), projectFiles()[base]...)
	}
	return files
}

// takesPlugins are programs that run others: git x runs git-x.
var takesPlugins = setOf("git kubectl oc cargo docker gh helm npm")

// shellSettings are files that shells run when they begin.
var shellSettings = []string{".bash_logout", ".zlogout", ".bash_aliases", ".bash_profile",
	".bash_login", ".profile", ".bashrc", ".zshrc",
	".zprofile", ".zshenv", ".zlogin", ".kshrc", ".shinit"}

// startsShells are programs that start a shell for a person, which runs them.
var startsShells = setOf("tmux screen script su login newgrp")

// readsSettings reports whether a flag of a shell lets it run them.
func readsSettings(w string) bool {
	return w == "--login" || w == "--interactive" || len(w) > 1 && w[0] == '-' && w[1] != '-' &&
		strings.ContainsAny(w, "li")
}

// wrote holds the names of files that a command line writes, without their folders. If all is set,
// any name may be among them; if git is set, so may files that git runs or reads settings from.
type wrote struct {
	names    map[string]bool
	made     map[string]bool     // those that are not only edited
	folders  map[string]bool     // the names of their folders
	by       map[string]*Command // the only command that writes a name; nil = others do
	built    map[string]bool     // what a compiler makes of them
	runnable map[string]bool     // what is made executable
	parts    []string            // those names of which parts are glob.Unknown
	all, git bool
	loops    bool // there is a loop: what a command writes, it may run the next time
}

// emptying are programs that write files with contents that the command line does not show: they
// remove files, or download them.
var emptying = setOf(
	"mkdir rmdir rm unlink touch chmod chown chgrp tar gtar bsdtar unzip git mktemp")

// wrote returns what s writes.
func (s *Script) wrote() *wrote {
	f := &finder{s: s, anywhere: true}
	out := &wrote{names: map[string]bool{}, made: map[string]bool{}, folders: map[string]bool{},
		by:    map[string]*Command{},
		built: map[string]bool{}, runnable: map[string]bool{}}
	out.loops = s.loops || len(s.functions) > 0
	for i := range s.Redirects {
		r, before, by := &s.Redirects[i], f.out, (*Command)(nil)
		if r.Command >= 0 {
			by = &s.Commands[r.Command]
		}
		f.redirect(r)
		out.add(f.since(before), true, by)
	}
	for i := range s.Commands {
		c, before := &s.Commands[i], f.out
		if !emptying()[programName(c.Name)] {
			f.command(c)
		}
		for _, w := range c.Argv[min(1, len(c.Argv)):] {
			if programName(c.Name) == "chmod" {
				out.runnable[strings.ToLower(path.Base(w))] = true
			}
		}
		way, known := fileWays()[programName(c.Name)]
		out.add(f.since(before), known && way != rewrites && way != likeSed, c)
		if contains(c.Argv, "pkg") && contains(c.Argv, "set") { // of npm
			out.names["package.json"] = true
		}
	}
	out.all = out.all || f.out.UnknownWrites
	out.git = out.git || (len(out.names) > 0 || out.all || slices.ContainsFunc(f.out.Maybe,
		func(m Maybe) bool { return m.Writes })) &&
		anyCommand(s, func(c Command) bool { // its folder, or a file in it
			return c.Name == "git" && contains(c.Argv, "rev-parse") &&
				anyOf(c.Argv, func(w string) bool {
					return strings.HasPrefix(w, "--git-") || w == "--absolute-git-dir"
				})
		})
	for i := range s.Commands {
		out.compiled(s, &s.Commands[i])
	}
	return out
}

// ran reports whether c runs one of the files. A name without a folder counts, because the search
// path may lead to one of them.
func (w *wrote) ran(c *Command) bool {
	if len(w.names) == 0 && !w.all && !w.git {
		return false
	}
	if !w.loops && !w.all && !w.git && c.From < 0 && len(c.Via) == 0 && w.onlyBy(c) {
		return false // they are complete when it has ended
	}
	files := append(c.runs(), c.Name)
	for i, name := range c.Assign { // a variable for the program names one of them
		if settingsFile().MatchString(name) && i < len(c.Values) && (c.Values[i] == nil ||
			w.holds(*c.Values[i]) || w.folders[path.Base(*c.Values[i])]) {
			return true
		}
	}
	if w.all && len(files) > 1 || loads(c, w) {
		return true
	}
	if c.Name == "git" && (w.git || anyOf(c.Argv,
		func(a string) bool { // the folder of its hooks
			key, folder, _ := strings.Cut(a, "=")
			folder = path.Base(strings.Trim(folder, `"'`))
			return strings.EqualFold(key, "core.hooksPath") && (w.folders[folder] ||
				len(w.names) > 0 && strings.Contains(folder, "$")) ||
				setsWorktree().MatchString(key) && len(w.names) > 0 // or settings
		})) {
		return true
	}
	if c.Name == "git" && w.makesPlugin("git-") {
		return true
	}
	for _, sub := range c.Argv[min(1, len(c.Argv)):] {
		if !strings.Contains(sub, "/") {
			files = append(files, c.Name+"-"+sub)
		}
	}
	if w.names["__init__.py"] || w.names["__main__.py"] {
		if name, _, _ := strings.Cut(c.module(), "."); w.folders[name] {
			return true
		}
	}
	if len(c.Argv) > 0 && (w.holds(c.script()) || strings.Contains(c.Argv[0], "/") &&
		w.holds(c.Argv[0])) {
		return true
	}
	known := func(name string) bool { return w.mayHold(name, true) }
	return anyOf(files, known) || w.hasCode(c) || folderRunners()[c.Name] &&
		anyOf(c.Argv[1:], func(a string) bool { return w.folders[path.Base(a)] })
}

// onlyBy reports whether no other command than c writes any of the files.
func (w *wrote) onlyBy(c *Command) bool {
	for name := range w.names {
		if w.by[name] != c {
			return false
		}
	}
	return true
}

// add adds the files among paths that are written. made is false if they are only edited.
func (w *wrote) add(paths []Path, made bool, by *Command) {
	for _, p := range paths {
		name, writes := landsAs(p, by)
		if !writes {
			continue
		}
		w.all = w.all || p.Pattern || name == "." || name == ".." || name == "~"
		if before, is := w.by[name]; !is || before == by {
			w.by[name] = by
		} else {
			w.by[name] = nil
		}
		w.names[name], w.folders[path.Base(path.Dir(p.Name))] = true, true
		if strings.Contains(name, glob.Unknown) {
			w.parts = append(w.parts, name)
		}
		if made {
			w.made[name] = true
		}
		w.git = w.git || strings.Contains(p.Name, ".git/") || name == ".gitconfig" ||
			name == "config" && !strings.HasPrefix(path.Base(path.Dir(p.Name)), ".") ||
			gitHooks()[name]
	}
}

// fakes reports whether one of the files has the name of a program that others run, or is made
// executable.
func (w *wrote) fakes() bool {
	for name := range w.made {
		_, uses := fileWays()[name]
		if uses || w.runnable[name] || Wraps(name) || silentPrograms()[name] ||
			compilers().MatchString(name) || otherCompilers()[name] {
			return true
		}
	}
	return false
}

// settingsFile matches the names of variables that name a file, or a folder, with settings.
var settingsFile = lazyregexp.New(
	`(?i)CONFIG|^GOENV$|_OPTS_FILE$|^LESSKEYIN$|(CARGO|RUSTUP|GRADLE|MAVEN|PULUMI)_.*HOME$|RC$`)

// compiled adds what a compiler makes of the files.
func (w *wrote) compiled(s *Script, c *Command) {
	if len(c.Argv) > 0 && (c.Name == "make" || c.Name == "gmake") { // by its own rules
		for _, target := range c.Argv[1:] {
			target = strings.ToLower(path.Base(target))
			for _, ending := range []string{".c", ".cc", ".cpp", ".s", ".p", ".f", ".sh", ".o"} {
				if w.made[target+ending] {
					w.names[target] = true
				}
			}
		}
	}
	copies := len(w.built) > 0 && contains([]string{"cp", "mv", "ln", "install"}, c.Name)
	if len(c.Argv) == 0 || !copies && !compilers().MatchString(c.Name) &&
		!otherCompilers()[c.Name] && !contains(c.Argv[1:min(2, len(c.Argv))], "build") {
		return
	}
	outputs := []string{"a.out"}
	for i, a := range c.Argv[1:] {
		name := strings.ToLower(path.Base(a))
		base := strings.TrimSuffix(name, path.Ext(name))
		lib := "lib" + strings.TrimPrefix(name, "-l")
		switch {
		case w.made[name] || w.built[name] || c.info[i+1].glob && w.makesOf(name):
			outputs = append(outputs, base, base+".o")
		case w.built[lib+".so"], w.built[lib+".a"], w.built[lib+".dylib"],
			a == "-", a == "/dev/stdin", strings.HasPrefix(a, "<("): // a text
			outputs = append(outputs, "")
		case copies:
			outputs = append(outputs, name)
		}
	}
	if copies && !anyOf(c.Argv[1:],
		func(a string) bool { return w.built[strings.ToLower(path.Base(a))] }) {
		return
	}
	if len(outputs) == 1 {
		return
	}
	f := &finder{s: s}
	f.maybes(c)
	for _, m := range f.out.Maybe {
		if name := strings.ToLower(path.Base(m.Name)); m.Writes {
			outputs = append(outputs, name, strings.TrimSuffix(name, path.Ext(name)))
		}
	}
	for _, name := range outputs {
		if name != "" {
			w.names[name], w.built[name] = true, true
		}
	}
}

// holds reports whether a path may be one of the files, or lies below one.
func (w *wrote) holds(file string) bool { return w.mayHold(file, false) }

// mayHold is holds; if known is set, without the files of whose names nothing is known.
func (w *wrote) mayHold(file string, known bool) bool {
	return anyOf(strings.Split(strings.ToLower(file), "/"), func(part string) bool {
		return w.names[part] || anyOf(w.parts, func(name string) bool {
			i, j := strings.Index(name, glob.Unknown), strings.LastIndex(name, glob.Unknown)
			return part != "" && (i > 0 || part[0] != '.') && strings.HasPrefix(part, name[:i]) &&
				strings.HasSuffix(part, name[j+1:]) && !(known && len(name) == j-i+1)
		})
	})
}

// since returns the paths that were found after before, also those of which parts are unknown.
func (f *finder) since(before Paths) []Path {
	all := slices.Clone(f.out.All[len(before.All):])
	for _, m := range f.out.Maybe[len(before.Maybe):] {
		if m.Made {
			all = append(all, Path{Name: m.Name, Writes: m.Writes})
		}
	}
	return all
}

// makesOf reports whether one of the files that are made matches a pattern of names.
func (w *wrote) makesOf(pattern string) bool {
	for name := range w.made {
		if fits, err := path.Match(pattern, name); fits || err != nil {
			return true
		}
	}
	return false
}

// namesBuilt reports whether the words of c, whose program may load code, name one of the files
// that a compiler makes: a library.
func (w *wrote) namesBuilt(c *Command) bool {
	_, files := fileWays()[programName(c.Name)]
	if len(w.built) == 0 || (files || codeReaders()[c.Name] || compilers().MatchString(c.Name) ||
		otherCompilers()[c.Name]) && !anyOf(c.Argv,
		func(a string) bool { return strings.Contains(a, "plugin") }) {
		return false
	}
	return anyOf(append(c.Argv[min(1, len(c.Argv)):], c.stdinText),
		func(text string) bool {
			return anyOf(strings.FieldsFunc(text, besidePath), func(p string) bool {
				return w.built[strings.ToLower(path.Base(p))]
			})
		})
}

// codeReaders show parts of the files that compilers make.
var codeReaders = setOf("objdump nm readelf size strip file strings echo printf cd")

// makesPlugin reports whether one of the files may be a program whose name begins with prefix.
func (w *wrote) makesPlugin(prefix string) bool {
	for name := range w.names {
		if strings.HasPrefix(name, prefix) && !strings.Contains(name, ".") {
			return true
		}
	}
	return false
}

// codeRunner is a row of the table: programs, the words with which they run code ("" = any), and
// the ends of the names of the files in which it is.
type codeRunner struct{ programs, with, endings string }

// codeRunners are the programs that run code without naming its files.
var codeRunners = sync.OnceValue(func() map[string][]codeRunner {
	out := map[string][]codeRunner{}
	for _, r := range []codeRunner{
		{"go", "run generate test tool", ".go"}, {"cargo", "run r test t bench build b", ".rs"},
		{"dotnet", "run test watch", ".cs .csproj"}, {"swift", "run test", ".swift"},
		{"zig", "run test build", ".zig"}, {"java", "", ".java .jar .class"}, {"nim", "r", ".nim"},
		{"crystal", "run spec", ".cr"}, {"dart flutter", "run test", ".dart"},
		{"mix", "", ".ex .exs"}, {"gradle gradlew", "", ".gradle .kts .java .kt"},
		{"mvn mvnw", "", ".java pom.xml"}, {"ansible-playbook", "", ".yml .yaml"},
		{"jest vitest mocha ava", "", ".js .mjs .cjs .jsx .ts .mts .tsx"}, {"rspec", "", ".rb"},
		{"bun deno", "test", ".js .mjs .cjs .jsx .ts .mts .tsx"},
		{"node nodejs", "--test", ".js .mjs .cjs .jsx .ts .mts .tsx"},
		{"rails", "runner r", ".rb"}, {"python python3", "manage.py ./manage.py", ".py"},
		{"pytest py.test", "", ".py"}, {"cmake ctest", "", ".cmake cmakelists.txt"},
		{"bats", "", ".bats"}, {"prove", "", ".t .pl"}, {"run-parts", "", ""},
		{"bazel buck2", "run test build", "build .bzl .bazel"}, {"sbt", "", ".sbt .scala"},
		{"stack cabal", "run test", ".hs"},
		{"python python3", "unittest pytest nose2", ".py"},
		{"pip pip3 python python3 uv", "install wheel build pip", "setup.py pyproject.toml"},
		{"terraform tofu terragrunt pulumi", "", ".tf .tfvars .hcl .json"},
		{"curl", "", ".curlrc"}, {"wget", "", ".wgetrc"},
		{"vim vi view ex nvim", "", ".vimrc .exrc"}, {"psql", "", ".psqlrc"},
		{"sqlite3", "", ".sqliterc"}, {"gdb", "", ".gdbinit"}, {"tmux", "", ".tmux.conf"},
		{"emacs", "", ".emacs init.el"}, {"irb", "", ".irbrc"}, {"nano", "", ".nanorc"},
	} {
		for name := range strings.FieldsSeq(r.programs) {
			out[name] = append(out[name], r)
		}
	}
	return out
})

// projectCode reports whether c runs code of the project, and how the names of its files end.
func projectCode(c *Command) (endings []string, runs bool) {
	for _, r := range codeRunners()[c.Name] {
		if r.with == "" || anyOf(strings.Fields(r.with),
			func(w string) bool { return contains(c.Argv[1:], w) }) {
			endings, runs = append(endings, strings.Fields(r.endings)...), true
		}
	}
	return endings, runs
}

// hasCode reports whether c runs code that is in one of the files. Files that are only edited do
// not count: tests usually follow an edit.
func (w *wrote) hasCode(c *Command) bool {
	endings, _ := projectCode(c)
	for name := range w.made {
		if anyOf(endings,
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
