// This file extracts a model's thinking if its server leaves it in the text: as <think> at the
// beginning, which many open models write.

package llm

import (
	"strings"

	"github.com/agentscripts/agent/engine/chat"
)

const (
	thinkBegin = "<think>"
	thinkEnd   = "</think>"
)

// thinkTags separates the thinking at the beginning of a reply from its text. The tags may arrive
// in pieces.
type thinkTags struct {
	state int // of the text so far
	held  string
}

const (
	thinkMaybe  = iota // a tag may begin
	thinkInside        // after the opening tag
	thinkBehind        // the thinking has ended, and the text has not begun
	thinkNone          // the rest is text
)

// addText emits the contents of a piece of text.
func (t *thinkTags) addText(piece string, emit func(chat.Chunk)) {
	if t.state == thinkNone {
		emit(chat.Chunk{Text: piece})
		return
	}
	piece = t.held + piece
	t.held = ""
	if t.state == thinkMaybe {
		begin := strings.TrimLeft(piece, " \t\r\n")
		switch {
		case strings.HasPrefix(begin, thinkBegin):
			t.state, piece = thinkInside, begin[len(thinkBegin):]
		case strings.HasPrefix(thinkBegin, begin):
			t.held = piece
			return
		default:
			t.state = thinkNone
			emit(chat.Chunk{Text: piece})
			return
		}
	}
	if t.state == thinkInside {
		thought, rest, over := strings.Cut(piece, thinkEnd)
		if !over {
			n := endsLike(piece, thinkEnd)
			thought, t.held = piece[:len(piece)-n], piece[len(piece)-n:]
		}
		if thought != "" {
			emit(chat.Chunk{Reasoning: thought})
		}
		if !over {
			return
		}
		t.state, piece = thinkBehind, rest
	}
	if piece = strings.TrimLeft(piece, " \t\r\n"); piece != "" {
		t.state = thinkNone
		emit(chat.Chunk{Text: piece})
	}
}

// emitRest emits the held text.
func (t *thinkTags) emitRest(emit func(chat.Chunk)) {
	switch {
	case t.held == "":
	case t.state == thinkInside:
		emit(chat.Chunk{Reasoning: t.held})
	default:
		emit(chat.Chunk{Text: t.held})
	}
	t.held = ""
}

// endsLike returns how many bytes at the end of s are the beginning of tag.
func endsLike(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
