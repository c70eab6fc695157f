// This file lists the commands that run other commands, and the syntax of their own words.

package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// wrapper is the syntax of a command that runs another one: its own flags, then its own operands,
// then that command.
type wrapper struct {
	plain    string // short flags without a value
	valued   string // short flags with a value
	long     string // long flags with a value, separated by spaces
	bare     string // long flags without a value
	operands int    // words of its own before the command
	// its flags are many, or words of its own may be left out: each word may begin the command
	loose bool
}

// wrappers are the known wrappers.
var wrappers = map[string]wrapper{
	"sudo": {plain: "AbEeHiKklnPSsVv", valued: "ugpCcDhrtTRU",
		long: "user group prompt host chdir role type chroot close-from command-timeout other-user",
		bare: "askpass background bell edit set-home login list non-interactive preserve-env " +
			"preserve-groups remove-timestamp reset-timestamp shell stdin validate"},
	"doas": {plain: "Lns", valued: "uC"}, "--": {}, // time -- rm
	"jobs":  {plain: "lnprsx"}, // with -x
	"nohup": {}, "builtin": {}, "busybox": {}, "toybox": {},
	"command": {plain: "p"}, "exec": {plain: "cl", valued: "a"},
	"env":     {plain: "i0v", valued: "uCS", long: "unset chdir split-string"},
	"time":    {plain: "apqvV", valued: "of", long: "output format"},
	"timeout": {plain: "v", valued: "ks", long: "kill-after signal", operands: 1},
	"nice":    {plain: "0123456789", valued: "n", long: "adjustment"},
	"ionice":  {plain: "t", valued: "cnpPu", long: "class classdata"},
	"setsid":  {plain: "cwf"}, "stdbuf": {valued: "ioe", long: "input output error"},
	"chroot": {long: "userspec groups", operands: 1},
	"xargs": {plain: "0oprtx", valued: "aEILnPsd",
		long: "arg-file delimiter max-args max-procs max-lines max-chars replace eof"},
	"watch":      {plain: "bcdegtx", valued: "n", long: "interval"},
	"flock":      {plain: "suxnoF", valued: "wE", long: "timeout conflict-exit-code", operands: 1},
	"strace":     {plain: "fFqtTvxyzkcCdhirV", valued: "eopsaIEPSuXOb"},
	"caffeinate": {plain: "disum", valued: "tw"}, "parallel": parallelFlags,
	"unshare": {plain: "mUinpfrcCT", valued: "RSGw",
		long: "root wd setuid setgid propagation setgroups monotonic boottime map-user map-group " +
			"map-users map-groups",
		bare: "mount uts ipc net pid user cgroup time fork map-root-user map-current-user " +
			"map-auto mount-proc keep-caps kill-child"},
	"nsenter": {plain: "amuinpUCTrwFWZec", valued: "tSGN",
		long: "target setuid setgid wdns net-socket",
		bare: "all mount uts ipc net pid user cgroup time root wd no-fork preserve-credentials " +
			"follow-context join-cgroup env keep-caps"},
	"systemd-run": {}, "firejail": {}, "runuser": {valued: "ugGcs"}, "gosu": {operands: 1},
	"faketime": {operands: 1}, "setpriv": {},
	"su-exec": {operands: 1}, "setuidgid": {operands: 1}, "pkexec": {long: "user"},
	"unbuffer": {plain: "p"}, "ssh-agent": {plain: "cDdks", valued: "aEPt"},
	"dbus-run-session": {}, "torsocks": {}, "torify": {}, "catchsegv": {}, "chrt": {loose: true},
	"taskset": {loose: true}, "fakeroot": {loose: true},
	"ltrace": {loose: true}, "valgrind": {loose: true}, "numactl": {loose: true},
	"proxychains": {loose: true}, "proxychains4": {loose: true},
	"bwrap": {loose: true}, "xvfb-run": {loose: true}, "setarch": {loose: true, operands: 1},
	"linux32": {loose: true}, "linux64": {loose: true},
	"prlimit": {loose: true}, "cpulimit": {loose: true}, "dbus-launch": {loose: true},
	"chpst": {loose: true}, "tini": {loose: true}, "dumb-init": {loose: true},
	"schroot": {loose: true}, "arch-chroot": {loose: true}, "systemd-nspawn": {loose: true},
	"start-stop-daemon": {loose: true},
}

// launchers are programs that run another one, with the word after which that program follows; "" =
// it follows the name.
var launchers = map[string]string{"npx": "", "bunx": "", "pnpx": "", "uvx": "", "pipx": "run",
	"poetry": "run", "uv": "run", "pipenv": "run", "rye": "run", "pdm": "run", "bundle": "exec"}

// launches returns the index of the command that such a program runs. It is 0 if c is no such
// program, or has flags before that command.
func (c *Command) launches() int {
	marker, ok := launchers[c.Name]
	at := 1
	if marker != "" {
		at = 2
	}
	if ok && marker == "" && len(c.Argv) > at && (c.Argv[at] == "-y" || c.Argv[at] == "--yes") {
		at++
	}
	if !ok || len(c.Argv) <= at || marker != "" && c.Argv[1] != marker ||
		strings.HasPrefix(c.Argv[at], "-") || !c.Static[at] {
		return 0
	}
	return at
}

