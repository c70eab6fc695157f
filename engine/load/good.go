// This file keeps the last good version of each script on disk, for the next start.
package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// record is one last good version. On disk it is a line of JSON, then the bytes of the script.
type record struct {
	Name     string `json:"name"`
	Path     string `json:"path"`
	Hash     string `json:"sha256"`
	Vanished bool   `json:"vanished,omitempty"` // the file went while a tool was at work, and the user has not decided

	bytes []byte
}

// goodStore is the folder of records, one file per script path. The zero dir keeps nothing. It is
// used under the loader's lock.
type goodStore struct {
	dir    string
	hashes map[string]string // by path: what is on disk, as far as known
}

const recordEnd = ".good"

func newGoodStore(home string) *goodStore {
	return &goodStore{dir: under(home, "state", "good"), hashes: map[string]string{}}
}

func dirOf(path string) string { return filepath.Dir(path) }

// file is where the record of the script at path lies: two scripts of one name do not share it.
func (s *goodStore) file(path string) string {
	return filepath.Join(s.dir, hashOf([]byte(path))[:32]+recordEnd)
}

// get returns the record of the script at path; nil if there is none, or if it is not what was written.
func (s *goodStore) get(path string) *record {
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

// know remembers what is on disk, so that it is not written again. A record of a vanished file is: when
// its file loads, it has not vanished any more.
func (s *goodStore) know(r *record) {
	delete(s.hashes, r.Path)
	if !r.Vanished {
		s.hashes[r.Path] = r.Hash
	}
}

func readRecord(file string) (*record, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	line, body, ok := bytes.Cut(b, []byte("\n"))
	r := &record{bytes: body}
	if err := json.Unmarshal(line, r); err != nil || !ok {
		return nil, fmt.Errorf("record %s: not a record", file)
	}
	if hashOf(body) != r.Hash || r.Name != filepath.Base(r.Path) {
		return nil, fmt.Errorf("record %s: its bytes are not those that were written", file)
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
		if r, err := readRecord(filepath.Join(s.dir, d.Name())); err == nil && s.file(r.Path) == filepath.Join(s.dir, d.Name()) {
			s.know(r)
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *record) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// put writes a record unless the same one is there.
func (s *goodStore) put(r *record) error {
	if s.dir == "" || s.hashes[r.Path] == r.Hash {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := writeAtomic(s.file(r.Path), append(append(line, '\n'), r.bytes...)); err != nil {
		return err
	}
	s.know(r)
	return nil
}

// mark notes in the record whether the script's file vanished under a tool's hands.
func (s *goodStore) mark(path string, vanished bool) {
	r := s.get(path)
	if r == nil || r.Vanished == vanished {
		return
	}
	r.Vanished = vanished
	delete(s.hashes, path)
	_ = s.put(r) // without it the question is only not asked again after a restart
}

// remove forgets the script at path.
func (s *goodStore) remove(path string) error {
	if s.dir == "" {
		return nil
	}
	delete(s.hashes, path)
	if err := os.Remove(s.file(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// writeAtomic writes a private file in one step: a reader sees the old or the new one. It is not synced: a
// record that a power cut tore is seen by its hash, and the script's own file is still there.
func writeAtomic(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
