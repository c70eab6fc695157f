// This file fetches each revision of a git repository once, for commands about many scripts.

package share

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// mostRepositories is how many revisions are kept until a command ends: more than the scripts of a
// lock file usually come from. Further ones are fetched again for each script.
const mostRepositories = 16

// kept is what one command has fetched. It is not safe for concurrent use.
type kept struct {
	found map[revision]*snapshot
	dirs  []string
}

// revision is a repository, and what was asked for of it.
type revision struct{ address, ref string }

// snapshot is a commit that was fetched into a bare repository.
type snapshot struct {
	repo
	commit string
	err    error // why it could not be fetched
}

// Together returns a fetcher for one command, which fetches each revision of a repository once: two
// scripts of it are of one commit, and a server that does not answer is asked once. end removes
// what was fetched. The fetcher is not safe for concurrent use.
func (f *Fetcher) Together() (all *Fetcher, end func()) {
	copied := *f
	copied.kept = &kept{found: map[revision]*snapshot{}}
	return &copied, copied.kept.removeAll
}

func (k *kept) removeAll() {
	for _, dir := range k.dirs {
		os.RemoveAll(dir)
	}
	k.found, k.dirs = map[revision]*snapshot{}, nil
}

// fetchedMark begins the names of the temporary folders into which repositories are fetched.
const fetchedMark = "agent-fetch-"

// removeFetched removes what commands that were killed have fetched.
func removeFetched() {
	list, _ := os.ReadDir(os.TempDir())
	for _, d := range list {
		if !d.IsDir() || !strings.HasPrefix(d.Name(), fetchedMark) {
			continue
		}
		if info, err := d.Info(); err == nil && time.Since(info.ModTime()) > leftAfter {
			os.RemoveAll(filepath.Join(os.TempDir(), d.Name()))
		}
	}
}

// openCommit returns a commit of a source's repository. done must be called when it is not read any
// more; nil = there is nothing to do.
func (f *Fetcher) openCommit(ctx context.Context, s Source) (got *snapshot, done func(),
	err error) {
	at := revision{f.address(s), s.Ref}
	if f.kept != nil {
		if got := f.kept.found[at]; got != nil {
			return got, nil, got.err
		}
	}
	removeFetched()
	dir, err := os.MkdirTemp("", fetchedMark+"*")
	if err != nil {
		return nil, nil, err
	}
	got = &snapshot{repo: repo{dir}}
	if _, got.err = got.git(ctx, 0, "init", "-q", "--bare", "."); got.err == nil {
		got.commit, got.err = got.fetch(ctx, at.address, at.ref)
	}
	if f.kept == nil || len(f.kept.dirs) == mostRepositories || errors.Is(got.err,
		context.Canceled) {
		return got, func() { os.RemoveAll(dir) }, got.err
	}
	f.kept.dirs = append(f.kept.dirs, dir)
	f.kept.found[at] = got
	if got.err == nil {
		f.kept.found[revision{at.address, got.commit}] = got
	}
	return got, nil, got.err
}
