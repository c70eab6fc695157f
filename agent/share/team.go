// This file reads the lock file of a team, which a machine follows: its scripts become those of the
// machine.

package share

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/plain"
)

// lockName is the name of the lock file in a folder or a repository.
const lockName = "scripts.lock"

// Team is a lock file that others keep, as it was fetched.
type Team struct {
	// From leads to it in whatever version. The entries of the scripts that come by it have it in
	// their field Team.
	From    string
	Entries []Entry // with sources that lead to the scripts from here
}

// FetchTeam fetches the lock file of a team: the file that a source names, or scripts.lock in the
// folder that it names.
func (f *Fetcher) FetchTeam(ctx context.Context, s Source) (*Team, error) {
	locks := &Fetcher{Endings: []string{".lock"}, Client: f.Client, Moved: f.Moved,
		what: "lock file", kept: f.kept}
	files, err := locks.Fetch(ctx, s)
	if err != nil {
		return nil, err
	}
	if files[0].From.text != s.text { // it is a folder
		files = slices.DeleteFunc(files, func(f File) bool { return f.Name != lockName })
	}
	name := plain.RevealName(s.String())
	switch {
	case len(files) == 0:
		return nil, fmt.Errorf("%s: there is no %s", name, lockName)
	case files[0].Trouble != nil:
		return nil, fmt.Errorf("%s: %s: %w", name, lockName, files[0].Trouble)
	}
	lock := files[0]
	name = plain.RevealName(lock.From.String())
	list, err := parseLock(name, lock.Text, func(e *Entry) error {
		if err := e.checkEntry(f.CheckName); err != nil {
			return err
		}
		e.SHA256 = strings.ToLower(e.SHA256)
		if err := locate(e, lock); err != nil {
			return fmt.Errorf("%s: source %s: %w", e.File, shownSource(e.Source), err)
		}
		return nil
	})
	var line *lineError
	switch {
	case errors.As(err, &line):
		return nil, fmt.Errorf("%w; those who keep the lock file must mend it", err)
	case err != nil:
		return nil, err
	case list == nil: // nothing is removed because of that
		return nil, fmt.Errorf("%s: it has no list scripts", name)
	case len(list) > mostFiles:
		return nil, fmt.Errorf("%s: it names more than %d scripts", name, mostFiles)
	}
	return &Team{From: lock.From.anyVersion(), Entries: list}, nil
}

// anyVersion returns how a user would write the source without a version.
func (s Source) anyVersion() string {
	switch s.Kind {
	case KindGit:
		s.Ref = ""
		return s.only(s.Path)
	case KindURL:
		return s.At
	}
	return s.text
}

// locate makes the source of an entry lead to the script from here: a path is relative to the lock
// file that names it.
func locate(e *Entry, lock File) error {
	s, err := ParseSource(e.Source)
	if err != nil || s.Kind != KindFile {
		return err
	}
	from, at := lock.From, e.Source
	if from.Kind == KindFile {
		if !filepath.IsAbs(at) {
			e.Source = filepath.Join(filepath.Dir(from.At), at)
		}
		return nil
	}
	if filepath.IsAbs(at) || strings.HasPrefix(at, "/") || strings.ContainsAny(at, `\:`) {
		return errors.New("this is a path of another machine: want a path relative to the lock " +
			"file, or an address")
	}
	if from.Kind == KindURL {
		base, err := url.Parse(from.At)
		if err != nil {
			return err
		}
		e.Source = base.ResolveReference(&url.URL{Path: at}).String()
		return nil
	}
	inside := path.Join(path.Dir(from.Path), at)
	one, err := ParseSource(from.only(inside))
	if err != nil || one.Path != inside {
		return errors.New("it leads out of the repository, or cannot be written as a source")
	}
	e.Source, e.Resolved = one.String(), lock.Resolved
	return nil
}

// Preview returns a preview of the very bytes that an entry of the team's lock file names. A script
// of the same name that is going is no obstacle.
func (t *Team) Preview(ctx context.Context, in *Installer, e Entry, going []string) (*Preview,
	error) {
	f, err := exactly(ctx, in, e)
	var other *otherBytes
	if errors.As(err, &other) {
		err = fmt.Errorf("%w: those who keep the lock file must mend it", err)
	}
	if err != nil {
		return nil, err
	}
	p, err := in.preview(f, going)
	if err == nil {
		p.team = t.From
	}
	return p, err
}
