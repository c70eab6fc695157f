// This file determines which files a command line reads and writes, according to its words.

package shell

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/glob"
	"github.com/agentscripts/agent/engine/lazyregexp"
)

// Path is a path that a command line names. It is relative to the directory in which the line runs,
// or begins with / or ~.
type Path struct {
	Name    string
	Word    string // the word that names it: as written, or, if that is known, its text
	By      string // the program that gets it
	Writes  bool
	Fills   bool // the command line decides what the file contains, or where it comes from
	Below   bool // also everything below it
	Pattern bool // Name is a pattern of file names

	// Only is a pattern of path.Match: with Below, only files whose base name matches it are meant.
	// "" = all.
	Only string
	// Files: with Only, folders are not meant.
	Files bool
	// Split: with Only, the names are split at white space, and name others if they contain any.
	Split bool

	// Filter holds patterns, separated by line ends: with Below, only the files whose base names
	// they keep are meant, by glob.Kept. "" = all.
	Filter string

	// Tracked: with Below, only files that git tracks are meant. FromRoot: their names are relative
	// to the root of the work tree. Both are split as those of Split.
	Tracked, FromRoot bool

	// From is the source of a copy or move to Name, or into Name if that is a folder; "" means that
	// there is none. With Below, everything below From is copied or moved too. FromPattern reports
	// that From is a pattern.
	From        string
	FromPattern bool

	// Link is a link to Name that the command makes, or to what the pattern Name matches; "" =
	// none.
	Link string
}

// Paths are the paths that a command line names.
type Paths struct {
	All []Path
	// Maybe are the possible paths that are passed to programs whose use of them is unknown.
	Maybe []Maybe
	// UnknownReads and UnknownWrites report that there may be other paths. A program that is merely
	// unknown does not set them: the paths among its words are in Maybe.
	UnknownReads, UnknownWrites bool
	// Doubts say why there may be other paths: at most maxDoubts reasons.
	Doubts []Doubt
	// Program is the first program that runs arbitrary code, such as sh, make or an unknown one: it
	// may write files that its words do not name. "" = there is none.
	Program string
}

// how describes how programs use their words.
type how int

const (
	reads how = iota
	lists     // only names, sizes and times are shown
	writes
	toLast     // all are read, the last one is written
	moves      // all are written
	behindOne  // the first is no path, the others are read
	changes    // the first is no path, the others are written
	rewrites   // all are written, and what they become
	likeSed    // the first is a program, the others are read, or written with -i
	likeDD     // if= and of=
	likeCurl   // -o, -O, -T
	likeFind   // what stands before the first flag
	likeFd     // nothing, or what it finds
	likeTar    // by its letters
	likeZip    // the first is written, the others are read
	likeGit    // by its first word
	likeMktemp // the last letters are random
	likeFlock  // the first is written, the others are a command
	likeTime   // -o, and a command
	anyWrites  // the written files are named in a file, or by the program itself
	otherPlace // on another machine, or in a container or chroot
)

// files lists programs by how they use their words.
var files = map[how]string{
	reads: "cat head tail less more sort shuf uniq diff cmp comm join paste md5sum sha1sum " +
		"sha256sum sha512sum cksum b2sum file od xxd hexdump strings nl cut tac rev " +
		"bat batcat base64 zcat bzcat xzcat " +
		"cloc sum column fold expand fmt pr iconv source . zless zgrep",
	lists: "ls dir stat du tree wc readlink realpath",
	writes: "rm rmdir unlink shred touch mkdir truncate tee mkfifo mknod sponge srm trash " +
		"trash-put wipe chattr setfacl",
	toLast: "cp ln install link symlink ditto rsync scp",
	moves:  "mv rename",
	behindOne: "grep egrep fgrep rgrep pcregrep pcre2grep ugrep rg ag ack jq yq awk gawk mawk " +
		"nawk look zgrep",
	changes: "chmod chown chgrp",
	rewrites: "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 compress uncompress dos2unix " +
		"unix2dos gofmt goimports prettier black isort",
	likeSed:  "sed gsed",
	likeDD:   "dd",
	likeCurl: "curl wget",
	likeFind: "find",
	likeFd:   "fd fdfind",
	likeTar:  "tar gtar bsdtar",
	likeZip:  "zip",
	likeGit:  "git",
	anyWrites: "patch unzip 7z cpio ar pax jar rsnapshot split csplit " +
		"unrar unar unsquashfs cabextract bsdunzip 7za 7zr 7zz mmv mcp mln mad",
	likeMktemp: "mktemp",
	likeFlock:  "flock",
	likeTime:   "time strace ltrace",
	otherPlace: "ssh chroot arch-chroot schroot nsenter bwrap systemd-nspawn",
}

