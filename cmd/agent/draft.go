package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/agentscripts/agent/engine/regularfile"
)

// mostDraft is the largest text, in bytes, that is taken back from an editor: as much as can be
// pasted.
const mostDraft = 64 << 20

// drafts are the folders of texts that are being edited in the user's editor.
type drafts struct {
	mu   sync.Mutex
	dirs map[string]bool
}

// edit writes a text to a file in a folder of its own, which only the user can open. It returns the
// command that edits the file, and a function that returns the text of the file and removes the
// folder. The text is the user's own and stays on this machine, so secrets in it are not masked.
func (d *drafts) edit(text string, line int) (*exec.Cmd, func() (string, error), error) {
	dir, err := os.MkdirTemp("", "agent-draft-*") // 0700
	if err != nil {
		return nil, nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.dirs == nil {
		d.dirs = map[string]bool{}
	}
	d.dirs[dir] = true
	remove := func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.dirs, dir)
		os.RemoveAll(dir)
	}
	path := filepath.Join(dir, "draft.md")
	err = os.WriteFile(path, []byte(text), 0o600)
	var cmd *exec.Cmd
	if err == nil {
		cmd, err = editorCommand(path, line)
	}
	if err != nil {
		delete(d.dirs, dir)
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return cmd, func() (string, error) {
		defer remove()
		return readDraft(path, text)
	}, nil
}

// removeAll removes the folders of editors that were still open when the program ended.
func (d *drafts) removeAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for dir := range d.dirs {
		os.RemoveAll(dir)
	}
	d.dirs = nil
}

// readDraft returns the text that an editor has left in a file, without the line end that editors
// add to a text that had none.
func readDraft(path, before string) (string, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("the editor has removed the file")
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostDraft+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > mostDraft:
		return "", fmt.Errorf("the text is longer than %d MB", mostDraft>>20)
	case bytes.IndexByte(b, 0) >= 0:
		return "", errors.New("the file is not a text: it has a zero byte")
	}
	if len(before) == 0 || before[len(before)-1] != '\n' {
		b = bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r"))
	}
	return string(b), nil
}
