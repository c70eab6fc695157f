// This file converts texts to bytes and back for web.js.

package js

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/agentscripts/agent/engine/plain"
)

// setCodec sets functions that convert texts to bytes and back, and functions for random bytes.
func (w *web) setCodec(set func(name string, fn func(call goja.FunctionCall) goja.Value)) {
	set("utf8", func(call goja.FunctionCall) goja.Value {
		return w.buffer(
			[]byte(w.webText(call.Argument(0))))
	})
	set("decode", func(call goja.FunctionCall) goja.Value {
		b := w.bytesOf(call)
		if call.Argument(3).ToBoolean() && !utf8.Valid(b) {
			panic(w.rt.NewTypeError("the bytes are not UTF-8"))
		}
		return w.rt.ToValue(decoded(b))
	})
	set("incomplete",
		func(call goja.FunctionCall) goja.Value {
			return w.rt.ToValue(
				plain.Unfinished(w.bytesOf(call)))
		})
	// the body of a request: as text if it is valid UTF-8, else as base64
	set("sent", func(call goja.FunctionCall) goja.Value {
		b, out := w.bytesOf(call), w.rt.NewObject()
		if utf8.Valid(b) {
			_ = out.Set("body", string(b))
			return out
		}
		_ = out.Set("body", base64.StdEncoding.EncodeToString(b))
		_ = out.Set("encoding", "base64")
		return out
	})
	set("bytes", func(call goja.FunctionCall) goja.Value {
		return w.buffer(
			fromBase64(w.webText(call.Argument(0))))
	})
	set("random", func(call goja.FunctionCall) goja.Value {
		const most = 65536 // as in the standard
		b := w.bytesOf(call)
		if len(b) > most {
			w.realm.throwRange(fmt.Sprintf("getRandomValues: got %d bytes, want at most %d", len(b),
				most))
		}
		w.random.Fill(b)
		return nil
	})
	set("randomUUID", func(goja.FunctionCall) goja.Value {
		return w.rt.ToValue(w.random.UUID())
	})
}

// mostWebText is the length of the longest text, in UTF-16 units, that one call of these functions
// reads, and mostWebBytes is the most bytes. The functions cannot be interrupted, and take some 10
// ms for this much. The body of a response fits as base64.
const (
	mostWebText  = 12 << 20
	mostWebBytes = 16 << 20
	// mostBody is how much of a body is read into one value, as in ext.http.
	mostBody = 8 << 20
	// mostURL is the length of the longest URL, or of a name or value in one. Servers accept far
	// less.
	mostURL = 1 << 20
)

// webText returns an argument as text. It throws if the text is too long.
func (w *web) webText(val goja.Value) string {
	s := w.realm.text(val)
	if s.Length() > mostWebText {
		w.realm.throwRange(fmt.Sprintf("the text has more than %d characters", mostWebText))
	}
	return s.String()
}

// urlText returns an argument that is part of a URL as text. It throws if the text is too long.
func (w *web) urlText(val goja.Value) string {
	s := w.realm.text(val)
	if s.Length() > mostURL {
		w.realm.throwRange(fmt.Sprintf("URL: a part has more than %d characters", mostURL))
	}
	return s.String()
}

// buffer makes an ArrayBuffer with the bytes b.
func (w *web) buffer(b []byte) goja.Value {
	w.buffers.guardBuffers()
	w.buffers.checkBuffer(float64(len(b)))
	return w.rt.ToValue(w.rt.NewArrayBuffer(b))
}

// bytesOf returns the bytes that the first three arguments describe: a buffer, an offset and a
// length. It does not copy them.
func (w *web) bytesOf(call goja.FunctionCall) []byte {
	obj, ok := call.Argument(0).(*goja.Object)
	if !ok {
		panic(w.rt.NewTypeError("want an ArrayBuffer or a typed array"))
	}
	buffer, ok := obj.Export().(goja.ArrayBuffer)
	if !ok {
		panic(w.rt.NewTypeError("want an ArrayBuffer or a typed array"))
	}
	b := buffer.Bytes()
	from := min(max(0, call.Argument(1).ToInteger()), int64(len(b)))
	n := min(max(0, call.Argument(2).ToInteger()), int64(len(b))-from)
	if n > mostWebBytes {
		w.realm.throwRange(fmt.Sprintf("got %d bytes, want at most %d", n, mostWebBytes))
	}
	return b[from : from+n]
}

// decoded returns bytes as text. Invalid bytes become U+FFFD: one for the beginning of a character
// that is not continued, and one for each byte that begins no character. Source: Encoding Standard,
// "UTF-8 decoder".
func decoded(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var out strings.Builder
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if out.WriteRune(r); r == utf8.RuneError && n == 1 {
			n = max(1, begun(b))
		}
		b = b[n:]
	}
	return out.String()
}

// begun returns how many bytes at the beginning could be those of an incomplete character, for
// which FullRune is false.
func begun(b []byte) int {
	n := 0
	for n < min(utf8.UTFMax-1, len(b)) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	return n
}

// fromBase64 decodes text that we have encoded.
func fromBase64(s string) []byte {
	b, _ := base64.StdEncoding.DecodeString(s)
	return b
}

// btoa encodes a text whose characters are bytes.
func (w *web) btoa(s goja.String) goja.Value {
	if s.Length() > mostWebText {
		w.realm.throwRange(fmt.Sprintf("the text has more than %d characters", mostWebText))
	}
	b := make([]byte, s.Length())
	for i := range b {
		c := s.CharAt(i)
		if c > 0xff {
			panic(w.rt.NewTypeError(
				"btoa: a character above U+00FF: encode text with ext.base64.encode"))
		}
		b[i] = byte(c)
	}
	return w.rt.ToValue(base64.StdEncoding.EncodeToString(b))
}

// atob decodes base64 into a text whose characters are bytes.
func (w *web) atob(s string) goja.Value {
	s = strings.TrimRight(strings.Join(strings.Fields(s), ""), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		panic(w.rt.NewTypeError("atob: got a text that is no base64"))
	}
	units := make([]rune, len(b))
	for i, c := range b {
		units[i] = rune(c)
	}
	return w.rt.ToValue(string(units))
}