// fileWays maps the programs of files to how they use their words.
var fileWays = sync.OnceValue(func() map[string]how {
	out := map[string]how{}
	for way, names := range files {
		for name := range strings.FieldsSeq(names) {
			out[name] = way
		}
	}
	return out
})

// finder collects paths.
type finder struct {
	// the command being examined leaves the contents of files as they are, or removes them
	empties bool
	// files of other machines count, too: a file that is written there may be run there
	anywhere bool
	s        *Script
	out      Paths
	by       string            // the program whose words are examined
	written  map[string]string // see writtenTexts
	wrote    func() *wrote     // nil: commands in words are not followed
	at       int               // where the command or redirection stands: its Pos
	from     map[string]bool   // see passesOn
	computes *bool             // a text of the line puts a name of a file together; nil = as moves
	moves    *string           // what movesGit returns for the line; nil = not known yet
	unpacks  int               // where the line unpacks files for the first time; -1 = nowhere
}

// Paths returns the paths that the command line names.
func (s *Script) Paths() *Paths {
	f := &finder{s: s, written: s.writtenTexts(), wrote: sync.OnceValue(s.wrote),
		unpacks: unpackPlace(s)}
	f.whole()
	f.by = redirection
	for i := range s.Redirects {
		f.at = s.Redirects[i].Pos
		f.redirect(&s.Redirects[i])
	}
	for i := range s.Commands {
		f.by, f.at = s.Commands[i].Name, s.Commands[i].Pos
		f.command(&s.Commands[i])
	}
	f.namedBefore()
	return &f.out
}

func (f *finder) redirect(r *Redirect) {
	switch {
	case strings.HasPrefix(r.Text, ">(") || strings.HasPrefix(r.Text, "<("):
		return
	case f.elsewhere(r.via):
		return
	case r.Path == "" && r.info.values != nil:
		for _, name := range r.info.values {
			f.made(r.in, r.info, name, r.Writes)
			one := Path{Name: name, Word: r.Text, Writes: r.Writes, Pattern: Pattern(name)}
			f.addPath(r.in, one)
			if one.Writes = false; r.Op == "<>" {
				f.addPath(r.in, one)
			}
		}
		return
	case r.Path == "" && len(r.info.found) > 0 && r.Op == "<":
		for _, one := range r.info.found {
			f.addPath(r.in, one)
		}
		return
	case r.Path == "" && r.info.shapes != nil:
		f.addShapes(r.in, r.info.shapes, Maybe{By: redirection, Writes: r.Writes},
			true)
		return
	case r.Path == "":
		f.unknown(r.Writes, dynamicWord, r.Text)
		if at := strings.LastIndexByte(r.info.prefix, '/'); at >= 0 {
			f.addMaybe(r.in, Maybe{Name: r.info.home(r.info.prefix[:at+1]), By: redirection,
				Writes: r.Writes, Folder: true})
		}
		return
	}
	name := r.info.home(r.Path)
	f.addPath(r.in, Path{Name: name, Writes: r.Writes, Pattern: r.info.glob})
	if r.Op == "<>" {
		f.addPath(r.in, Path{Name: name})
	}
}

// elsewhere reports whether a command runs where it does not see the files of this machine.
func (f *finder) elsewhere(via []string) bool {
	if f.anywhere {
		return false
	}
	if anyOf(via, func(name string) bool {
		return fileWays()[name] == otherPlace
	}) {
		if !contains(via, "ssh") || toItself(f.s.Commands) {
			f.unknown(true, elsewhere, "")
		}
		return true
	}
	return false
}

// made records names that are derived from those that a pattern matches: "$f.bak".
func (f *finder) made(in *place, w word, name string, writes bool) {
	switch {
	case !w.made || !Pattern(name):
	case w.appends && usesOnce(f.s) && !strings.ContainsAny(name, "?[\\"):
		f.addMaybe(in, Maybe{Name: w.home(strings.ReplaceAll(name, "*", glob.Unknown)), By: f.by,
			Writes: writes, Made: true, Near: !strings.Contains(path.Dir(name), "*")})
	default:
		f.unknown(writes, matched, name)
	}
}

// ignored reports whether a name is not that of a file.
func ignored(name string) bool {
	return contains([]string{"", "-", "/dev/null", "/dev/stdin", "/dev/stdout",
		"/dev/stderr", "/dev/tty"}, name) || openFile().MatchString(name)
}

// openFile matches the names of files that the process has open.
var openFile = lazyregexp.New(`^/(dev|proc/self)/fd/[0-9]+$`)

// opensAgain reports whether the system opens a file for writing by the name of one that may have
// been opened for reading: all except the standard output and the terminal.
func opensAgain(name string) bool {
	return name == "/dev/stdin" || openFile().MatchString(name) && !strings.HasSuffix(name, "/1") &&
		!strings.HasSuffix(name, "/2")
}

