// This file finds out from the output of a program what the sandbox has refused.

package fence

import (
	"cmp"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
)

const (
	// searched is how many bytes of the end of an output are searched.
	searched = 64 << 10
	// mostRefusals is how many refusals are returned.
	mostRefusals = 5
)

// Verbs of refusals.
const (
	Write = "write" // a file
	Read  = "read"  // a file
	Reach = "reach" // a host
	Make  = "make"  // a namespace
)

// Refusal is something that the sandbox did not let a program do.
type Refusal struct {
	Verb string
	What string // an absolute path, a name as printed, a host, "the network", or "a namespace"
	By   Reason // why the policy forbids it
}

// Reason says why the policy forbids something.
type Reason struct {
	Text string // in words: "guard.lua:3, reads **/.env"; "" = unknown
	// the guard, "" = none, the line of its registering call, and the hash of its script
	Script  string
	Line    int
	Version string
	Rule    string // of the user, as written; "" = none
	Glob    string // of the guard
	Denies  bool   // the rule or guard refuses it; otherwise the user may allow it
}

// Named reports whether a rule or a guard is the reason.
func (r Reason) Named() bool { return r.Script != "" || r.Rule != "" }

// String returns "write /usr/x", and the rule or guard behind it in parentheses.
func (r Refusal) String() string {
	text := r.Verb + " " + r.What
	if r.By.Named() {
		text += " (" + r.By.Text + ")"
	}
	return text
}

// Program says which program was refused something.
type Program struct {
	Call   string // the id of the tool call that ran it; "" = none
	Tool   string // its tool
	Script string // the script that ran it with ext.exec or ext.sh; "" = none
	Line   string // its command line; "" = unknown
}

// patterns are compiled when the first output is searched.
type patterns struct {
	denied  *regexp.Regexp // error messages that a sandbox can cause
	missing *regexp.Regexp // error messages about a file in a hidden folder, or a hidden socket
	// mkdir matches messages of node about a folder that it could not make: it says that the folder
	// is missing
	mkdir   *regexp.Regexp
	solid   *regexp.Regexp // error messages about a read-only file system
	busy    *regexp.Regexp // error messages about a mount point
	offline *regexp.Regexp // error messages without a network
	spaces  *regexp.Regexp // error messages of programs that confine others: browsers, containers
	words   *regexp.Regexp // words of a line that may be paths: in quotes, or without spaces
	keys    *regexp.Regexp // error messages of programs that find no key, without a path
	reading *regexp.Regexp // lines by which programs say that they can only read
	// printed matches messages about a file that could not be written, and its name
	printed  *regexp.Regexp
	couldNot *regexp.Regexp // what tar could not do with the file that it names before
}

var texts = sync.OnceValue(func() patterns {
	return patterns{
		denied: regexp.MustCompile(`(?i)permission denied|read-only file system|` +
			`operation not permitted|device or resource busy|no such file or directory|` +
			`access is denied|\bE(ACCES|PERM|ROFS|BUSY|NOENT)\b|` +
			`\b(isn't|is not|don't have) (a )?writ(e?able|e permissions)|unable to open database|` +
			`cannot connect to the docker daemon|connection refused`),
		missing: regexp.MustCompile(`(?i)no such file or directory|\bENOENT\b|` +
			`cannot connect to the docker daemon|connection refused`),
		mkdir: regexp.MustCompile(`\bENOENT\b.*\bmkdir\b`),
		solid: regexp.MustCompile(`(?i)read-only file system|\bEROFS\b`),
		busy:  regexp.MustCompile(`(?i)device or resource busy|\bEBUSY\b`),
		offline: regexp.MustCompile(`(?i)could not resolve|name resolution|` +
			`network is unreachable|no such host|name or service not known|` +
			`\b(ENETUNREACH|EAI_AGAIN|ENOTFOUND)\b|getaddrinfo|failed to lookup address|` +
			`dial (tcp|udp)|error resolving|couldn't connect|connection refused`),
		spaces: regexp.MustCompile(`(?i)\b(unshare|namespaces?)\b.*` +
			`(operation not permitted|\bEPERM\b)|create new namespace|no usable sandbox`),
		keys: regexp.MustCompile(`(?i)permission denied \(.*\bpublickey\b|` +
			`\bgpg failed to sign\b|\bgpg: .*: no secret key`),
		reading: regexp.MustCompile(`(?im)^[\w./-]+: .*(read-only file system|` +
			`operation not permitted|address family not supported|could not resolve|` +
			`name resolution|name or service not known|no such host|dial (tcp|udp)\b)`),
		printed: regexp.MustCompile(`(?i)^(?:[\w+-]+|\S+: line \d+): ` +
			`(?:.*['"‘]([^'"‘’]+)['"’]|(?:.* )?([^\s:'"’]+))(?: for writing)?: ` +
			`(?:read-only file system|permission denied|operation not permitted)$`),
		couldNot: regexp.MustCompile(`: Cannot [a-z ]+: `),
		words:    regexp.MustCompile("'[^'\n]+'|\"[^\"\n]+\"|‘[^’\n]+’|`[^`\n]+`|[^\\s'\"`‘’]+"),
	}
})

