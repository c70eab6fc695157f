// This file fetches scripts of git repositories. Nothing is checked out: no link, hook, filter,
// attribute or submodule of the repository can have an effect.

package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
)

const (
	// mostFetched is how many bytes of a repository are fetched.
	mostFetched = 200 << 20
	// mostListed is how many bytes the list of a folder may have.
	mostListed = 16 << 20
)

// repository returns scripts of a git repository.
func (f *Fetcher) repository(ctx context.Context, s Source) ([]File, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is not installed, and is needed for this source")
	}
	g, done, err := f.openCommit(ctx, s)
	if done != nil {
		defer done()
	}
	if err != nil {
		return nil, err
	}
	list, err := g.list(ctx, g.commit, s.Path)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, o := range list {
		name := path.Base(o.path)
		alone := o.path == s.Path
		if !alone && !f.isScript(name) {
			continue
		}
		text, err := g.readObject(ctx, o)
		if err != nil && (alone || ctx.Err() != nil) {
			return nil, err
		}
		one := s
		if one.Path = o.path; !alone {
			one.text = s.only(o.path)
		}
		got := newFile(name, text, one, g.commit)
		got.Trouble = err
		files = append(files, got)
		if err := tooMany(files); err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, g.elsewhere(ctx, f, g.commit, s.Path)
	}
	return files, nil
}

func (f *Fetcher) address(s Source) string {
	if f.Moved != nil {
		return f.Moved(s.At)
	}
	return s.At
}

// only returns how a user would write one file of a repository.
func (s Source) only(file string) string {
	ref := ""
	if s.Ref != "" {
		ref = "@" + s.Ref
	}
	if name, ok := strings.CutPrefix(s.At, githubHost); ok {
		return "github:" + strings.TrimSuffix(name, ".git") + "/" + file + ref
	}
	return "git:" + s.At + ref + "//" + file
}

// repo is a bare repository in a temporary folder.
type repo struct{ dir string }

// gitSettings close the ways in which git runs other programs, or follows what a repository says.
var gitSettings = []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never",
	"-c", "protocol.https.allow=always", "-c", "protocol.ssh.allow=always",
	"-c", "protocol.file.allow=always", "-c", "fetch.recurseSubmodules=false",
	"-c", "submodule.recurse=false", "-c", "core.fsmonitor=false", "-c", "gc.auto=0",
	"-c", "maintenance.auto=false"}

// git runs git in the repository and returns its output, of which there may be most bytes; 0 is no
// limit.
func (g repo) git(ctx context.Context, most int, args ...string) ([]byte, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, "git", append(gitSettings, args...)...)
	cmd.Dir, cmd.WaitDelay = g.dir, time.Second
	cmd.Env = append(cleanEnviron(), "GIT_TERMINAL_PROMPT=0", "GIT_DIR="+g.dir,
		"LC_ALL=C", "GIT_NO_LAZY_FETCH=1", "GIT_SSH_COMMAND=ssh -o BatchMode=yes")
	var out, said bytes.Buffer
	limited := &limit{to: &out, left: most, over: stop}
	cmd.Stdout, cmd.Stderr = limited, &said
	if most == 0 {
		cmd.Stdout = &out
	}
	err := cmd.Run()
	switch {
	case most > 0 && limited.left < 0:
		return nil, fmt.Errorf("git %s prints more than %d bytes", args[0], most)
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("git %s: %s", args[0], lastLine(said.String(), err))
	}
	return out.Bytes(), nil
}

// cleanEnviron is the environment without variables that lead git to other repositories. Those that
// name the certificates to trust stay: some networks and package managers need them.
func cleanEnviron() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "GIT_SSL_CA") {
			env = append(env, v)
		}
	}
	return env
}

// lastLine returns the most telling line of what git says.
func lastLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	for _, l := range lines {
		if text, ok := strings.CutPrefix(l, "fatal: "); ok {
			return plain.Line(text, 300)
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		return plain.Line(last, 300)
	}
	return err.Error()
}

// limit passes on a number of bytes; then it calls over.
type limit struct {
	to   *bytes.Buffer
	left int
	over func()
}

func (l *limit) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		l.over()
		return 0, errors.New("too much output")
	}
	return l.to.Write(b)
}

