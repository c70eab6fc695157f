// This file keeps the trusted bytes of project scripts on disk, by their hash: they stay in force
// if the files change or vanish.

package load

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// contentStore is a folder of contents, one file per hash, in the format of a record without name
// and path: the same content may be trusted in several places.
type contentStore struct{ dir string }

func (s contentStore) file(hash string) string { return filepath.Join(s.dir, hash) }

// keepContent keeps a content, unless it is kept already.
func (s contentStore) keepContent(c *content) error {
	if have, err := readRecord(s.file(c.hash)); err == nil && have.Hash == c.hash {
		return nil
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
	return writeAtomic(s.file(c.hash), append(append(line, '\n'), r.body()...))
}

// content returns the content with that hash, with its modules in the folder lib of dir; nil if it
// is not kept, or damaged.
func (s contentStore) content(hash, dir string) *content {
	r, err := readRecord(s.file(hash))
	if err != nil || r.Hash != hash {
		return nil
	}
	for i := range r.Modules {
		m := &r.Modules[i]
		m.Path = filepath.Join(dir, libFolder,
			filepath.FromSlash(strings.TrimPrefix(m.File, engine.ModulePrefix)))
	}
	return &content{bytes: r.bytes, hash: hash, library: r.library()}
}
