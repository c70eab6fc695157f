// This file reads the index: the list of the files that git tracks in a work tree.

package gitdir

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
)

// maxIndex limits the bytes of an index: some 400,000 files.
const maxIndex = 64 << 20

// errIndex reports an index whose list of files cannot be read, or is incomplete.
var errIndex = errors.New("the index of git is in another format")

// TrackedFiles returns the files that git tracks, relative to Root, with slashes; also links, and
// the folders of submodules. It returns none if there is no index.
func (r *Repository) TrackedFiles() (names []string, err error) {
	b, err := readFile(filepath.Join(r.Dir, "index"), maxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	hash := 20
	for _, s := range readSettings(filepath.Join(r.Common, "config")) {
		if s.key == "extensions.objectformat" && strings.EqualFold(s.value, "sha256") {
			hash = 32
		}
	}
	return parseIndex(b, hash)
}

// parseIndex returns the names in an index of versions 2 to 4: see gitformat-index(5). hash is the
// length of a hash in bytes.
func parseIndex(b []byte, hash int) (names []string, err error) {
	const header = 12
	if len(b) < header+hash || string(b[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, n := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	rest, end := b[header:len(b)-hash], hash+42 // where the name begins
	if version < 2 || version > 4 || uint64(n)*uint64(end) > uint64(len(rest)) {
		return nil, errIndex
	}
	names = make([]string, 0, n)
	for before := ""; uint32(len(names)) < n; {
		at := end
		if len(rest) > end && rest[end-2]&0x40 != 0 { // extended flags
			at += 2
		}
		if at >= len(rest) {
			return nil, errIndex
		}
		name, kept := rest[at:], 0
		if version == 4 {
			var size int
			if kept, size = prefixLength(name, len(before)); size == 0 {
				return nil, errIndex
			}
			at, name = at+size, name[size:]
		}
		zero := bytes.IndexByte(name, 0)
		if zero < 0 {
			return nil, errIndex
		}
		before = before[:kept] + string(name[:zero])
		if at += zero + 1; version < 4 { // padded to a multiple of eight bytes
			at = (at + 7) / 8 * 8
		}
		if at > len(rest) || strings.HasSuffix(before, "/") { // a folder of a sparse index
			return nil, errIndex
		}
		names, rest = append(names, before), rest[at:]
	}
	for len(rest) >= 8 { // extensions; "link": the rest of the list is in another file
		size := uint64(binary.BigEndian.Uint32(rest[4:])) + 8
		if string(rest[:4]) == "link" || size > uint64(len(rest)) {
			return nil, errIndex
		}
		rest = rest[size:]
	}
	return names, nil
}

// prefixLength decodes how many bytes of the name before are removed, and returns how many are kept
// of its length; size is 0 if the number is invalid.
func prefixLength(b []byte, length int) (kept, size int) {
	value := 0
	for i, c := range b {
		if value > length {
			break
		}
		if i > 0 {
			value++
		}
		if value = value<<7 | int(c&0x7f); c&0x80 == 0 {
			if value > length {
				break
			}
			return length - value, i + 1
		}
	}
	return 0, 0
}
