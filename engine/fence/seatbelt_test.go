package fence

import (
	"os/exec"
	"slices"
	"testing"
)

func TestProfile(t *testing.T) {
	got := profile(Policy{Writable: []string{"/p"}, ReadOnly: []string{`/p/a "b"/.git`},
		Hidden: []string{"/h", `/p/\x`}, NoNetwork: true})
	const want = `(version 1)
(allow default)
(deny appleevent-send)
(deny file-write*)
(allow file-write* (subpath "/p"))
(allow file-write* (literal "/dev/null"))
(allow file-write* (literal "/dev/zero"))
(allow file-write* (literal "/dev/full"))
(allow file-write* (literal "/dev/random"))
(allow file-write* (literal "/dev/urandom"))
(allow file-write* (literal "/dev/tty"))
(allow file-write* (literal "/dev/ptmx"))
(allow file-write* (literal "/dev/pts"))
(allow file-write* (literal "/dev/shm"))
(allow file-write* (subpath "/dev/fd"))
(allow file-write* (regex #"^/dev/ttys[0-9]+$"))
(deny file-write-unlink (literal "/p"))
(deny file-write-unlink (literal "/p/a \"b\""))
(deny file-write* (subpath "/p/a \"b\"/.git"))
(deny file-write* (subpath "/h"))
(deny file-write* (subpath "/p/\\x"))
(deny file-read* (subpath "/h"))
(deny file-read* (subpath "/p/\\x"))
(deny network*)
(allow network* (local ip "localhost:*"))
(allow network* (remote ip "localhost:*"))
(allow network* (local unix-socket))
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
	cmd := exec.Command("/bin/echo", "a", "b")
	if err := seatbelt(cmd, Policy{}); err == nil &&
		!slices.Equal(cmd.Args[3:], []string{"/bin/echo", "a", "b"}) {
		t.Errorf("%q", cmd.Args)
	}
}
