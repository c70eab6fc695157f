// This file keeps the last good version of each script on disk, for the next start.

package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
)

// record is one last good version. On disk it is a line of JSON, then the bytes of the script and
// those of its modules.
type record struct {
	Name    string         `json:"name"`
	Path    string         `json:"path"`
	Hash    string         `json:"sha256"`
	Modules []recordModule `json:"modules,omitempty"`
	// the file vanished while a tool was running, and the user has not decided
	Vanished bool `json:"vanished,omitempty"`

	bytes []byte
}

type recordModule struct {
	Name string `json:"name"`
	File string `json:"file"`
	Path string `json:"path"`
	Size int    `json:"size"`
	// of an extension of another host: see scriptfile.Module
	Guards bool `json:"guards,omitempty"`
	bytes  []byte
}

func modulesOf(lib *scriptfile.Library) (out []recordModule) {
	if lib == nil {
		return nil
	}
	for _, m := range lib.Modules {
		if m.File != "" {
			out = append(out, recordModule{m.Name, m.File, m.Path, len(m.Bytes), m.Guards,
				m.Bytes})
		}
	}
	return out
}

// library returns the modules of the recorded version.
func (r *record) library() *scriptfile.Library {
	if len(r.Modules) == 0 {
		return nil
	}
	lib := &scriptfile.Library{}
	for _, m := range r.Modules {
		lib.Modules = append(lib.Modules, &scriptfile.Module{Name: m.Name, File: m.File,
			Path: m.Path, Bytes: m.bytes, Guards: m.Guards})
	}
	return lib
}

// body returns the bytes after the line of JSON.
func (r *record) body() []byte {
	out := slices.Clone(r.bytes)
	for _, m := range r.Modules {
		out = append(out, m.bytes...)
	}
	return out
}

// split cuts a body into the bytes of the script and those of its modules, which come last.
func (r *record) split(body []byte) error {
	for i := len(r.Modules) - 1; i >= 0; i-- {
		m := &r.Modules[i]
		if m.Size < 0 || m.Size > len(body) {
			return errors.New("its modules are incomplete")
		}
		m.bytes, body = body[len(body)-m.Size:], body[:len(body)-m.Size]
	}
	r.bytes = body
	return nil
}

// goodStore is the folder of records, one file per script path. With an empty dir it stores
// nothing. Its methods are safe for concurrent use.
type goodStore struct {
	dir string

	mu     sync.Mutex
	hashes map[string]string // by path: hash of the record on disk, if known
}

const recordEnd = ".good"

func newGoodStore(home string) *goodStore {
	return &goodStore{dir: under(home, "state", "good"), hashes: map[string]string{}}
}

// file returns the path of the record of the script at path: two scripts of one name have separate
// records.
func (s *goodStore) file(path string) string {
	return filepath.Join(s.dir, hashOf([]byte(path))[:32]+recordEnd)
}

// getRecord returns the record of the script at path; nil if there is none, or if it is damaged.
func (s *goodStore) getRecord(path string) *record {
	if s.dir == "" {
		return nil
	}
	r, err := readRecord(s.file(path))
	if err != nil || r.Path != path {
		return nil
	}
	s.know(r)
	return r
}

// know records what is on disk, so that it is not written again. The record of a vanished file is
// written again when the file loads, to clear Vanished.
func (s *goodStore) know(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hashes, r.Path)
	if !r.Vanished {
		s.hashes[r.Path] = r.Hash
	}
}

// forget causes the record of the script at path to be written again, whatever is on disk.
func (s *goodStore) forget(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.hashes, path)
}

// has reports whether the record with that hash is known to be on disk.
func (s *goodStore) has(path, hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hashes[path] == hash
}

func readRecord(file string) (*record, error) {
	b, err := regularfile.Read(file)
	if err != nil {
		return nil, err
	}
	line, body, ok := bytes.Cut(b, []byte("\n"))
	r := &record{}
	if err := json.Unmarshal(line, r); err != nil || !ok {
		return nil, fmt.Errorf("record %s: not a record", file)
	}
	if err := r.split(body); err != nil {
		return nil, fmt.Errorf("record %s: %w", file, err)
	}
	if contentHash(r.bytes, r.library()) != r.Hash ||
		path.Base(r.Name) != filepath.Base(r.Path) && !isPart(r.Name, r.Path) {
		return nil, fmt.Errorf("record %s: its content does not match its hash", file)
	}
	return r, nil
}

// all returns every valid record, by path.
func (s *goodStore) all() []*record {
	if s.dir == "" {
		return nil
	}
	list, _ := os.ReadDir(s.dir)
	var out []*record
	for _, d := range list {
		if !strings.HasSuffix(d.Name(), recordEnd) {
			continue
		}
		if r, err := readRecord(filepath.Join(s.dir, d.Name())); err == nil &&
			s.file(r.Path) == filepath.Join(s.dir, d.Name()) {
			s.know(r)
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *record) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// put writes a record unless it is already there.
func (s *goodStore) put(r *record) error {
	if s.dir == "" || s.has(r.Path, r.Hash) {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	// not durable: a record damaged by a power failure is detected by its hash, and the script's
	// own file still exists
	b := append(append(line, '\n'), r.body()...)
	if err := atomicfile.Write(s.file(r.Path), b, 0o600); err != nil {
		return err
	}
	s.know(r)
	return nil
}

// mark sets in the record whether the script's file vanished while a tool was running.
func (s *goodStore) mark(path string, vanished bool) {
	r := s.getRecord(path)
	if r == nil || r.Vanished == vanished {
		return
	}
	r.Vanished = vanished
	s.forget(path)
	_ = s.put(r) // if it fails, the question is not asked again after a restart
}

// remove deletes the record of the script at path.
func (s *goodStore) remove(path string) error {
	if s.dir == "" {
		return nil
	}
	s.forget(path)
	if err := os.Remove(s.file(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
