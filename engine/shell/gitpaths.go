// This file determines which files git changes: those that its words name, and whether it changes
// others in the working tree.

package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// gitUnnamed are subcommands of git that change files that they do not name.
var gitUnnamed = setOf("am apply checkout-index cherry-pick filter-branch merge " +
	"merge-index mergetool pull read-tree rebase revert sparse-checkout submodule subtree")

// git adds what git writes below the folder where it runs.
func (o *operands) git() {
	at := *o.c
	at.in = gitPlace(o.c, o.a)
	o.c = &at
	if o.a.sub != "" {
		o.f.by = "git " + o.a.sub
	}
	o.gitOutput()
	o.gitReads()
	gitSettings(o)
	var words []int // after the first word
	for _, i := range o.all {
		if i >= o.a.first {
			words = append(words, i)
		}
	}
	gitRecorded(o, words)
	verb := ""
	if len(words) > 0 {
		verb = o.c.Argv[words[0]]
	}
	switch sub := o.a.sub; sub {
	case "checkout", "restore", "rm", "clean", "reset":
		o.gitTree(words)
	case "mv":
		gitMoves(o, words)
	case "switch":
		if len(words) > 0 || o.a.has(o.c, "orphan") != no {
			o.gitWrites(workTree, "")
		}
	case "stash":
		if !contains([]string{"list", "show", "drop", "clear", "create", "store"}, verb) {
			gitStashes(o)
		}
	case "bisect":
		if !contains([]string{"log", "terms", "view", "visualize"}, verb) {
			o.gitWrites(workTree, "")
		}
	case "clone":
		o.gitClone(words)
	case "init":
		o.each(words, true, false)
	case "grep":
		gitGrep(o, words)
	case "add", "stage":
		o.gitAdd(words)
	case "diff":
		o.each(words, false, o.a.has(o.c, "no-index") != no)
	case "hash-object", "blame", "annotate":
		o.each(words, false, false)
	case "bundle":
		o.each(words[min(1, len(words)):min(2, len(words))], verb == "create", false)
	case "config":
		o.gitConfig(verb, len(words))
	case "worktree":
		if verb == "add" {
			o.each(words[1:min(2, len(words))], true, false)
		}
	default:
		o.gitChanges(sub, verb)
	}
	for _, i := range words {
		if !gitKnown()[o.a.sub] && !isText(o.c, o.a, i) {
			o.f.maybe(o.c, i, Maybe{By: "git " + o.a.sub, Writes: true})
		}
	}
}

// gitStashes adds what git stash writes and keeps.
func gitStashes(o *operands) {
	o.gitWrites(workTree, "")
	if o.a.has(o.c, "a") != no || o.a.has(o.c, "all") != no || changesIgnored(o.f) &&
		(o.a.has(o.c, "u") != no || o.a.has(o.c, "include-untracked") != no) {
		// what git ignores, too
		o.f.addPath(o.c.in, Path{Name: ".", Below: true})
	}
}

// gitMoves adds what git mv moves, as mv does.
func gitMoves(o *operands, words []int) {
	if by := gitElsewhere(o); by != "" {
		o.f.unknownWrites(MovedGit, by)
	}
	o.all = words
	o.copies(true, true)
}

// gitSettings adds the values of settings of git, which may be files that it reads or writes.
func gitSettings(o *operands) {
	if o.a.sub == "" && o.a.unsure {
		o.f.unknown(true, dynamicWord, o.c.Text)
	}
	for i := 1; i < len(o.c.Argv); i++ {
		if before := i < o.a.first; before && o.c.Argv[i-1] == "-c" || !before &&
			o.a.sub == "config" {
			m := Maybe{By: "git", Writes: true}
			o.f.maybe(o.c, i, m)
			all := o.c.may(i)
			if all == nil {
				all = []string{strings.NewReplacer("$HOME/", "~/", "${HOME}/", "~/").
					Replace(o.c.Argv[i])}
			}
			for _, text := range all {
				if _, value, sets := strings.Cut(text, "="); sets {
					text = value
				}
				o.f.mentions(o.c, text, m)
			}
		}
	}
}

// gitGrep adds what git grep reads: files that git does not know, too, if a flag says so.
func gitGrep(o *operands, words []int) {
	words = words[min(1, len(words)):]
	switch {
	case o.a.has(o.c, "no-index") != no || o.a.has(o.c, "untracked") != no:
		o.each(words, false, true)
		o.f.addPath(o.c.in, Path{Name: ".", Below: true})
	case o.a.has(o.c, "cached") == no: // otherwise it reads what is staged
		o.each(words, false, false)
	}
}

// gitChanges adds what a subcommand writes that names no files.
func (o *operands) gitChanges(sub, verb string) {
	switch {
	case sub == "filter-branch" || sub == "mergetool", gitUnnamed()[sub] &&
		(o.a.has(o.c, "prefix") != no ||
			o.a.has(o.c, "unsafe-paths") != no): // also outside of the work tree
		o.f.unknown(true, ownNames, "")
	case gitUnnamed()[sub] && !contains(gitShows[sub], verb) &&
		(sub != "apply" || !o.gitChecks()):
		o.gitWrites(workTree, "")
	}
}

