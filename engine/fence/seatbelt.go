package fence

import (
	"os/exec"
	"strings"
)

// seatbelt confines by sandbox-exec of macOS.
func seatbelt(cmd *exec.Cmd, p Policy) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	const program = "/usr/bin/sandbox-exec"
	if _, err := exec.LookPath(program); err != nil {
		return err
	}
	cmd.Args = append([]string{program, "-p", profile(p), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = program
	return nil
}

// profile returns a profile for sandbox-exec. The last rule that matches applies.
// Source: sandbox-exec(1), and the profiles in /System/Library/Sandbox/Profiles.
func profile(p Policy) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny appleevent-send)\n(deny file-write*)\n")
	rule := func(what, filter string, paths []string) {
		for _, path := range paths {
			b.WriteString("(" + what + " (" + filter + " " + quoteProfile(path) + "))\n")
		}
	}
	rule("allow file-write*", "subpath", p.Writable)
	rule("allow file-write*", "literal", devices)
	rule("allow file-write*", "subpath", []string{"/dev/fd"})
	b.WriteString(`(allow file-write* (regex #"^/dev/ttys[0-9]+$"))` + "\n")
	// folders above an exception cannot be renamed
	rule("deny file-write-unlink", "literal", p.pinned())
	rule("deny file-write*", "literal", p.links)
	rule("deny file-write*", "subpath", p.ReadOnly)
	for _, o := range p.opened {
		rule("allow file-write*", "subpath", []string{o.dir})
		rule("deny file-write*", "subpath", o.kept)
	}
	rule("deny file-write*", "subpath", p.Hidden)
	rule("deny file-read*", "subpath", p.Hidden)
	if p.alone {
		b.WriteString("(deny network*)\n(deny signal)\n(allow signal (target same-sandbox))\n")
	} else if p.NoNetwork {
		b.WriteString("(deny network*)\n(allow network* (local ip \"localhost:*\"))\n" +
			"(allow network* (remote ip \"localhost:*\"))\n(allow network* (local unix-socket))\n")
	}
	return b.String()
}

// quoteProfile returns a string literal of the profile's language.
func quoteProfile(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
