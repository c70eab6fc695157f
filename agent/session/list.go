// This file lists the sessions of a folder for a choice.

package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// scanWhole is the size limit, in bytes, of files that List reads completely: nearly all
	// sessions are smaller.
	scanWhole = 4 << 20
	// scanPart is how much of each end it reads of a larger one, so that huge sessions are listed
	// fast, too.
	scanPart = 1 << 20
	// titleBytes limits the first prompt of a session in a list, which is one line on a screen.
	titleBytes = 200
)

// Info describes a session in a list.
type Info struct {
	ID       string
	Path     string
	Name     string // "" = none
	First    string // first line of its first prompt
	CWD      string // the directory in which it began
	Begun    time.Time
	Modified time.Time
	Messages int  // of the user and the model, on all branches
	More     bool // the file was too large to read completely: there are more messages
	// Damaged describes the damage of the file; "" = none. A file that is not a session has no
	// First.
	Damaged string
}

// Title returns the name, or another title for the session.
func (i *Info) Title() string {
	switch {
	case i.Name != "":
		return i.Name
	case i.First != "":
		return i.First
	case i.Damaged != "":
		return "(" + i.Damaged + ")"
	}
	return "(empty)"
}

// List returns the most recently written sessions of a folder, newest first: at most that many, 0 =
// all. A missing folder has none. It skips sessions without any message. It reads only as many
// files as necessary, and limited parts of them.
func List(dir string, most int) ([]Info, error) {
	all, err := files(dir)
	if err != nil {
		return nil, err
	}
	return newest(all, most), nil
}

// ListAll is List for the sessions of all projects of a home, see Dir.
func ListAll(home string, most int) ([]Info, error) {
	folders, err := os.ReadDir(filepath.Join(home, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var all []Info
	for _, f := range folders {
		if !f.IsDir() {
			continue
		}
		list, err := files(filepath.Join(home, folder, f.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return newest(all, most), nil
}

// files returns the sessions of a folder without reading their contents.
func files(dir string) ([]Info, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var all []Info
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), extension) || f.IsDir() {
			continue
		}
		st, err := f.Info()
		if err != nil { // it was removed meanwhile
			continue
		}
		all = append(all, Info{ID: idOf(f.Name()), Path: filepath.Join(dir, f.Name()),
			Modified: st.ModTime()})
	}
	return all, nil
}

// newest sorts sessions and reads the newest ones.
func newest(all []Info, most int) []Info {
	sort.Slice(all, func(i, j int) bool {
		if c := all[i].Modified.Compare(all[j].Modified); c != 0 {
			return c > 0
		}
		return all[i].Path > all[j].Path
	})
	var list []Info
	for i := range all {
		if most > 0 && len(list) == most {
			break
		}
		if all[i].scan(); !all[i].empty() {
			list = append(list, all[i])
		}
	}
	return list
}

// empty reports whether the session has no messages.
func (i *Info) empty() bool {
	return i.Messages == 0 && i.Name == "" && i.Damaged == "" && !i.More
}

// Find returns the path of the session in the folder whose id is, or begins with, id.
func Find(dir, id string) (string, error) {
	if id == "" {
		return "", errors.New("find session: got no id")
	}
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("find session: %w", err)
	}
	var found, ids []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), extension) || f.IsDir() {
			continue
		}
		switch is := idOf(f.Name()); {
		case is == id:
			return filepath.Join(dir, f.Name()), nil
		case strings.HasPrefix(is, id):
			found, ids = append(found, filepath.Join(dir, f.Name())), append(ids, is)
		}
	}
	switch {
	case len(found) == 0 && len(files) == 0:
		return "", fmt.Errorf("no session %s: this project has none yet", id)
	case len(found) == 0:
		return "", fmt.Errorf(
			"no session of this project has an id that begins with %s: agent session list shows "+
				"them", id)
	case len(found) > 1:
		const shown = 5
		more := ""
		if len(ids) > shown {
			ids, more = ids[:shown], ", ..."
		}
		return "", fmt.Errorf("%d sessions have an id that begins with %s (%s%s): write more of it",
			len(found), id, strings.Join(ids, ", "), more)
	}
	return found[0], nil
}

// scan reads the file and sets the other fields.
func (i *Info) scan() {
	b, err := i.read()
	if err != nil {
		i.Damaged = plain.Error(err)
		return
	}
	head, rest, whole := bytes.Cut(b, []byte{'\n'})
	var h line
	if err := json.Unmarshal(head, &h); err != nil || !whole || h.Type != typeSession ||
		h.ID == "" {
		i.Damaged = ErrNoSession.Error()
		return
	}
	i.ID, i.CWD, i.Begun = h.ID, h.CWD, h.Time
	for n := 2; ; n++ {
		var text []byte
		if text, rest, whole = bytes.Cut(rest, []byte{'\n'}); !whole {
			return
		}
		if text = bytes.TrimSpace(text); len(text) > 0 && !i.line(text) && i.Damaged == "" {
			if i.Damaged = fmt.Sprintf("line %d cannot be read", n); i.More {
				i.Damaged = "some lines cannot be read"
			}
		}
	}
}

// read returns the file, or whole lines from both its ends.
func (i *Info) read() ([]byte, error) {
	f, err := regularfile.Open(i.Path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case st.Size() <= scanWhole:
		return io.ReadAll(io.LimitReader(f, scanWhole))
	}
	i.More = true
	both := make([]byte, 2*scanPart)
	if _, err := io.ReadFull(f, both[:scanPart]); err != nil {
		return nil, err
	}
	if _, err := f.ReadAt(both[scanPart:], st.Size()-scanPart); err != nil && err != io.EOF {
		return nil, err
	}
	head := both[:bytes.LastIndexByte(both[:scanPart], '\n')+1]
	_, tail, _ := bytes.Cut(both[scanPart:], []byte{'\n'})
	return slices.Concat(head, tail), nil
}

var (
	messageLine = []byte(`{"type":"` + TypeMessage + `"`)
	nameLine    = []byte(`{"type":"` + TypeName + `"`)
	userRole    = []byte(`"role":"user"`)
	modelRole   = []byte(`"role":"assistant"`)
)

// line reads the fields from one line; false if it is damaged. It decodes only the few lines that
// matter.
func (i *Info) line(text []byte) bool {
	if text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
	const front = 300 // bytes that contain the role, after ids and a time
	switch start := plain.Head(text, front); {
	case bytes.HasPrefix(text, nameLine):
		if e := entryOf(text); e != nil && e.Name != nil {
			i.Name = e.Name.Name
		}
	case !bytes.HasPrefix(text, messageLine):
	case bytes.Contains(start, modelRole):
		i.Messages++
	case bytes.Contains(start, userRole):
		if i.Messages++; i.First == "" {
			if e := entryOf(text); e != nil && e.Message != nil {
				i.First = title(e.ShownText())
			}
		}
	}
	return true
}

func entryOf(text []byte) *Entry {
	var l line
	if l.decode(text) != nil {
		return nil
	}
	return l.entry()
}

// title returns the first line of a text, shortened for a list.
func title(text string) string {
	return plain.Clip(plain.FirstLine(text), titleBytes)
}