// keepsLink reports whether a program changes a link, not what it leads to.
func keepsLink(program string) bool {
	return contains([]string{"rm", "rmdir", "unlink", "mkdir", "mv"}, program)
}

// addPath adds a path, relative to each directory in which its command may run.
func (f *finder) addPath(in *place, p Path) {
	if ignored(p.Name) {
		if p.Writes && opensAgain(p.Name) {
			f.unknown(true, dynamicWord, p.Name)
		}
		return
	}
	if p.Writes && f.unpacks >= 0 && f.at > f.unpacks && !rooted(p.Name) &&
		(strings.Contains(p.Name, "/") || !keepsLink(f.by)) {
		f.unknown(true, unpacked, p.Name)
	}
	p.By = f.by
	if p.Word == "" {
		p.Word = p.Name
	}
	p.Fills = p.Writes && !f.empties
	for _, name := range []*string{&p.Name, &p.From, &p.Link} {
		switch user, rest, _ := strings.Cut(*name, "/"); user {
		case "~+":
			*name = "./" + rest
		default:
			// of another user, or the previous directory
			if strings.HasPrefix(user, "~") && user != "~" {
				f.unknown(p.Writes, userHome, user)
				return
			}
		}
	}
	// it does not depend on the directory
	if rooted(p.Name) && (p.From == "" || rooted(p.From)) && (p.Link == "" || rooted(p.Link)) {
		f.out.All = append(f.out.All, p)
		return
	}
	for _, dir := range in.now {
		if (p.Pattern || p.FromPattern) && Pattern(dir) {
			f.unknown(p.Writes, matched, p.Word)
		}
		one := p
		if one.Name = within(dir, p.Name); p.From != "" {
			one.From = within(dir, p.From)
		}
		if p.Link != "" {
			one.Link = within(dir, p.Link)
		}
		f.out.All = append(f.out.All, one)
	}
	if in.lost {
		f.unknown(p.Writes, folder, in.by)
	}
}

// movesCommand reports whether a word of env or sudo makes a command work in another folder.
func movesCommand(w string) bool {
	return anyOf([]string{"-C", "-D", "--ch", "HOME=", "CDPATH="},
		func(begin string) bool { return strings.HasPrefix(w, begin) })
}

func (f *finder) command(c *Command) {
	f.empties = emptying()[programName(c.Name)]
	// cd has another target
	if contains(c.Assign, "CDPATH") || contains(c.Assign, "HOME") ||
		(c.Name == "env" || c.Name == "sudo") && anyOf(ownWords(c), movesCommand) {
		f.unknown(true, folder, c.Text)
	}
	name := programName(c.Name)
	if f.variables(c); len(c.Argv) == 0 || silentPrograms()[name] && contains(c.Via, "ssh") &&
		!(fileReaders()[name] && (len(c.Argv) > 1 || c.Open)) || f.elsewhere(c.Via) {
		return
	}
	a := c.sorted()
	way, ok := fileWays()[a.program]
	if f.out.Program == "" && runsCode(c, a, way) {
		f.out.Program = c.Name
	}
	if f.code(c) {
		return
	}
	f.texts(c, way, ok)
	f.carried(c)
	f.settles(c)
	if c = f.replaced(c); !ok {
		f.unknownProgram(c)
		return
	}
	o := &operands{f: f, c: c, a: a, all: a.operands}
	switch {
	case way == lists:
		o.walk(way)
		return
	case c.Name == "ssh":
		f.sshFiles(c)
		return
	}
	// the words of git branch are no files
	if c.Open && way != likeFind && !piped(o, way) && !getsRevision(f.s, c) &&
		(way != likeGit || a.sub != "branch") {
		f.unknown(way != reads && way != behindOne || flagWriters()[a.program], added, "")
	}
	f.listedBy(c, way)
	f.mayGetFlags(o)
	known := !f.out.UnknownWrites
	o.walk(way)
	unpacks := known && f.out.UnknownWrites && (way == likeTar || way == anyWrites)
	if unpacks {
		f.addMaybe(c.in, Maybe{Name: "./", By: c.Name, Writes: true, Folder: true})
	}
	for i := 1; i < len(c.Argv); i++ {
		// the file is unknown, but the folder may be known: home/$name
		open := !c.Static[i] && c.info[i].values == nil && !c.info[i].listed()
		if open && isText(c, a, i) {
			continue
		}
		flag := strings.HasPrefix(c.Argv[i], "-") && len(c.Argv[i]) > 1 ||
			open && (strings.HasPrefix(c.info[i].prefix, "-") ||
				flagWriters()[a.program] && isFlagIfEmpty(c.Argv[i]))
		if open && flag { // --output=$x
			f.unknown(true, dynamicWord, c.Argv[i])
		}
		if open || unpacks || flag && !listed(c.Argv[i]) || a.set.beforeFile(c.Argv[i-1]) {
			f.maybe(c, i, Maybe{By: c.Name, Folder: unpacks, Value: unpacks,
				Writes: way != reads && way != behindOne || open && flagWriters()[a.program]})
		}
	}
}

