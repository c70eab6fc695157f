// This file determines which files are named by programs that have their own syntax for names.

package shell

import (
	"cmp"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

func (o *operands) special(way how) {
	switch way {
	case likeDD:
		for i, w := range o.c.Argv[1:] {
			all := o.c.may(i + 1)
			if all == nil {
				o.f.unknown(true, dynamicWord, w)
			}
			for _, w := range all {
				name, rest, _ := strings.Cut(w, "=")
				if name == "if" || name == "of" {
					o.text(rest, name == "of")
				}
			}
		}
	case likeCurl:
		o.fetches()
	case likeFind:
		o.finds()
	case likeFd:
		o.fd()
	case likeTar:
		o.tar()
	case likeMktemp:
		o.tempFiles()
	case likeTime:
		o.traced()
	case likeFlock:
		if at := skipWrapper(o.c.Argv, wrapper{plain: "suxnoF", valued: "wE",
			long: "timeout conflict-exit-code"}); at < len(o.c.Argv) {
			o.one(at, true, false)
		}
	}
}

// flagsSet adds a doubt if the line may set a variable that holds flags of the program.
func flagsSet(o *operands, name string) {
	if setInLine(o.f.s, name) || o.a.program == "zip" && contains(o.c.Assign, "ZIP") {
		o.f.unknown(true, ownNames, "")
	}
}

// tempFiles adds the files that mktemp creates, with the X characters kept.
func (o *operands) tempFiles() {
	var dirs []string
	for _, v := range append(o.given("tmpdir"), o.given("p")...) {
		if !v.known {
			o.f.unknown(true, dynamicWord, v.text)
		}
		dirs = append(dirs, v.text)
	}
	switch {
	case len(dirs) == 0 && (len(o.all) == 0 || o.a.has(o.c, "t") == yes ||
		o.a.has(o.c, "tmpdir") == yes):
		dir, _ := o.f.s.context.variable("TMPDIR")
		o.text(cmp.Or(dir, "/tmp")+defaultTemp, true)
	case len(dirs) == 0:
		o.each(o.all, true, false)
	case len(o.all) == 0:
		o.text(path.Join(dirs[0], "tmp.XXXXXXXXXX"), true)
	}
	for _, i := range o.all {
		if len(dirs) > 0 {
			o.text(path.Join(dirs[0], o.c.Argv[i]), true)
		}
	}
}

// traced adds the reports that time and similar programs write about the command that they run.
func (o *operands) traced() {
	own := o.c.Argv[:skipWrapper(o.c.Argv, wrappers[o.a.program])]
	for i := 1; i < len(own); i++ {
		name, value, has := strings.Cut(own[i], "=")
		switch {
		case !o.c.Static[i]:
			o.f.unknown(true, dynamicWord, own[i])
		case name == "--output" && has:
			o.text(value, true)
		case name == "--output" || own[i][0] == '-' && own[i] != "-" &&
			!strings.HasPrefix(own[i], "--") && strings.HasSuffix(own[i], "o"):
			if i++; i < len(o.c.Argv) {
				o.one(i, true, false)
			}
		case strings.HasPrefix(own[i], "-o"):
			o.text(own[i][2:], true)
		}
	}
}

// findFlags returns the position behind the flags of find that come before the places to search.
func findFlags(argv []string) int {
	i := 1
	for ; i < len(argv); i++ {
		switch w := argv[i]; {
		case w == "-D":
			i++
		case w != "-H" && w != "-L" && w != "-P" && w != "-E" && w != "-X" && w != "-x" &&
			w != "-s" && w != "-d" && !strings.HasPrefix(w, "-O"):
			return i
		}
	}
	return min(i, len(argv))
}

// finds adds the folders that find searches, and the files that it writes.
func (o *operands) finds() {
	var from []int
	first := findFlags(o.c.Argv)
	for i := first; i < len(o.c.Argv) && !strings.HasPrefix(o.c.Argv[i], "-") &&
		o.c.Argv[i] != "(" && o.c.Argv[i] != "!"; i++ {
		from = append(from, i)
	}
	deletes := contains(o.c.Argv, "-delete")
	own := o.c.Argv // without the words of commands for what is found
	if at := slices.IndexFunc(own, runsFound); at > 0 {
		own = own[:at]
	}
	if anyOf(own, func(w string) bool {
		return w == "-L" || w == "-follow" || w == "-f" || w == "-files0-from"
	}) { // also below the targets of links, or in folders that a file lists
		o.f.unknown(deletes, linksAway, "")
	}
	opens := deletes
	for i, w := range o.c.Argv {
		if runsFound(w) {
			name := programName(path.Base(o.c.Argv[min(i+1, len(o.c.Argv)-1)]))
			way, known := fileWays()[name]
			opens = opens || !silentPrograms()[name] && !(known && way == lists)
		}
	}
	before := len(o.f.out.All)
	if o.each(from, deletes, opens); len(from) == 0 { // otherwise it lists names, as ls does
		o.f.addPath(o.c.in, Path{Name: ".", Writes: deletes, Below: opens})
	}
	if only, ok := o.c.only(); ok && opens {
		for i := range o.f.out.All[before:] {
			o.f.out.All[before+i].Only = only
		}
	}
	if some := alternatives(o.c); some != nil && opens && !deletes {
		o.f.out.All = o.f.out.All[:before]
		for _, p := range some {
			o.f.addPath(o.c.in, p)
		}
	}
	o.passes(o.f.out.All[before:])
	for i, w := range o.c.Argv {
		if strings.HasPrefix(w, "-fprint") || w == "-fls" {
			if i+1 < len(o.c.Argv) {
				o.one(i+1, true, false)
			}
		}
		if i > 0 && !o.c.Static[i] && (o.c.info[i].values == nil ||
			anyOf(o.c.may(i), isTest)) {
			o.f.unknown(true, dynamicWord, w)
		}
	}
}

// isTest reports whether a word of find is not a place to search.
func isTest(w string) bool { return w != "" && strings.ContainsAny(w[:1], "-(!,)") }

// runsFound reports whether a word of find is followed by a command for the found files.
func runsFound(w string) bool {
	return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok")
}

// passes adds the found files as possible operands of unknown programs that find runs.
func (o *operands) passes(found []Path) {
	for i, w := range o.c.Argv[:len(o.c.Argv)-1] {
		name := programName(path.Base(o.c.Argv[i+1]))
		if _, known := fileWays()[name]; !runsFound(w) || known || silentPrograms()[name] ||
			checkPrograms()[name] || Wraps(name) {
			continue
		}
		only, _ := o.c.only()
		for _, p := range found {
			o.f.out.Maybe = append(o.f.out.Maybe, Maybe{Name: p.Name, By: o.c.Argv[i+1],
				Writes: true, Below: true, Only: only, Pattern: p.Pattern})
		}
	}
}

// tar adds the archive and the files put into it. The files that it extracts are unknown.
func (o *operands) tar() {
	t := readTar(o.c.Argv)
	letters, archive := t.letters, t.archive
	for _, name := range t.joined {
		o.text(name, true)
	}
	if o.a.program == "tar" {
		dropPatterns(o)
	}
	flagged := func(short, long string) bool {
		return strings.Contains(letters, short) || anyOf(o.c.Argv,
			func(w string) bool { return strings.HasPrefix(w, long) })
	}
	flagsSet(o, "TAR_OPTIONS")
	if flagged("T", "--files-f") {
		o.f.unknown(false, listedInFile, "")
	}
	if flagged("g", "--listed-") || flagged("\x00", "--index-f") { // files that it writes
		o.f.unknown(true, ownNames, "")
	}
	switch {
	case strings.Contains(letters, "t") && !strings.ContainsAny(letters, "cxru"):
		return // the words are those of the archive
	case strings.Contains(letters, "x") && !strings.ContainsAny(letters, "cru"):
		if !unpacks(o) {
			o.f.unknownWrites(ownNames, "")
		}
		return
	case strings.ContainsAny(letters, "cru") && !strings.Contains(letters, "x"):
		if archive > 0 && archive < len(o.c.Argv) {
			o.one(archive, true, false)
		}
	default:
		o.f.unknown(true, ownNames, "")
	}
	own, inside, removes := o.c, *o.c, contains(o.c.Argv, "--remove-files")
	o.c = &inside
	defer func() { o.c = own }()
	for i := 1; i < len(own.Argv); i++ {
		_, value, has := strings.Cut(own.Argv[i], "=")
		if has = has && strings.HasPrefix(own.Argv[i], "--dir"); !has {
			value, has = strings.CutPrefix(own.Argv[i], "-C")
		}
		switch { // the words that follow -C are in that folder
		case has && value != "":
			one := own.part(i, i+1)
			one.Argv = []string{value}
			inside.in = enter(&one, inside.in, 0)
		case contains([]string{"-C", "--directory"}, own.Argv[i-1]):
			inside.in = enter(own, inside.in, i)
		case i > 1 && i != archive && isOperand(o.all, i):
			before := len(o.f.out.All)
			if o.one(i, false, true); removes {
				o.one(i, true, true)
			}
			o.f.keepNames(before, searched(o, i))
		}
	}
}

// tarWords are what the words of tar say: the letters that tell it what to do, which word names the
// archive, -1 if none does, and names of archives that are parts of words.
type tarWords struct {
	letters string
	archive int
	joined  []string
}

func readTar(argv []string) tarWords {
	t := tarWords{archive: -1}
	for i := 1; i < len(argv); i++ {
		w := argv[i]
		switch {
		case strings.HasPrefix(w, "--"):
			name, value, has := strings.Cut(w, "=")
			file := len(name) > 4 && strings.HasPrefix("--file", name)
			if file && has {
				t.joined = append(t.joined, value)
			} else if file {
				t.archive = i + 1
			}
			t.letters += map[string]string{"--extract": "x", "--get": "x", "--create": "c",
				"--list": "t", "--append": "r", "--update": "u", "--delete": "r"}[w]
		case i == 1 || strings.HasPrefix(w, "-"):
			t.letters += strings.TrimPrefix(w, "-")
			_, value, has := strings.Cut(w, "f")
			if has && value != "" && strings.HasPrefix(w, "-") { // -fx.tar
				t.joined = append(t.joined, value)
			} else if has && t.archive < 0 {
				t.archive = i + 1
			}
		}
	}
	return t
}

// extracts reports whether tar may extract files: it does not certainly do something else.
func (t tarWords) extracts() bool {
	return strings.Contains(t.letters, "x") || !strings.ContainsAny(t.letters, "ctru")
}

// isOperand reports whether word i is one of the operands, which are sorted.
func isOperand(operands []int, i int) bool {
	_, found := slices.BinarySearch(operands, i)
	return found
}

// isOpenProgram reports whether the program with this path is one that the line has opened, or that
// runs already: /proc/self/fd/3, which is ./3 in that folder, and 3 if the line sets PATH, and
// /proc/self/exe.
func isOpenProgram(name string, setsPath bool) bool {
	base, digits := path.Base(name), name != "" && strings.Trim(path.Base(name), "0123456789") == ""
	return digits && (setsPath || strings.Contains(name, "fd/") || strings.HasPrefix(name, ".")) ||
		base == "exe" && strings.Contains(name, "proc/")
}

// otherMachine matches the name of another machine, for people: not an address, which has many
// spellings.
var otherMachine = lazyregexp.New(`^([\w.-]+@)?[A-Za-z][\w-]*(\.[\w-]+)*$`)

// plainSSH matches flags of ssh that do not change where it connects to.
var plainSSH = lazyregexp.New(`^-([46ACKNTXYafgknqstvxy]+|[pil].*)$|` +
	`^(-o)?(StrictHostKeyChecking|BatchMode|ConnectTimeout|LogLevel|ServerAlive\w+)=\w+$`)

// isHere reports whether a word of ssh may name this machine.
func isHere(w string) bool {
	name, _ := os.Hostname()
	host := strings.ToLower(w[strings.Index(w, "@")+1:])
	return !otherMachine().MatchString(w) || strings.EqualFold(host, name) ||
		strings.HasPrefix(host, "localhost") || strings.HasPrefix(host, "ip6-")
}

// toItself reports whether an ssh among the commands may connect to this machine. Settings, such as
// those of -F and -o, can make any name lead there.
func toItself(all []Command) bool {
	return slices.ContainsFunc(all, func(c Command) bool {
		if strings.Contains(c.Text, ".ssh") || strings.Contains(c.Text, "/etc/hosts") {
			return true
		}
		if c.Name != "ssh" {
			return false
		}
		end := min(afterHost(c.Argv), len(c.Argv))
		for i := 1; i < end; i++ {
			w, before := c.Argv[i], c.Argv[i-1]
			value := len(before) == 2 && strings.ContainsAny(before[1:], "pil") && before[0] == '-'
			switch {
			case value && !c.info[i].splits:
			case !c.Static[i]:
				if all := c.may(i); len(all) == 0 || anyOf(all, isHere) {
					return true
				}
			case w == "-o" && i+1 < end:
			case strings.HasPrefix(w, "-") || before == "-o":
				if !plainSSH().MatchString(w) {
					return true
				}
			case isHere(w):
				return true
			}
		}
		return false
	})
}

// sshFiles adds the files that flags of ssh name: keys, settings, logs, sockets.
func (f *finder) sshFiles(c *Command) {
	for i := 1; i < min(afterHost(c.Argv), len(c.Argv)); i++ {
		if strings.HasPrefix(c.Argv[i], "-") || i > 1 && strings.HasPrefix(c.Argv[i-1], "-") &&
			strings.ContainsAny(c.Argv[i-1][len(c.Argv[i-1])-1:], "EFIiSo") {
			key := strings.HasPrefix(c.Argv[i], "-i") || c.Argv[i-1] == "-i"
			f.maybe(c, i, Maybe{By: c.Name, Writes: !key})
			if text := c.info[i].prefix; strings.ContainsAny(text, " \t") { // a command
				f.mentions(c, text, Maybe{By: c.Name, Writes: true})
			}
		}
	}
}