// Refused returns what the sandbox refused to a program that ran in dir and wrote output, as far as
// its error messages show it.
func (f *Fence) Refused(program Program, dir, output string) (list []Refusal) {
	if m, _ := f.Method(); m == None {
		return nil
	}
	for _, host := range f.hosts.takeHosts() {
		list = append(list, Refusal{Verb: Reach, What: host})
	}
	var p *Policy
	var folders []string
	output = plain.Tail(output, searched)
	var before []string // the two lines before, without empty ones
	for line := range strings.Lines(output) {
		text := strings.TrimSpace(line)
		if n := len(before); n == 2 && before[1] == "Caused by:" { // as cargo does
			line = before[0] + ": " + text
		}
		if text != "" {
			before = append(before[max(0, len(before)-1):], text)
		}
		if !denied(line) {
			continue
		}
		if p == nil {
			now := f.o.Policy(dir).real()
			p, folders = &now, namedFolders(dir, program.Line)
		}
		one := p.refused(dir, line)
		if one.Verb == "" && program.Line != "" {
			one = p.refusedIn(folders, line)
		}
		if one.Verb != "" && !slices.Contains(list, one) {
			list = append(list, one)
		}
		if len(list) >= mostRefusals {
			break
		}
	}
	if f.o.Because != nil {
		for i := range list {
			if path := list[i].Verb == Write || list[i].Verb == Read; !path ||
				filepath.IsAbs(list[i].What) {
				list[i].By = f.o.Because(list[i].Verb, list[i].What)
			}
		}
	}
	if report := f.refused.Load(); report != nil && len(list) > 0 {
		(*report)(program, list)
	}
	return list
}

// denied reports whether a line is an error message that a sandbox can cause.
func denied(line string) bool {
	if strings.HasPrefix(line, unreached) {
		return false
	}
	return texts().denied.MatchString(line) || texts().offline.MatchString(line) ||
		texts().spaces.MatchString(line) || texts().keys.MatchString(line)
}

// RefusedReading reports whether an output has an error message of a program that had to do more
// than ConfineReading lets it. Lines of files that it shows, and files that it does not find, are
// none.
func RefusedReading(output string) bool {
	return texts().reading.MatchString(plain.Tail(output, searched))
}

// Forbidden reports whether rules and guards refuse all of the list: nobody should be told how to
// ask for it.
func Forbidden(list []Refusal) bool {
	return !slices.ContainsFunc(list, func(r Refusal) bool { return !r.By.Denies })
}

// Words returns a list of refusals as the words after "refused to": "write /a, to read /b".
func Words(list []Refusal) string {
	all := make([]string, len(list))
	for i, one := range list {
		all[i] = one.String()
	}
	return strings.Join(all, ", to ")
}

// refused returns the refusal that a line of output reports; the zero Refusal if there is none.
func (p *Policy) refused(dir, line string) Refusal {
	if p.NoNetwork && texts().offline.MatchString(line) {
		return Refusal{Verb: Reach, What: "the network"}
	}
	if texts().spaces.MatchString(line) {
		return Refusal{Verb: Make, What: "a namespace"}
	}
	if texts().keys.MatchString(line) {
		return p.hiddenKeys(line)
	}
	if !texts().denied.MatchString(line) {
		return Refusal{}
	}
	may := messageOf(line)
	all := texts().words.FindAllString(line, 50)
	for i, word := range slices.Backward(all) { // the program itself comes first
		if i == 0 && speaks(line, word) {
			break
		}
		for _, path := range candidates(dir, word) {
			if below("/proc", path) { // the kernel refuses access to other processes itself
				return Refusal{}
			}
			one := p.refusedPath(path, may)
			if one.Verb == Read || one.Verb != "" && may.write {
				return one
			}
		}
	}
	return Refusal{}
}

