// This file keeps the trusted bytes of project scripts on disk, by their hash: they stay in force
// if the files change or vanish.

package load

import (
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/trust"
)

// contentStore is a folder of contents, one file per hash, in the format of a record without name
// and path: the same content may be trusted in several places.
type contentStore struct{ dir string }

func (s contentStore) file(hash string) string { return filepath.Join(s.dir, hash) }

// keepContent stores a content, unless it is stored already.
func (s contentStore) keepContent(c *content) error {
	if have, err := readRecord(s.file(c.hash)); err == nil && have.Hash == c.hash {
		now := time.Now()
		return os.Chtimes(s.file(c.hash), now, now) // see sweep
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	r := &record{Hash: c.hash, Modules: modulesOf(c.library), bytes: c.bytes}
	for i := range r.Modules {
		r.Modules[i].Path = ""
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return atomicfile.Write(s.file(c.hash), append(append(line, '\n'), r.body()...),
		0o600)
}

// content returns the content with that hash, of a script in the folder dir; nil if it is not kept,
// or damaged.
func (s contentStore) content(hash, dir string) *content {
	r, err := readRecord(s.file(hash))
	if err != nil || r.Hash != hash {
		return nil
	}
	for i := range r.Modules {
		m := &r.Modules[i]
		m.Path = filepath.Join(dir, filepath.FromSlash(m.File)) // "lib/x.lua"
	}
	return &content{bytes: r.bytes, hash: hash, library: r.library()}
}

// has reports whether there is a file for the content; it may be damaged.
func (s contentStore) has(hash string) bool {
	_, err := os.Lstat(s.file(hash))
	return err == nil
}

// sweepAge is the minimal age of a content that is removed: another process may have stored it, and
// be about to record that it is trusted.
const sweepAge = time.Hour

// sweep removes old contents that are no longer trusted. Failures are retried the next time.
func (s contentStore) sweep(decided trust.Decisions, now time.Time) {
	list, _ := os.ReadDir(s.dir)
	for _, d := range list {
		info, err := d.Info()
		if err == nil && !decided.Needs(d.Name()) && now.Sub(info.ModTime()) > sweepAge {
			_ = os.Remove(filepath.Join(s.dir, d.Name()))
		}
	}
}
