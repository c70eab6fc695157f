// This file determines which files git shows as it has recorded them.

package shell

import (
	"slices"
	"strings"
)

// gitShowing are subcommands of git that show or copy what it has recorded: always, with one of
// these words, or, if the first of them is !, unless there is one.
var gitShowing = map[string]string{"show": gitSums, "diff": gitSums, "difftool": gitSums,
	"range-diff": gitSums, "format-patch": "", "log": gitPatch, "reflog": gitPatch,
	"whatchanged": gitPatch, "diff-tree": gitPatch, "diff-index": gitPatch, "diff-files": gitPatch,
	"stash": gitPatch, "add": gitPick + " -e --ed", "stage": gitPick + " -e --ed",
	"checkout": gitPick, "commit": gitPick + " --dry", "reset": gitPick, "restore": gitPick,
	"grep": "", "archive": "", "fast-export": "", "bundle": "create", "worktree": "add",
	"submodule": "add", "cat-file": "!-e -t -s --batch-check",
	"request-pull": "-p", "status": "-v -vv --verbose"}

const (
	// gitSums are flags with which git shows less than a patch, gitPatch the beginnings of those
	// with which it shows one, gitPick those with which it asks about each part of one.
	gitSums = "!--stat --numstat --shortstat --dirstat -X --summary --compact-summary " +
		"--name-only --name-status --raw --no-patch --quiet --check -s"
	gitPatch = "-p -u -U -L -c --pat --unif --cc --word-d --color-w --bin --dd --remerge " +
		"--diff-m --ext-d --no-q --no-st --no-n"
	gitPick = "-p -i --pat --int"
)

// gitTells reports whether a subcommand of git shows or copies the contents of files.
func gitTells(o *operands) bool {
	with, ok := gitShowing[o.a.sub]
	with, unless := strings.CutPrefix(with, "!")
	has := func(flags string) bool {
		return anyOf(strings.Fields(flags), func(flag string) bool {
			return anyOf(o.c.Argv[min(o.a.first, len(o.c.Argv)):],
				func(w string) bool {
					return w == flag || len(flag) > 2 && strings.HasPrefix(w, flag+"=") ||
						flags != with && strings.HasPrefix(w, flag)
				})
		})
	}
	switch {
	case !ok || o.a.has(o.c, "no-index") == yes:
		return false
	case o.a.sub == "commit" && setInLine(o.f.s, "EDITOR", "core.editor") && (has("-v --verb") ||
		o.a.has(o.c, "v") != no || strings.Contains(o.c.Text, "commit.verbose")):
		return true // to the editor
	case unless && "!"+with == gitSums:
		return !has(with) || has(gitPatch)
	case unless:
		return !has(with)
	case with == gitPatch || strings.HasPrefix(with, gitPick):
		with = "" // so that beginnings count
		return has(gitShowing[o.a.sub])
	}
	return with == "" || has(with)
}

// gitRecorded adds the files that git has recorded and that it shows or copies: those that its
// words name, such as HEAD:x, or all.
func gitRecorded(o *operands, words []int) {
	moved := gitElsewhere(o)
	if moved == "-C" {
		moved = ""
	}
	alias := o.a.sub != "" && !gitWords()[o.a.sub] // which may show anything
	if (!gitPlaces()[o.a.sub] || moved == "") && !gitTells(o) && !alias {
		return
	}
	r := recorded(o, words)
	switch {
	case !r.all:
	case o.a.sub == "grep" || o.a.sub == "archive":
		r.names = append(r.names, ".")
	default:
		r.names = append(r.names, "/")
	}
	if moved != "" && r.all {
		o.f.unknown(false, MovedGit, moved)
	}
	for _, name := range r.names {
		one := Maybe{Name: ".", By: o.f.by, Recorded: name}
		if ending, is := strings.CutPrefix(name, "*"); is && !strings.ContainsAny(ending, `*?[\/`) {
			one.Recorded, one.Only = ".", name
		}
		if name == "/" || name == "." {
			one.Files = strings.Join(r.files, "\n")
		}
		o.f.addMaybe(o.c.in, one)
	}
}

// recordedWords are the words of a command of git that say which of the recorded files are meant.
type recordedWords struct {
	names []string // paths, as of Maybe.Recorded, in a revision, as in HEAD:x, or after --
	files []string // what may be files, too: those that exist are
	all   bool     // all files of some revision are meant, or those of files that exist
}

// gitSelects are subcommands of git that show only the files that they are told after --, and
// gitFiles those of them that take files before it.
var (
	gitSelects = setOf("show diff difftool log whatchanged diff-index diff-files diff-tree grep " +
		"format-patch reflog add stage checkout commit reset restore")
	gitFiles = setOf("show diff difftool log grep")
	// gitPlaces are subcommands that write what is recorded into the work tree, which may be
	// another folder.
	gitPlaces = setOf("checkout restore reset switch stash read-tree merge pull rebase " +
		"cherry-pick revert checkout-index")
	// gitPlain are flags of theirs without a value.
	gitPlain = setOf("-p -u -w -b -n -i -l --patch --stat --cached --staged --oneline --no-color " +
		"--exit-code --numstat --no-renames --no-ext-diff --follow --graph")
)

func recorded(o *operands, words []int) (r recordedWords) {
	sub, over := o.a.sub, slices.Index(o.c.Argv, "--")
	switch {
	case !gitSelects()[sub] && sub != "cat-file", gitPlaces()[sub] && over < 0:
		return recordedWords{all: true}
	case sub == "add" || sub == "stage":
		over = 0 // only files follow
	case sub == "grep" && over < 0 && len(words) > 0: // the first is what it searches for
		words, r.all = words[1:], true
	}
	for _, i := range words {
		before, all := o.c.Argv[i-1], o.c.may(i)
		switch past := over >= 0 && i > over; {
		case past && !o.c.Static[i]:
			return recordedWords{all: true}
		case len(all) == 0, strings.HasPrefix(before, "-") && !past && sub != "cat-file" &&
			!gitPlain()[before]:
			r.all = true // it may be the value of a flag
			continue
		case past:
			w := o.c.Argv[i]
			if Pattern(w) && w[0] != '*' || strings.HasPrefix(w, ":") {
				return recordedWords{all: true}
			}
			r.names = append(r.names, o.c.info[i].home(w))
			continue
		}
		for _, w := range all {
			r.addWord(w, sub)
		}
	}
	r.all = over < 0 && r.all || len(r.names) == 0 || strings.Contains(o.c.Text, "icase") ||
		setInLine(o.f.s, "GIT_ICASE_PATHSPECS")
	return r
}

// addWord adds a word that stands before --: a revision, HEAD:x, or a file.
func (r *recordedWords) addWord(w, sub string) {
	revision, name, has := strings.Cut(w, ":")
	switch {
	case sub == "cat-file" && contains([]string{"blob", "tree", "commit"}, w):
	case !has, sub == "grep", strings.ContainsAny(revision, "{^!"),
		revision == "" && strings.Trim(name, "/(!^") != name:
		if r.all = true; gitFiles()[sub] {
			r.files = append(r.files, w)
		}
		if at := strings.LastIndexByte(w, ':'); at > 0 && sub != "grep" { // stash@{0}^3:x
			r.names = append(r.names, "/"+w[at+1:])
		}
	default:
		if revision == "" && len(name) > 1 && name[1] == ':' { // :0:x
			name = name[2:]
		}
		if !strings.HasPrefix(name, "./") && !strings.HasPrefix(name, "../") {
			name = "/" + name
		}
		r.names = append(r.names, name)
	}
}
