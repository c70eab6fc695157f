package fence

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestOrdinaryPrograms: common uses of files, pipes and processes work in the sandbox.
func TestOrdinaryPrograms(t *testing.T) {
	t.Parallel()
	const script = `set -e
echo a > new; cat new; mv new moved; cp moved copy; rm copy; mkdir -p d/e; mv moved d/e; mv d/e f
ln -s f/moved link; cat link; ln f/moved hard; chmod 755 hard; touch -d 2001-01-01 hard
rm -rf d f; echo x > .git/index.lock; mv .git/index.lock .git/index
echo x > /dev/null; head -c 4 /dev/urandom > r; cat < /dev/null; echo $$ > pid; kill -0 $$
[ "$(pwd)" = "$PWD" ]; cat linked/hooks/old; cat /etc/passwd > p; (exit 0) & wait
mkfifo pipe; (echo piped > pipe &); cat pipe
echo "err" >&2; echo x > /dev/stderr; echo x | tee /dev/stdout > t; exec 3<>r; exec 3>&-
cat <<EOF
here
EOF
`
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		f := newFence(m, w.policy)
		out, err := w.command(t, f, script).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "here") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestExitAndArguments: the program gets its arguments and its environment, and its exit code is
// returned.
func TestExitAndArguments(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		f := newFence(m, w.policy)
		for _, own := range []string{"V=v w", "GOMAXPROCS=3"} {
			cmd := exec.Command("/bin/bash", "-c", `echo "$0|$1|$2"; env; exit 7`, "zero", "a b",
				"")
			cmd.Env = []string{own}
			if err := f.Confine(cmd); err != nil {
				t.Fatal(err)
			}
			out, err := cmd.Output()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 7 {
				t.Error(err)
			}
			args, env, _ := strings.Cut(string(out), "\n")
			if args != "zero|a b|" || !strings.Contains(env, own+"\n") ||
				strings.Contains(env, "AGENT") || strings.Count(env, "GOMAXPROCS") !=
				strings.Count(own, "GOMAXPROCS") {
				t.Errorf("%s: %s, %s", own, args, env)
			}
		}
	})
}

// TestFailsClosed: a program that cannot be confined does not run.
func TestFailsClosed(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		f := newFence(m, w.policy)
		cmd := exec.Command("/no/such/program")
		if err := f.Confine(cmd); err == nil {
			if out, err := cmd.CombinedOutput(); err == nil {
				t.Errorf("the program ran: %s", out)
			}
		}
		cmd = w.command(t, f, "echo ran")
		for i, arg := range cmd.Args { // make a setting invalid
			if path, ok := strings.CutPrefix(arg, "writable:"); ok {
				cmd.Args[i] = "writable:" + path + "\x01" + strings.Repeat("x", 5000)
			}
		}
		if m != Bubblewrap {
			out, err := cmd.CombinedOutput()
			if err == nil || strings.Contains(string(out), "ran") {
				t.Errorf("the program ran: %s", out)
			}
		}
	})
}

// TestManyFiles: thousands of files are hidden; if the method cannot do that, the program does not
// run.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		p := w.policy("")
		for i := range 4000 {
			path := filepath.Join(w.project, "keys", strconv.Itoa(i)+".key")
			os.MkdirAll(filepath.Dir(path), 0o755)
			if err := os.WriteFile(path, []byte("TOP SECRET"), 0o644); err != nil {
				t.Fatal(err)
			}
			p.Hidden = append(p.Hidden, path)
		}
		cmd := exec.Command("/bin/sh", "-c", "cat keys/*; echo ran")
		cmd.Dir = w.project
		err := newFence(m, func(string) Policy { return p }).Confine(cmd)
		switch out, _ := cmd.CombinedOutput(); {
		case m == Bubblewrap:
			if err == nil || !strings.Contains(err.Error(), "so many files") {
				t.Error(err)
			}
		case err != nil || !bytes.Contains(out, []byte("ran")):
			t.Errorf("%v: %.300s", err, out)
		case (m == Namespaces || m == Mounts) && bytes.Contains(out, []byte("SECRET")):
			t.Errorf("hidden files can be read: %.300s", out)
		}
	})
}