// beforeFile reports whether a word is a long flag whose value, the next word, is the name of a
// file: diff --from-file.
func (f *flagSet) beforeFile(w string) bool {
	name, long := strings.CutPrefix(w, "--")
	return long && anyOf(f.resolveFlag(name), func(one string) bool {
		return f.valued[one] && (strings.Contains(one, "file") || strings.Contains(one, "from"))
	})
}

// isFlagIfEmpty reports whether a word that begins with expansions is a flag if they are empty:
// $x-ofile.
func isFlagIfEmpty(word string) bool {
	word = strings.NewReplacer(`"`, "", `'`, "", `\`, "").Replace(word)
	rest := word
	for {
		switch {
		case strings.HasPrefix(rest, "$(") || strings.HasPrefix(rest, "`"):
			end := strings.LastIndexAny(rest, ")`") + 1
			if end == 0 {
				return true
			}
			rest = rest[end:]
		case strings.HasPrefix(rest, "${"):
			_, after, closed := strings.Cut(rest, "}")
			if !closed {
				return true // what it is cannot be told
			}
			rest = after
		case strings.HasPrefix(rest, "$"):
			rest = strings.TrimLeft(rest[1:], letters+"_")
		default:
			return rest != word && strings.HasPrefix(rest, "-")
		}
	}
}

// listedBy adds a doubt about words that are a list of files, or a program.
func (f *finder) listedBy(c *Command, way how) {
	for i, w := range c.info {
		if w.pipe && way != reads && way != behindOne && way != likeSed {
			f.unknown(false, dynamicWord, c.Argv[i])
		}
	}
}

// flagWriters are programs that read their operands, and write files that flags name.
var flagWriters = setOf("sort shuf iconv sed gsed yq uniq xxd less")

// mayGetFlags adds a doubt if a word that the line computes may be a flag because of which the
// program does something else: it writes files, or reads those below folders.
func (f *finder) mayGetFlags(o *operands) {
	if _, _, listed := fromList(f.s, o.c); o.c.Open && flagWriters()[o.a.program] && !listed {
		f.mayWriteWords(o.c)
	}
	for i, w := range o.c.info {
		text := o.c.Argv[i]
		switch {
		case i == 0 || o.c.may(i) != nil && !w.glob || !w.mayFlag(text), w.listed():
		case w.glob && namesFlag(f.s):
			f.unknown(true, matched, text)
			f.mayWriteWords(o.c)
		case !w.glob && flagWriters()[o.a.program] && f.s.derived(w):
			f.unknown(true, dynamicWord, text)
			f.mayWriteWords(o.c)
		}
	}
}

// namesFlag reports whether the line may create a file with the name of a flag.
func namesFlag(s *Script) bool {
	is := func(name string) bool { return len(path.Base(name)) > 1 && path.Base(name)[0] == '-' }
	return slices.ContainsFunc(s.Redirects, func(r Redirect) bool {
		return r.Writes && is(r.Path)
	}) || anyCommand(s, func(c Command) bool {
		over := slices.Index(c.Argv, "--")
		for i, w := range c.Argv {
			if is(w) && i > 0 && (strings.Contains(w, "/") || over > 0 && i > over) {
				return true
			}
		}
		return false
	})
}

// listed reports whether the value of a flag only selects files by their names.
func listed(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return contains([]string{"--include", "--exclude", "--exclude-dir", "--glob", "--iglob",
		"--ignore", "--label", "--color", "--colour", "--sort", "--format", "--type"}, name)
}

// readingGit are subcommands of git that run no hooks and no filters, and write no files.
var readingGit = setOf("status log show branch tag rev-parse rev-list ls-files ls-tree remote " +
	"describe shortlog reflog cat-file grep blame version help")

// runsCode reports whether c may write files that none of its words names, because its program runs
// code. way is how the program uses its words, or 0 if it is not in files.
func runsCode(c *Command, a *args, way how) bool {
	if name := programName(c.Name); silentPrograms()[name] {
		return false
	}
	switch _, known := fileWays()[a.program]; {
	case a.program == "source" || a.program == ".":
		return true
	case way == likeGit:
		return !readingGit()[a.sub]
	case known, isShell(c.Name) && c.script() == "": // its text was parsed as commands
		return false
	}
	_, wraps := wrapperOf(c.Name) // its command is a separate entry
	return !wraps
}