// fetch fetches a ref, "" is the default, and returns its commit.
func (g repo) fetch(ctx context.Context, address, ref string) (string, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go g.watchSize(ctx, func() {
		stop(fmt.Errorf("the repository is larger than %d MB", mostFetched>>20))
	})
	if ref == "" {
		ref = "HEAD"
	}
	_, err := g.git(ctx, 0, "fetch", "-q", "--depth=1", "--no-tags", "--no-write-fetch-head",
		"--", address, "+"+ref+":refs/fetched")
	if cause := context.Cause(ctx); cause != nil {
		return "", cause
	}
	switch {
	case err != nil && shortCommits().MatchString(ref):
		return "", fmt.Errorf("%w; a commit needs all of its 40 digits", err)
	case err != nil:
		return "", err
	}
	out, err := g.git(ctx, 0, "rev-parse", "--verify", "-q", "refs/fetched^{commit}")
	return strings.TrimSpace(string(out)), err
}

var shortCommits = lazyregexp.New(`^[0-9a-f]{4,39}$`)

// watchSize calls over when the folder of the repository is too large.
func (g repo) watchSize(ctx context.Context, over func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
		size := int64(0)
		filepath.WalkDir(g.dir, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				if info, err := d.Info(); err == nil {
					size += info.Size()
				}
			}
			return nil
		})
		if size > mostFetched {
			over()
			return
		}
	}
}

// object is a file of a commit.
type object struct {
	hash, path string
	mode       string
	size       int
}

// list returns what is at a path of a commit: the files of a folder, or one file.
func (g repo) list(ctx context.Context, commit, at string) ([]object, error) {
	what := at
	if at != "" {
		out, err := g.git(ctx, mostListed, "ls-tree", "-z", "-l", "--full-tree", commit, "--",
			literal(at))
		if err != nil {
			return nil, err
		}
		found := parseTree(out)
		if len(found) == 0 {
			return nil, fmt.Errorf("there is no %s in it", plain.RevealName(at))
		}
		if found[0].mode != "040000" {
			return found, nil
		}
		what = literal(at + "/")
	}
	args := []string{"ls-tree", "-z", "-l", "--full-tree", commit}
	if what != "" {
		args = append(args, "--", what)
	}
	out, err := g.git(ctx, mostListed, args...)
	return parseTree(out), err
}

// literal returns a path for a command of git that takes patterns.
func literal(p string) string { return ":(literal)" + p }

// parseTree parses what git ls-tree -z -l prints.
func parseTree(out []byte) (list []object) {
	for _, line := range strings.Split(string(out), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about)
		if !ok || len(fields) != 4 {
			continue
		}
		size, _ := strconv.Atoi(fields[3])
		list = append(list, object{hash: fields[2], path: name, mode: fields[0], size: size})
	}
	return list
}

// readObject returns the bytes of a file.
func (g repo) readObject(ctx context.Context, o object) ([]byte, error) {
	switch {
	case o.mode == "120000":
		return nil, errors.New("it is a link: name the file that it leads to")
	case !strings.HasPrefix(o.mode, "100"):
		return nil, errors.New("it is not a file")
	case o.size > mostBytes:
		return nil, fmt.Errorf("larger than %d KB", mostBytes>>10)
	}
	return g.git(ctx, mostBytes+1, "cat-file", "blob", o.hash)
}

// elsewhere is the error if there is no script at a path: it says where there are some.
func (g repo) elsewhere(ctx context.Context, f *Fetcher, commit, at string) error {
	out, err := g.git(ctx, mostListed, "ls-tree", "-z", "-l", "-r", "--full-tree", commit)
	if err != nil {
		return err
	}
	var folders []string
	for _, o := range parseTree(out) {
		dir := path.Dir(o.path)
		if f.isScript(path.Base(o.path)) && (len(folders) == 0 || folders[len(folders)-1] != dir) {
			folders = append(folders, dir)
		}
	}
	if at == "" {
		at = "its top folder"
	}
	if len(folders) == 0 {
		return fmt.Errorf("there is no %s in it", f.noun())
	}
	return fmt.Errorf("there is no %s in %s; there are some in %s", f.noun(), plain.RevealName(at),
		plain.RevealName(strings.Join(folders[:min(len(folders), 5)], ", ")))
}