// gitShows are words after which such a subcommand only shows something.
var gitShows = map[string][]string{"submodule": {"status", "summary"}, "sparse-checkout": {"list"}}

// gitChecks reports whether git apply only examines a patch.
func (o *operands) gitChecks() bool {
	return anyOf(o.c.Argv, func(w string) bool {
		return contains([]string{"--check", "--stat", "--numstat", "--summary"}, w)
	}) && !contains(o.c.Argv, "--apply")
}

// gitKnown are subcommands of git whose words are names and revisions, or whose files are found
// above.
var gitKnown = setOf("add annotate bisect blame branch bundle cat-file check-attr check-ignore " +
	"check-mailmap check-ref-format checkout cherry cherry-pick clean clone commit config " +
	"count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref fsck gc grep " +
	"hash-object help init lfs log ls-files ls-remote ls-tree maintenance merge merge-base mv " +
	"name-rev notes prune pull push range-diff rebase reflog remote reset restore rev-list " +
	"rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash status " +
	"submodule switch symbolic-ref tag update-ref var version whatchanged worktree")

// gitFileFlags are the flags of subcommands of git that are followed by the name of a file that is
// read.
var gitFileFlags = map[string]string{"commit": "-F --file -t --template", "tag": "-F --file",
	"notes": "-F --file", "merge": "-F --file", "blame": "--contents --ignore-revs-file",
	"ls-files": "-X --exclude-from", "archive": "--add-file", "format-patch": "--signature-file"}

// gitReads adds the files that flags name, for all subcommands those with a list of paths.
func (o *operands) gitReads() {
	flags := strings.Fields(gitFileFlags[o.a.sub] + " --pathspec-from-file")
	for i := o.a.first; i < len(o.c.Argv); i++ {
		for _, flag := range flags {
			w, value, has := strings.Cut(o.c.Argv[i], "=")
			short := len(w) > len("--x") && strings.HasPrefix(w, "--") && strings.HasPrefix(flag, w)
			switch {
			case has && short && w != flag: // --fil=x
				o.text(value, false)
			case has || i+1 == len(o.c.Argv):
			case w == flag, short, flag[1] != '-' && spells(w, flag) &&
				strings.HasSuffix(w, flag[1:]):
				o.one(i+1, false, false)
			}
		}
	}
}

// gitAdd adds what git add reads. With -f it adds files that git ignores, too.
func (o *operands) gitAdd(words []int) {
	force := o.a.has(o.c, "f") != no || o.a.has(o.c, "force") != no || changesIgnored(o.f)
	if o.each(words, false, force); !force {
		return
	}
	if len(words) == 0 {
		o.f.addPath(o.c.in, Path{Name: ".", Below: true})
	}
	for _, i := range words { // git interprets it in its own way
		if w := o.c.Argv[i]; strings.HasPrefix(w, ":") || Pattern(w) && !o.c.info[i].glob {
			o.f.unknown(false, dynamicWord, w)
		}
	}
}

// gitPlace returns the directory where git runs: -C changes it.
func gitPlace(c *Command, a *args) *place {
	in := c.in
	for i := 1; i+1 < a.first && i+1 < len(c.Argv) && in != nil; i++ {
		if c.Argv[i] == "-C" {
			i++
			in = enter(c, in, i)
		}
	}
	return in
}

// gitWrites records that git may write any file of its work tree. It writes through no link.
func (o *operands) gitWrites(why Cause, word string) {
	if by := gitElsewhere(o); by != "" {
		o.f.unknownWrites(MovedGit, by)
	} else if o.c.in.lost {
		o.f.unknownWrites(folder, o.c.in.by)
	}
	o.f.doubt(Doubt{Cause: why, Word: word, By: o.f.by})
	o.f.addMaybe(o.c.in, Maybe{Name: "./", By: o.f.by, Writes: true, Tree: true})
}

// gitConfig adds the configuration file that a git command changes. n is the number of words; verb
// is the first of them.
func (o *operands) gitConfig(verb string, n int) {
	asks := func(flag string) bool { return o.a.has(o.c, flag) != no }
	writes := !asks("get") && !asks("get-all") && !asks("get-regexp") && !asks("list") &&
		verb != "get" && verb != "list" && (n > 1 || asks("unset") || asks("edit"))
	for i := o.a.first; i < len(o.c.Argv); i++ {
		name, value, has := strings.Cut(o.c.Argv[i], "=")
		switch {
		case name == "--global" && writes:
			o.text("~/.gitconfig", true)
		case name == "--file" && has && o.c.Static[i]:
			o.text(value, writes)
		case (name == "--file" || name == "-f") && i+1 < len(o.c.Argv):
			o.one(i+1, writes, false)
		}
	}
}

