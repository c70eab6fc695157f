// This file finds newer versions of what is installed, and what a lock file has that this machine
// has not.

package share

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentscripts/agent/engine/lazyregexp"
)

// Newer returns a preview of the version that the source of an entry offers now; nil if that is the
// one that is installed, or cannot change.
func (in *Installer) Newer(ctx context.Context, e Entry) (*Preview, error) {
	s, err := ParseSource(e.Source)
	if err != nil {
		return nil, err
	}
	if s.Kind != KindFile && s.Exact() {
		return nil, nil
	}
	f, err := in.one(ctx, s, e.File)
	if err != nil || f.SHA256 == e.SHA256 {
		return nil, err
	}
	return in.Preview(f)
}

// Locked returns a preview of the very bytes that an entry names, which then stays as it is. A
// script of the same name that is going is no obstacle.
func (in *Installer) Locked(ctx context.Context, e Entry, going []string) (*Preview, error) {
	f, err := exactly(ctx, in, e)
	var other *otherBytes
	if errors.As(err, &other) {
		err = fmt.Errorf("%w: agent ext update %s shows them", err, e.File)
	}
	if err != nil {
		return nil, err
	}
	p, err := in.preview(f, going)
	if err == nil {
		p.locked = &e
	}
	return p, err
}

// otherBytes is the error of a source that offers other bytes than an entry names.
type otherBytes struct {
	e   Entry
	got string // the hash of what it offers
}

func (x *otherBytes) Error() string {
	return fmt.Sprintf("%s: %s offers other bytes now (sha256 %s) than the lock file has (%s)",
		x.e.File, x.e.Source, x.got, x.e.SHA256)
}

// exactly fetches the very bytes that an entry names.
func exactly(ctx context.Context, in *Installer, e Entry) (File, error) {
	s, err := ParseSource(e.Source)
	if err != nil {
		return File{}, err
	}
	as := s
	if s.Kind == KindGit && commits().MatchString(e.Resolved) {
		as.Ref = e.Resolved
	}
	f, err := in.one(ctx, as, e.File)
	if err != nil && s.Kind == KindGit && ctx.Err() == nil { // not each server gives each commit
		f, err = in.one(ctx, s, e.File)
	}
	if err == nil && f.SHA256 != e.SHA256 {
		err = &otherBytes{e, f.SHA256}
	}
	f.From = s
	return f, err
}

var commits = lazyregexp.New(`^[0-9a-f]{40}$`)

// one fetches the one script of a source, under the name that it has here.
func (in *Installer) one(ctx context.Context, s Source, name string) (File, error) {
	files, err := in.Fetch.FetchAs(ctx, s, name)
	if err != nil {
		return File{}, err
	}
	if len(files) > 1 {
		return File{}, errors.New(s.String() + " offers several scripts by now")
	}
	return files[0], nil
}
