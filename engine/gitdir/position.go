package gitdir

import (
	"bytes"
	"path/filepath"
	"strings"
)

// Position is where the HEAD of a repository is.
type Position struct {
	ID    string   // changes when HEAD moves: by a commit, a checkout, a pull; "" = no repository
	Files []string // a change of HEAD changes one of them
}

// Position returns where HEAD is.
func (r Repository) Position() Position {
	if r.Head == "" {
		return Position{}
	}
	p := Position{ID: r.Head, Files: []string{r.headFile()}}
	name, ok := strings.CutPrefix(r.Head, "ref: ")
	if !ok || !filepath.IsLocal(name) {
		return p
	}
	loose, packed := filepath.Join(r.Common, filepath.FromSlash(name)),
		filepath.Join(r.Common, "packed-refs")
	tables := filepath.Join(r.Common, "reftable", "tables.list")
	p.Files = append(p.Files, loose, packed, tables)
	if b, err := readFile(tables, maxFile); err == nil { // references are in a binary format
		p.ID += " " + string(b)
	} else if b, err := readFile(loose, maxFile); err == nil {
		p.ID += " " + strings.TrimSpace(string(b))
	} else if b, err := readFile(packed, maxPacked); err == nil {
		p.ID += " " + packedRef(b, name)
	}
	return p
}

// packedRef finds a reference in packed-refs: lines of a hash, a space and a name.
func packedRef(packed []byte, name string) string {
	for line := range bytes.Lines(packed) {
		hash, ref, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		if ok && ref == name {
			return hash
		}
	}
	return ""
}
