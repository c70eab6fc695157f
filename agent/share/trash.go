// This file removes scripts into a trash, and restores them.

package share

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/atomicfile"
	"github.com/agentscripts/agent/engine/regularfile"
	"github.com/agentscripts/agent/engine/suggest"
)

// mostTrash is how many removed and replaced scripts are kept.
const mostTrash = 200

// trashed is a script in the trash.
type trashed struct {
	File  string `json:"file"`
	Text  string `json:"text"`
	Bytes []byte `json:"bytes,omitempty"` // instead of Text, if that is not UTF-8
	Entry *Entry `json:"entry,omitempty"` // nil = it was not installed, but written here
}

func (in *Installer) trashDir() string { return filepath.Join(in.Home, in.own("trash")) }

// toTrash keeps a copy of a script that is removed or replaced. The oldest ones go.
func (in *Installer) toTrash(file string, text []byte, e *Entry) error {
	item := trashed{File: file, Text: string(text), Entry: e}
	if !utf8.Valid(text) { // a string would not keep it
		item.Text, item.Bytes = "", text
	}
	b, err := json.Marshal(item)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(in.trashDir(), 0o700); err != nil {
		return err
	}
	items, err := in.trashItems("")
	if err != nil {
		return err
	}
	name := trashName(in.now(), items, file+".json")
	if err := atomicfile.Create(filepath.Join(in.trashDir(), name), b, 0o600); err != nil {
		return err
	}
	for _, item := range items[:max(0, len(items)+1-mostTrash)] {
		os.Remove(item)
	}
	return nil
}

// trashName returns the name in the trash for what is removed now, after the items that are there.
func trashName(now time.Time, items []string, file string) string {
	stamp, n := now.Format("20060102T150405"), 0
	if len(items) > 0 { // the clock may stand still, or have been set back
		var last string
		fmt.Sscanf(filepath.Base(items[len(items)-1]), "%15s-%d", &last, &n)
		if n++; last < stamp {
			n = 0
		} else {
			stamp = last
		}
	}
	return fmt.Sprintf("%s-%06d-%s", stamp, n, file)
}

// trashItems returns the paths of the scripts in the trash, of one file if it is not "", the oldest
// first.
func (in *Installer) trashItems(file string) ([]string, error) {
	list, err := os.ReadDir(in.trashDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var items []string
	for _, d := range list {
		parts := strings.SplitN(strings.TrimSuffix(d.Name(), ".json"), "-", 3)
		if len(parts) == 3 && d.Name() != parts[2] && (file == "" || parts[2] == file) {
			items = append(items, filepath.Join(in.trashDir(), d.Name()))
		}
	}
	slices.Sort(items)
	return items, err
}

// Remove removes a script, which Restore brings back.
func (in *Installer) Remove(file string) error {
	return in.changeScripts("", func(list []Entry) ([]Entry, error) {
		text, err := in.readInPlace(file)
		gone := errors.Is(err, fs.ErrNotExist)
		switch e := entryOf(list, file); {
		case gone && e == nil:
			return nil, fmt.Errorf("there is no script %s%s", file, in.didYouMean(file, list))
		case gone:
			return withoutEntry(list, file), nil
		case err != nil:
			return nil, err
		default:
			return in.removeScript(list, file, text, e)
		}
	})
}

// removeScript removes a script with its entry, e, and returns the other entries of list.
func (in *Installer) removeScript(list []Entry, file string, text []byte, e *Entry) ([]Entry,
	error) {
	in.at("trash")
	if err := in.toTrash(file, text, e); err != nil {
		return nil, err
	}
	in.at("journal")
	if err := in.writeJournal(journal{File: file}); err != nil {
		return nil, err
	}
	in.at("remove")
	if err := os.Remove(in.Path(file)); err != nil {
		return nil, err
	}
	if in.Removed != nil {
		in.at("forget")
		if err := in.Removed(file); err != nil {
			return nil, err
		}
	}
	return withoutEntry(list, file), nil
}

// Restore brings back the last version of a script that was removed or replaced. One that is in its
// place now goes to the trash, so that a second Restore brings that back.
func (in *Installer) Restore(ctx context.Context, file string) error {
	return in.changeScripts("", func(list []Entry) ([]Entry, error) {
		items, err := in.trashItems(file)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			return nil, fmt.Errorf("the trash has no %s%s", file, in.trashMeans(file))
		}
		last := items[len(items)-1]
		b, err := regularfile.Read(last)
		if err != nil {
			return nil, err
		}
		var t trashed
		if err := json.Unmarshal(b, &t); err != nil || t.File != file {
			return nil, fmt.Errorf("%s: it is damaged: remove it", last)
		}
		old, err := in.readInPlace(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if t.Bytes == nil {
			t.Bytes = []byte(t.Text)
		}
		got := newFile(file, t.Bytes, Source{}, "")
		err = in.placeScript(ctx, journal{file, got.SHA256, t.Entry, false}, got,
			entryOf(list, file), old)
		if err != nil {
			return nil, err
		}
		os.Remove(last)
		if list = withoutEntry(list, file); t.Entry != nil {
			list = append(list, *t.Entry)
		}
		return list, nil
	})
}

func (in *Installer) didYouMean(file string, list []Entry) string {
	var names []string
	for _, e := range list {
		names = append(names, e.File)
	}
	files, _ := os.ReadDir(in.Scripts)
	for _, d := range files {
		if in.Fetch.isScript(d.Name()) && !slices.Contains(names, d.Name()) {
			names = append(names, d.Name())
		}
	}
	return DidYouMean(file, names)
}

// DidYouMean suggests the file that a word may mean, which may leave out the ending.
func DidYouMean(word string, files []string) string {
	known := slices.Clone(files)
	for _, f := range files {
		known = append(known, strings.TrimSuffix(f, filepath.Ext(f)))
	}
	return suggest.DidYouMean(word, known)
}

func (in *Installer) trashMeans(file string) string {
	items, _ := in.trashItems("")
	var names []string
	for _, item := range items {
		if name := trashedName(item); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return DidYouMean(file, names)
}

// InTrash returns the file in the trash that a word names, which may leave out the ending.
func (in *Installer) InTrash(word string) string {
	items, _ := in.trashItems("")
	for _, item := range slices.Backward(items) {
		name := trashedName(item)
		if name == word || strings.TrimSuffix(name, filepath.Ext(name)) == word {
			return name
		}
	}
	return word
}

// trashedName returns the file of an item of the trash.
func trashedName(item string) string {
	parts := strings.SplitN(filepath.Base(item), "-", 3)
	return strings.TrimSuffix(parts[len(parts)-1], ".json")
}

// Trash returns the files that Restore can bring back.
func (in *Installer) Trash() (files []string) {
	items, _ := in.trashItems("")
	for _, item := range slices.Backward(items) {
		if name := trashedName(item); !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	return files
}