// TestFolderAbove: a writable folder above an exception cannot be renamed, because another file
// could take the place of the exception.
func TestFolderAbove(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		if m == Landlock {
			t.Skip("Landlock alone does not enforce this")
		}
		w := newWorld(t)
		f := newFence(m, func(dir string) Policy {
			p := w.policy(dir)
			p.Writable, p.Hidden = append(p.Writable, filepath.Dir(w.dir)), nil
			return p
		})
		out, _ := w.command(t, f, "cd ../..; mv "+filepath.Base(w.dir)+" moved").CombinedOutput()
		if _, err := os.Lstat(w.project); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		f := newFence(m, func(dir string) Policy {
			p := w.policy(dir)
			p.NoNetwork = true
			return p
		})
		const script = "cat /proc/net/dev; (echo > /dev/tcp/192.0.2.1/80) 2>&1"
		cmd := exec.Command("/bin/bash", "-c", script)
		if err := f.Confine(cmd); m == Landlock {
			if err == nil {
				t.Error("Landlock alone cannot block the network")
			}
			return
		} else if err != nil {
			t.Fatal(err)
		}
		out, _ := cmd.CombinedOutput()
		if strings.Contains(string(out), "eth") || !strings.Contains(string(out), "unreachable") {
			t.Errorf("%s", out)
		}
	})
}

// TestProxy: only the named hosts can be reached through the proxy, which ends with the last
// process.
func TestProxy(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "you reached "+r.Host+r.URL.Path)
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	_, port, _ := net.SplitHostPort(address)
	eachMethod(t, func(t *testing.T, m Method) {
		if m == Landlock {
			t.Skip("Landlock alone cannot block the network")
		}
		w := newWorld(t)
		f := newFence(m, func(dir string) Policy {
			p := w.policy(dir)
			p.NoNetwork, p.Hosts = true, []string{address, "local*"}
			return p
		})
		ask := func(request string) string {
			cmd := w.command(t, f, "exec 3<>/dev/tcp/127.0.0.1/3128; printf '"+request+
				"' >&3; cat <&3; (echo > /dev/tcp/127.0.0.1/"+port+") 2>&1")
			out, _ := cmd.CombinedOutput()
			Close(cmd)
			if !strings.Contains(string(out), "refused") {
				t.Errorf("the server can be reached without the proxy: %s", out)
			}
			return string(out)
		}
		const get = "GET /x HTTP/1.0\\r\\n\\r\\n"
		for request, want := range map[string]string{
			"GET http://" + address + "/p HTTP/1.0\\r\\n\\r\\n":  "you reached " + address + "/p",
			"CONNECT " + address + " HTTP/1.0\\r\\n\\r\\n" + get: "you reached /x",
			"CONNECT 127.0.0.1:1 HTTP/1.0\\r\\n\\r\\n":           "403 Forbidden",
			"CONNECT localhost:1 HTTP/1.0\\r\\n\\r\\n":           "403 Forbidden",
			"GET http://example.com/ HTTP/1.0\\r\\n\\r\\n":       "refused to reach example.com",
			get: "this is a proxy",
		} {
			if got := ask(request); !strings.Contains(got, want) {
				t.Errorf("%s: got %s", request, got)
			}
		}
		list := f.Refused(Program{}, w.project, "")
		if got := Words(list); !strings.Contains(got, "reach example.com") ||
			!strings.Contains(got, "reach 127.0.0.1:1") ||
			!strings.Contains(got, "reach localhost:1 (it leads to ") {
			t.Errorf("refused: %s", got)
		}
		// 127.0.0.1 in the list is outside
		out, err := w.command(t, f, "echo $https_proxy $NO_PROXY").Output()
		if err != nil || string(out) != "http://127.0.0.1:3128 localhost,::1\n" {
			t.Errorf("%s, %v", out, err)
		}
		// what fails with a host of the list is not refused
		said := ask("GET http://local.invalid/ HTTP/1.0\\r\\n\\r\\n")
		_, said, _ = strings.Cut(said, "\r\n\r\n")
		said, _, _ = strings.Cut(said, "\n")
		list = f.Refused(Program{}, w.project, said+"\n")
		if !strings.HasPrefix(said, "the sandbox may reach local.invalid, but: ") || len(list) > 0 {
			t.Errorf("%s: refused: %s", said, Words(list))
		}
	})
}

