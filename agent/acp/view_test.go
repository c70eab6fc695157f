package acp

import "testing"

func TestWordsInPieces(t *testing.T) {
	var w words
	got := ""
	for _, piece := range []string{"a\x1b[3", "1mb\r", "\nc\xe2\x82", "\xacd\x1b]0;title"} {
		got += w.addPiece(piece)
	}
	rest, ok := w.rest("a\x1b[31mb\r\nc\u20acd\x1b]0;title\x07e")
	if got += rest; !ok || got != "ab\nc\u20acde" {
		t.Errorf("got %q, %v", got, ok)
	}
	if rest, ok := w.rest("other"); ok {
		t.Errorf("got %q: it does not continue the shown text", rest)
	}
}