// awaits reports whether c is such a program and its command may follow its words.
func (c *Command) awaits() bool {
	marker, ok := launchers[c.Name]
	return ok && (marker == "" || len(c.Argv) == 1 || c.Argv[1] == marker)
}

// wrapperOf returns the syntax of name, and false if it is not a wrapper.
func wrapperOf(name string) (w wrapper, ok bool) {
	// the dynamic loader runs a program
	if strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") {
		return wrapper{loose: true}, true
	}
	w, ok = wrappers[name]
	return w, ok
}

// after returns the commands that may follow the wrapper's own words. If there are unknown flags,
// any later word may begin the command.
func (c *Command) after(w wrapper) (inner []Command) {
	from := skipWrapper(c.Argv, w)
	for from < len(c.Argv) && (c.Name == "env" || c.Name == "sudo" || c.Name == "doas") &&
		assigns(c.Argv[from]) {
		from++
	}
	to := from + 1
	if w.loose || !known(c.Argv[1:min(from, len(c.Argv))], w) {
		from, to = 1, len(c.Argv)
	}
	// with more, the line has too many words
	for i := from; i < min(to, len(c.Argv)) && len(inner) <= maxCommands; i++ {
		one := c.part(i, len(c.Argv))
		if at := slices.Index(one.Argv, "--"); at > 0 && c.Name == "start-stop-daemon" { // its own
			one.Argv, one.Static, one.info = slices.Delete(slices.Clone(one.Argv), at, at+1),
				slices.Delete(slices.Clone(one.Static), at, at+1),
				slices.Delete(slices.Clone(one.info), at, at+1)
		}
		inner = append(inner, one)
	}
	return inner
}

// ownWords returns the words of a wrapper that may be its own, and not those of its command.
func ownWords(c *Command) []string {
	w, _ := wrapperOf(c.Name)
	end := skipWrapper(c.Argv, w)
	for end < len(c.Argv) && assigns(c.Argv[end]) {
		end++
	}
	if !known(c.Argv[1:end], w) || unknownIn(c.Static[:end]) {
		return c.Argv
	}
	return c.Argv[:end]
}

func assigns(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "/ $`'\"\\")
}

// skipWrapper returns the index of the wrapper's command.
func skipWrapper(argv []string, w wrapper) int {
	i := 1
	for ; i < len(argv); i++ {
		a := argv[i]
		switch {
		case a == "--":
			return min(i+1+w.operands, len(argv))
		case a == "-": // env: as -i
		case strings.HasPrefix(a, "--"):
			if contains(strings.Fields(w.long), a[2:]) {
				i++
			}
		case len(a) > 1 && a[0] == '-':
			if at := strings.IndexAny(a[1:], w.valued); w.valued != "" && at == len(a)-2 {
				i++
			}
		default:
			return min(i+w.operands, len(argv))
		}
	}
	return len(argv)
}

// lacks reports whether no command may follow the wrapper's own words: a word after an unknown flag
// may be its value.
func (c *Command) lacks(w wrapper) bool {
	at := skipWrapper(c.Argv, w)
	for w.operands = 0; at < len(c.Argv) && strings.HasPrefix(c.Argv[at-1], "-") &&
		c.Argv[at-1] != "--" && !known(c.Argv[at-1:at], w); {
		at += skipWrapper(c.Argv[at:], w)
	}
	return at >= len(c.Argv)
}

// known reports whether all flags among words are those of w.
func known(words []string, w wrapper) bool {
	for _, a := range words {
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "--"), "=")
		switch {
		case a == "--" || a == "-" || !strings.HasPrefix(a, "-"):
		case strings.HasPrefix(a, "--"):
			if !contains(strings.Fields(w.long), name) &&
				!contains(strings.Fields(w.bare), name) {
				return false
			}
		default:
			for _, r := range a[1:] {
				if strings.ContainsRune(w.valued, r) {
					break
				}
				if !strings.ContainsRune(w.plain, r) {
					return false
				}
			}
		}
	}
	return true
}

// timeProgram makes time, before a flag, the program of that name, as it is to sh and to bash in
// the mode of POSIX. To others -- ends the flags, and another flag is no command.
func timeProgram(n *syntax.Stmt) {
	for n != nil {
		switch cmd := n.Cmd.(type) {
		case *syntax.BinaryCmd:
			n = cmd.X
			continue
		case *syntax.CallExpr:
			if len(cmd.Args) == 0 {
				return
			}
			if text, ok := plainText(cmd.Args[0].Parts, false); ok && text != "--" &&
				strings.HasPrefix(text, "-") {
				name := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "time"}}}
				cmd.Args = append([]*syntax.Word{name}, cmd.Args...)
			}
		}
		return
	}
}
