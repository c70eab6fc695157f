// Package packed holds the format of texts that the program carries: named texts in one compressed
// file, a third of their size.
package packed

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// mark begins the line before a text: its name follows. No text has such a line.
const mark = "\x00text "

// Texts returns the texts in a file of Pack, by name. It panics if the file is broken, because it
// is a part of the program.
func Texts(file string) map[string]string {
	r, err := gzip.NewReader(strings.NewReader(file))
	if err != nil {
		panic("packed: " + err.Error())
	}
	all, err := io.ReadAll(r)
	if err != nil {
		panic("packed: " + err.Error())
	}
	texts := map[string]string{}
	for _, part := range strings.Split(string(all), mark)[1:] {
		name, text, _ := strings.Cut(part, "\n")
		texts[name] = text
	}
	return texts
}

// Pack returns the file of texts.
func Pack(texts map[string]string) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if strings.Contains(name, "\n") || strings.Contains(texts[name], mark) {
			return nil, fmt.Errorf("%s: the text or its name cannot be packed", name)
		}
		if _, err := io.WriteString(w, mark+name+"\n"+texts[name]); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}
