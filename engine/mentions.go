// This file tells what a script does not use.

package engine

import (
	"bytes"
	"slices"
)

// Mentions reports whether the source of the script, or of a module of its, has one of the words in it, and not as a part of a longer name.
// What few scripts use is set up for those that do: it costs each of them memory and time.
func (s *Script) Mentions(words ...string) bool {
	has := func(src []byte) bool {
		return slices.ContainsFunc(words, func(w string) bool { return hasWord(src, w) })
	}
	if has(s.Bytes) {
		return true
	}
	return s.Library != nil && slices.ContainsFunc(s.Library.Modules, func(m *Module) bool { return has(m.Bytes) })
}

func hasWord(src []byte, word string) bool {
	for from := 0; ; {
		i := bytes.Index(src[from:], []byte(word))
		if i < 0 {
			return false
		}
		begin := from + i
		end := begin + len(word)
		longer := begin > 0 && nameByte(src[begin-1]) && nameByte(word[0]) || end < len(src) && nameByte(src[end]) && nameByte(word[len(word)-1])
		if !longer {
			return true
		}
		from = end
	}
}

func nameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