func TestRefused(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		os.Mkdir(w.dir+"/home/.gnupg", 0o700)
		f := newFence(m, func(dir string) Policy {
			p := w.policy(dir)
			p.Hidden = append(p.Hidden, w.dir+"/home/.gnupg")
			return p
		})
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(w.out+"/idle.sh", []byte("#!/bin/sh\n"), 0o644)
		tests := []struct{ script, want string }{
			{"$OUT/idle.sh", ""},
			{"echo \"bash: line 1: $OUT/idle.sh: Permission denied\"", ""},
			{"echo \"sh: 1: cannot create $OUT/idle.sh: Permission denied\"",
				"write " + w.out + "/idle.sh"},
			{"echo x > $OUT/new", "write " + w.out + "/new"},
			{"touch $OUT/b", "write " + w.out + "/b"},
			{"echo x > .git/index; cp .git/index $OUT/c", "write " + w.out + "/c"},
			{"cat $SECRETS/key", "read " + w.secrets + "/key"},
			{"cat /no/such/file; false", ""},
			{"cat missing; ls missing", ""},
			{"echo all is well", ""},
			{"unshare -U true", "make a namespace"},
			{"echo 'bwrap: No permissions to create new namespace'", "make a namespace"},
			{"echo 'cannot clone: Permission denied (publickey)'", ""},
			{"echo '[zygote_host_impl_linux.cc] No usable sandbox!'", "make a namespace"},
			// git names a file whose folder it could not make, and node another error than the
			// system
			{"echo \"could not create leading directories of '$OUT/a/b': Read-only file system\"",
				"write " + w.out + "/a/b"},
			{"echo \"ENOENT: no such file or directory, mkdir '$OUT/d'\"", "write " + w.out + "/d"},
			{"echo \"ENOENT: no such file or directory, mkdir '$OUT/d/e'\"", ""},
			// pyenv, gem, sqlite and cargo do not say what the system said, or where
			{"echo \"pyenv: cannot rehash: $OUT isn't writable\"", "write " + w.out},
			{"echo \"Defaulting to user installation because site-packages is not writeable\"", ""},
			{"echo \"You don't have write permissions for the $OUT directory.\"", "write " + w.out},
			{"echo 'Error: unable to open database \"'$OUT/x.db'\": unable to open database file'",
				"write " + w.out + "/x.db"},
			{"printf 'error: failed to open: %s\\n\\nCaused by:\\n  Read-only file system (os " +
				"error " +
				"30)\\n' $OUT/x", "write " + w.out + "/x"},
			{"printf 'see %s\\nfailed: Read-only file system\\n' $OUT/x", ""},
			{"echo Cannot connect to the Docker daemon at unix://$SECRETS/s. Is it running?",
				"read " + w.secrets + "/s"},
			{"echo connect to $OUT/no.sock: Connection refused", ""},
			{"echo 'git@x: Permission denied (publickey,password).'", ""},
			{"echo 'gpg: signing failed: No secret key'", "read " + w.dir + "/home/.gnupg"},
			{"echo 'error: gpg failed to sign the data'", "read " + w.dir + "/home/.gnupg"},
			// not the shell, which the line begins with
			{"echo x > /proc/sys/kernel/core_pattern", ""},
			{"echo $SELF: x: Read-only file system", ""},
			{"echo $OUT/file: cannot open: Read-only file system", "write " + w.out + "/file"},
			{"echo $SELF: Read-only file system", "write " + self},
			// a name that is relative to a folder of the command line
			{"cd $OUT && echo x > new", "write " + w.out + "/new"},
			{"cd $OUT/..; cd out; touch b", "write b"},
			{">t; tar -cf a.tar t; tar -C$OUT -xf a.tar", "write " + w.out + "/t"},
			{"mkdir r; cd r; git init -q; >x; git add x; git --work-tree=$OUT checkout x",
				"write " + w.out + "/x"},
			{"cd $OUT; cat missing", ""},
			{"cd $OUT; echo 'x.go:1: Read-only file system'", ""},
			{"cd $OUT; echo 'see: Read-only file system, page 3'", ""},
		}
		if m != Landlock {
			tests = append(tests, []struct{ script, want string }{
				{"cat .env", "read " + w.project + "/.env"},
				{"cd sub; cat deep/key", "read " + w.project + "/sub/deep/key"},
				{"echo x >> .git/config", "write " + w.project + "/.git/config"},
				{"mv sub moved", "write " + w.project + "/sub"}, // it holds what is protected
				// the folder is not known
				{"cd ${OUT}; echo x > new", "write new"},
				{"cd ${OUT}; mkdir 'a b'", "write a b"},
				{">t; tar -cf a.tar t; tar -C ${OUT} -xf a.tar", "write t"},
			}...)
		}
		for _, tt := range tests {
			dir := w.project
			if strings.HasPrefix(tt.script, "cd sub") {
				dir += "/sub"
			}
			out, _ := w.command(t, f, tt.script).CombinedOutput()
			got := ""
			line := strings.ReplaceAll(tt.script, "$OUT", w.out)
			if list := f.Refused(Program{Line: line}, dir, string(out)); len(list) > 0 {
				got = list[0].String()
			}
			if got != tt.want {
				t.Errorf("%s: got %q, want %q: %s", tt.script, got, tt.want, out)
			}
		}
	})
}