// gitTree adds the files that git is told to change by name, or all files that it may discard.
func (o *operands) gitTree(words []int) {
	switch by := gitElsewhere(o); {
	case by != "":
		o.f.unknownWrites(MovedGit, by)
		return
	case o.a.sub == "reset":
		if o.a.has(o.c, "hard") != no || o.a.has(o.c, "merge") != no || o.a.has(o.c, "keep") != no {
			o.gitWrites(workTree, "") // above this folder as well
			o.f.addPath(o.c.in, Path{Name: ".", Writes: true, Below: true})
		}
		return
	case o.a.sub == "clean" && len(words) == 0:
		o.f.addPath(o.c.in, Path{Name: ".", Writes: true, Below: true})
	case o.a.sub == "checkout" && o.gitBranch(words):
		o.gitWrites(workTree, "")
	case o.a.has(o.c, "pathspec-from-file") == yes:
		o.gitWrites(listedInFile, "")
	}
	for _, i := range words {
		// git interprets it in its own way
		if w := o.c.Argv[i]; strings.HasPrefix(w, ":") || Pattern(w) && !o.c.info[i].glob {
			o.gitWrites(matched, w)
		}
	}
	o.each(slices.DeleteFunc(words, func(i int) bool { return isText(o.c, o.a, i) }), true, true)
}

// gitBranch reports whether the operand of git checkout may be a branch: a single word that may be
// a branch name, without files after it.
func (o *operands) gitBranch(words []int) bool {
	over := slices.Index(o.c.Argv, "--")
	switch {
	case len(words) == 0:
		return o.a.has(o.c, "patch") != no || o.a.has(o.c, "force") != no
	case len(words) > 1:
		return false
	case over < 0:
		return !strings.HasPrefix(o.c.Argv[words[0]], ".")
	}
	return over > words[0]
}

// movesGit returns what may tell the git commands of a command line to work in another folder, or
// with another repository: a variable or a command; "" = nothing does.
func movesGit(all []Command) string {
	for i := range all {
		c := &all[i]
		for _, name := range c.Assign {
			if contains(movingGit(), name) || strings.HasPrefix(name, "GIT_CONFIG") {
				return name
			}
		}
		text := strings.ToLower(c.Text + " " + strings.Join(c.Argv, " "))
		if anyOf(movingGit(), func(name string) bool {
			return strings.Contains(text, strings.ToLower(name))
		}) || strings.Contains(text, "git_config") || strings.Contains(text, "worktree") &&
			strings.Contains(text, "config") {
			return c.Text
		}
	}
	return ""
}

// movingGit are variables that tell git where to work.
var movingGit = listOf("GIT_WORK_TREE GIT_DIR GIT_COMMON_DIR " +
	"GIT_INDEX_FILE GIT_NAMESPACE GIT_OBJECT_DIRECTORY")

// setsWorktree matches settings that name the folder in which git works, or a file with such ones.
var setsWorktree = lazyregexp.New(`(?i)core\.worktree|include(if\..*)?\.path`)

// gitElsewhere returns what may tell git to work in another folder: a flag of c, or a part of the
// command line that movesGit returns; "" = nothing does.
func gitElsewhere(o *operands) string {
	for _, w := range o.c.Argv[1:max(1, o.a.first)] {
		if w == "-C" || strings.HasPrefix(w, "--work-tree") || strings.HasPrefix(w, "--git-dir") ||
			setsWorktree().MatchString(w) {
			return w
		}
	}
	if o.f.moves == nil {
		by := movesGit(o.f.s.Commands)
		o.f.moves = &by
	}
	return *o.f.moves
}

// gitClone adds the folder that a clone creates.
func (o *operands) gitClone(words []int) {
	if len(words) > 0 { // of a folder of this machine
		from := WithoutScheme(o.c.Argv[words[0]])
		if !o.c.Static[words[0]] { // it may be this one
			from = "."
		}
		if !strings.Contains(from, ":") {
			for _, dir := range []string{".", o.c.info[words[0]].home(from)} {
				o.f.addMaybe(o.c.in, Maybe{Name: dir, By: o.f.by, Recorded: "/"})
			}
		}
	}
	switch {
	case len(words) == 0:
	case len(words) > 1:
		o.one(words[1], true, false)
	case o.c.Static[words[0]]:
		o.text(strings.TrimSuffix(path.Base(o.c.Argv[words[0]]), ".git"), true)
	default:
		o.f.unknown(true, dynamicWord, o.c.Argv[words[0]])
	}
}

// gitOutput adds the files that show, diff, archive and the like write to.
func (o *operands) gitOutput() {
	short := o.a.sub == "archive" || o.a.sub == "format-patch"
	for i := o.a.first; i < len(o.c.Argv) && o.c.Argv[i] != "--"; i++ {
		name, value, has := strings.Cut(o.c.Argv[i], "=")
		if name != "--output" && name != "--output-directory" && (name != "-o" || !short) {
			continue
		}
		switch {
		case has && o.c.Static[i]:
			o.text(value, true)
		case has:
			o.f.unknown(true, dynamicWord, o.c.Argv[i])
		case i+1 < len(o.c.Argv):
			o.one(i+1, true, false)
		}
	}
}