// speaks reports whether a line that begins with a word is what the program of that name says about
// something else: "/usr/bin/bash: line 1: x: Read-only file system".
func speaks(line, word string) bool {
	name, is := strings.CutSuffix(word, ":")
	if !is || !strings.HasPrefix(line, word) || strings.Count(line, ": ") < 2 {
		return false
	}
	st, err := os.Stat(name)
	return err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}

// hiddenKeys returns the refusal to read the keys that a program has not found, if they are hidden.
func (p *Policy) hiddenKeys(line string) Refusal {
	name := ".ssh"
	if strings.Contains(strings.ToLower(line), "gpg") {
		name = ".gnupg"
	}
	for _, path := range p.Hidden {
		if filepath.Base(path) == name {
			return Refusal{Verb: Read, What: path}
		}
	}
	return Refusal{}
}

// message says what a line of output may mean.
type message struct {
	write  bool // that something could not be written
	deeply bool // that this may be something in folders that are not there
	busy   bool // that it is a mount point
	starts bool // that it could not be started
}

func messageOf(line string) message {
	missing := texts().missing.MatchString(line)
	return message{write: !missing || texts().mkdir.MatchString(line),
		deeply: texts().solid.MatchString(line), busy: texts().busy.MatchString(line),
		starts: strings.HasSuffix(strings.TrimSpace(line), ": Permission denied") &&
			!strings.Contains(line, "cannot")}
}

// candidates returns the absolute paths that a word of a message may mean.
func candidates(dir, word string) (paths []string) {
	word = strings.Trim(word, "'\"`‘’()[]<>,;")
	word = strings.TrimPrefix(strings.TrimRight(word, ":."), "unix://")
	_, value, _ := strings.Cut(word, "=")
	for _, one := range []string{word, value} {
		if one == "" || len(one) > 4096 || strings.ContainsRune(one, 0) {
			continue
		}
		if !filepath.IsAbs(one) {
			one = filepath.Join(dir, one)
		}
		paths = append(paths, filepath.Clean(one))
	}
	return paths
}

// refusedPath returns what the policy forbids about a path and the system would allow the user.
func (p *Policy) refusedPath(path string, m message) Refusal {
	in := func(list []string, path string) bool {
		return slices.ContainsFunc(list, func(dir string) bool { return below(dir, path) })
	}
	var now realpath.Resolver
	itself, above := now.Existing(path), filepath.Dir(path)
	to := cmp.Or(itself, now.Existing(above))
	for ; to == "" && m.deeply && above != filepath.Dir(above); to = now.Existing(above) {
		above = filepath.Dir(above)
	}
	switch {
	case to == "":
		return Refusal{}
	case in(p.Hidden, to):
		return Refusal{Verb: Read, What: path}
	case m.busy && slices.Contains(p.pinned(), itself):
		return Refusal{Verb: Write, What: path}
	case in(p.Writable, to) && !in(p.ReadOnly, to):
		return Refusal{}
	case m.starts && isIdleScript(to): // no sandbox is the reason
		return Refusal{}
	case mayWrite(to):
		return Refusal{Verb: Write, What: path}
	}
	return Refusal{}
}

// isIdleScript reports whether a file is a script that may not be executed, which shells report as
// they do a file that they cannot write.
func isIdleScript(path string) bool {
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() || st.Mode().Perm()&0o111 != 0 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var mark [2]byte
	_, err = io.ReadFull(f, mark[:])
	return err == nil && string(mark[:]) == "#!"
}

// mayWrite reports whether the user may write what exists at path.
func mayWrite(path string) bool {
	st, err := os.Stat(path)
	return err == nil && (st.Mode().IsRegular() || st.IsDir()) && accessible(path)
}