func TestGaps(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		f := newFence(m, w.policy)
		gaps := f.Gaps(w.project)
		named := slices.ContainsFunc(gaps, func(g string) bool {
			return strings.Contains(g, filepath.Join(w.project, ".env"))
		})
		if named != (m == Landlock) {
			t.Errorf("%q", gaps)
		}
		file := filepath.Join(w.out, "file") // outside of writable folders
		out, err := w.command(t, f, "chmod 600 $OUT/file").CombinedOutput()
		info, failed := os.Stat(file)
		if failed != nil {
			t.Fatal(failed)
		}
		listen(t, filepath.Join(w.dir, "socket"))
		if _, err := exec.LookPath("python3"); err == nil {
			answer, _ := w.command(t, f, `python3 -c 'import os, socket
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["SOCKET"]); print(s.recv(9))'`).
				CombinedOutput()
			told := strings.Contains(strings.Join(gaps, "\n"), "programs can reach sockets")
			if reached := strings.Contains(string(answer), "TOP"); told != reached {
				t.Errorf("reached the socket: %v (%s), gaps: %q", reached, answer, gaps)
			}
		}
		changed := info.Mode().Perm() == 0o600
		if told := strings.Contains(strings.Join(gaps, "\n"), "the mode"); told != changed {
			t.Errorf("mode changed: %v (%v %s), gaps: %q", changed, err, out, gaps)
		}
		links := slices.ContainsFunc(gaps, func(g string) bool {
			return strings.Contains(g, filepath.Join(w.project, "linked/middle"))
		})
		whole := m == Namespaces || m == Mounts
		if links == whole || f.Complete() != whole {
			t.Errorf("%q", gaps)
		}
	})
}

// TestMayWrite: a confined program cannot have written a file outside of writable folders, unless a
// writable folder has a hard link to the file.
func TestMayWrite(t *testing.T) {
	t.Parallel()
	eachMethod(t, func(t *testing.T, m Method) {
		w := newWorld(t)
		outside := t.TempDir()
		file, linked := filepath.Join(outside, "file"), filepath.Join(outside, "linked")
		for _, path := range []string{file, linked} {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Link(linked, filepath.Join(w.project, "link")); err != nil {
			t.Fatal(err)
		}
		f := newFence(m, w.policy)
		for path, want := range map[string]bool{outside: true, file: true, linked: false,
			filepath.Join(outside, "missing"): true, w.project: false,
			filepath.Join(w.project, "link"): false, filepath.Join(w.project, ".env"): false} {
			if got := f.MayWrite(path); got == want {
				t.Errorf("%s: got %v", path, got)
			}
		}
	})
}

func TestNoFence(t *testing.T) {
	var none *Fence
	if !none.MayWrite("/x") {
		t.Error("a nil Fence confines programs")
	}
	for _, f := range []*Fence{none, New(Options{Method: None})} {
		cmd := exec.Command("/bin/sh", "-c", "echo unchanged")
		args := slices.Clone(cmd.Args)
		if err := f.Confine(cmd); err != nil || !slices.Equal(args, cmd.Args) {
			t.Errorf("%v, %q", err, cmd.Args)
		}
		if m, why := f.Method(); m != None || why == nil {
			t.Errorf("%s, %v", m, why)
		}
	}
	if m, err := New(Options{Method: "moat"}).Method(); m != None || err == nil ||
		!strings.Contains(err.Error(), "moat") {
		t.Errorf("%s, %v", m, err)
	}
}

// BenchmarkRun measures one command with the fence; compare it with the method none.
func BenchmarkRun(b *testing.B) {
	dir := b.TempDir()
	policy := func(string) Policy {
		return Policy{Writable: []string{dir, "/tmp"}, Hidden: []string{"/root/.ssh"}}
	}
	all := []Method{None}
	for _, m := range methods {
		all = append(all, m.name)
	}
	for _, m := range all {
		f := newFence(m, policy)
		if got, _ := f.Method(); got != m {
			continue
		}
		b.Run(string(m), func(b *testing.B) {
			least := time.Hour
			for b.Loop() {
				began := time.Now()
				cmd := exec.Command("/bin/true")
				if err := f.Confine(cmd); err != nil {
					b.Fatal(err)
				}
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				least = min(least, time.Since(began))
			}
			b.ReportMetric(float64(least), "least-ns/op") // tells most if others run
		})
	}
}
