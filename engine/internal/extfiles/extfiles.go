// Package extfiles reads the files that an extension of another host runs. Their bytes are not
// kept, because a compiled program has many: a file is known by its hash, as the module of a
// script.
//
//	var h extfiles.Hasher
//	list, moving := h.Modules(extfiles.Folder{Root: root, Path: dir}, names)
package extfiles

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agentscripts/agent/engine/internal/changes"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/scriptfile"
)

const (
	// maxFile is the largest file that is read: ten times the size of a large compiled program.
	maxFile = 256 << 20
	// racy is the minimum age of a file's last change for its time stamp to prove that the content
	// is unchanged: several writes may share one stamp.
	racy = 2 * time.Second
	// chunk is how much is read at once.
	chunk = 256 << 10
)

// Folder is the folder of an extension.
type Folder struct {
	Root *os.Root // nil: links may lead out of it
	Path string
	// Perhaps has the names of files that may be missing, or lead out of the folder.
	Perhaps map[string]bool
	// Rest is how many bytes may be read in all, and becomes less; nil = no limit.
	Rest *int64
	// Usable returns an error if a file must not be used; nil = each may be.
	Usable func(fs.FileInfo) error
}

// Hasher computes the hashes of files, and remembers them as long as time stamps prove that the
// files are unchanged. The zero Hasher is ready. It is safe for concurrent use.
type Hasher struct {
	mu    sync.Mutex
	known map[string]sum // by path
}

// sum is what is known of a file.
type sum struct {
	info fs.FileInfo
	hash string
}

// Modules reads the named files of a folder. The Bytes of a module say what the file is: its hash,
// its size, and whether it may be executed. Guards is set, because nothing in the files tells that
// an extension does not guard. moving reports that a file changed while it was read.
func (h *Hasher) Modules(in Folder, names []string) (list []*scriptfile.Module, moving bool) {
	for _, name := range names {
		m := &scriptfile.Module{Name: name, File: name, Guards: true,
			Path: filepath.Join(in.Path, filepath.FromSlash(name))}
		list = append(list, m)
		s, changed, err := h.sum(in, m)
		if err != nil && in.Perhaps[name] {
			m.Bytes = []byte(otherwise(m.Path))
			continue
		}
		if err != nil {
			m.Err = err
			continue
		}
		m.Bytes, moving = s.text(), moving || changed
	}
	return list, moving
}

// sumStart begins the text about a file that was read.
const sumStart = "sha256 "

// otherwise describes what is at a path in place of a file in the folder.
func otherwise(path string) string {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "missing\n"
	}
	real, _ := realpath.Of(path)
	return "leads to " + real + "\n"
}

// text describes the file: two files have the same text if they have the same content, and both or
// neither can be executed.
func (s *sum) text() []byte {
	text := fmt.Sprintf(sumStart+"%s\n%d bytes\n", s.hash, s.info.Size())
	if s.info.Mode().Perm()&0o111 != 0 {
		text += "executable\n"
	}
	return []byte(text)
}

// sum opens and reads one file.
func (h *Hasher) sum(in Folder, m *scriptfile.Module) (s sum, moving bool, err error) {
	at := filepath.FromSlash(m.Name)
	if !filepath.IsLocal(at) {
		return s, false, errors.New("is not in the folder of the extension")
	}
	file, err := in.openFile(at)
	if err != nil {
		if in.Root != nil && realpath.Exists(m.Path) && realpath.Escapes(in.Path, m.Path) {
			return s, false, errors.New("is a link out of the folder of the extension")
		}
		return s, false, unreadable(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return s, false, unreadable(err)
	}
	if in.Usable != nil {
		if err := in.Usable(info); err != nil {
			return s, false, err
		}
	}
	if in.Rest != nil {
		if *in.Rest -= info.Size(); *in.Rest < 0 {
			return s, false, errors.New("is too large, together with the files before it")
		}
	}
	if s, ok := h.recall(m.Path, info); ok {
		return s, false, nil
	}
	began := time.Now()
	if s, err = readSum(file, info); err != nil {
		return s, false, err
	}
	now, err := file.Stat()
	if moving = err != nil || !sameStamps(now, info); !moving {
		h.remember(m.Path, s, began)
	}
	return s, moving, nil
}

func (in *Folder) openFile(name string) (*os.File, error) {
	if in.Root == nil {
		return regularfile.Open(filepath.Join(in.Path, name), os.O_RDONLY, 0)
	}
	return regularfile.OpenIn(in.Root, name)
}

// readSum reads an open file to its end.
func readSum(file io.Reader, info fs.FileInfo) (sum, error) {
	s := sum{info: info}
	if info.Size() > maxFile {
		return s, fmt.Errorf("has %d bytes, and a file of an extension may have %d", info.Size(),
			maxFile)
	}
	hash := sha256.New()
	n, err := io.CopyBuffer(hash, struct{ io.Reader }{io.LimitReader(file, maxFile+1)},
		make([]byte, chunk))
	switch {
	case err != nil:
		return s, unreadable(err)
	case n > maxFile:
		return s, fmt.Errorf("has more than %d bytes", maxFile)
	}
	s.hash = hex.EncodeToString(hash.Sum(nil))
	return s, nil
}

// recall returns what is known of a file that has not changed since it was read.
func (h *Hasher) recall(path string, info fs.FileInfo) (sum, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.known[path]
	if !ok || !os.SameFile(s.info, info) || !sameStamps(s.info, info) {
		return sum{}, false
	}
	return s, true
}

// remember keeps what was read, if a later change must change a time stamp.
func (h *Hasher) remember(path string, s sum, began time.Time) {
	at, ok := changes.TimeOf(s.info)
	if !ok || began.Sub(at) < racy {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[string]sum{}
	}
	h.known[path] = s
}

// sameStamps reports whether size, mode and times are the same.
func sameStamps(a, b fs.FileInfo) bool {
	at, _ := changes.TimeOf(a)
	bt, _ := changes.TimeOf(b)
	return a.Size() == b.Size() && a.Mode() == b.Mode() && a.ModTime().Equal(b.ModTime()) &&
		at.Equal(bt)
}

// Check returns an error that names the first file that is not as it was when it was read: before a
// program is started again, which the user may have trusted by its hash.
func Check(list []*scriptfile.Module) error {
	for _, m := range list {
		err := m.Err
		if err == nil {
			err = checkModule(m)
		}
		if err != nil {
			return fmt.Errorf("%s %w", cmp.Or(m.File, m.Name), err)
		}
	}
	return nil
}

func checkModule(m *scriptfile.Module) error {
	if !bytes.HasPrefix(m.Bytes, []byte(sumStart)) {
		if otherwise(m.Path) != string(m.Bytes) {
			return errors.New("has changed since it was loaded")
		}
		return nil
	}
	file, err := regularfile.Open(m.Path, os.O_RDONLY, 0)
	if err != nil {
		return unreadable(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return unreadable(err)
	}
	s, err := readSum(file, info)
	if err == nil && !bytes.Equal(s.text(), m.Bytes) {
		err = errors.New("has changed since it was loaded")
	}
	return err
}

// unreadable returns the error without the path, which the caller names.
func unreadable(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("cannot be read: %w", err)
}
