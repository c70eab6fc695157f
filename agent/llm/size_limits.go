// This file bounds what a server can make the program read and hold: an answer, one event of it,
// and what is kept of it for later requests. What is said in it, text, thinking and tool calls, the
// agent bounds besides.

package llm

import (
	"fmt"
	"io"
	"net/http"

	"github.com/agentscripts/agent/engine"
)

const (
	// answerBytes bounds an answer: the longest replies of today, 128,000 tokens, take a fifth of
	// it on the wire.
	answerBytes = 256 << 20
	// eventBytes bounds one event, which is held as a whole, and several times over while it is
	// read. The largest are those that repeat all of a reply at its end.
	eventBytes = 16 << 20
	// keptBytes bounds what a session keeps of a reply for its server alone: signatures, and
	// thinking that is sealed. Some KB are usual.
	keptBytes = 16 << 20
	// keptParts bounds the parts of a reply: its texts, thoughts and calls. A hundred are many.
	keptParts = 10_000
)

// tooLarge is the error of a server that sends without end. To ask again would do no good.
func tooLarge(what string, bytes int) error {
	return &engine.FailError{Message: fmt.Sprintf("%s is larger than %d MB: it is cut off", what,
		bytes>>20)}
}

// bounded makes the body of an answer end with an error where it is too large.
func bounded(res *http.Response) {
	res.Body = &boundedBody{ReadCloser: res.Body}
}

// boundedBody counts what it reads. An event ends at an empty line.
type boundedBody struct {
	io.ReadCloser
	total, event int
	begun        bool // the line has more than its end
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.total += n
	for _, c := range p[:n] {
		b.event++
		switch c {
		case '\n':
			if !b.begun {
				b.event = 0
			}
			b.begun = false
		case '\r':
		default:
			b.begun = true
		}
	}
	switch {
	case b.event > eventBytes:
		return n, tooLarge("an event of the answer", eventBytes)
	case b.total > answerBytes:
		return n, tooLarge("the answer", answerBytes)
	}
	return n, err
}

// kept counts what of a reply is kept for its server.
type kept struct{ parts, bytes int }

// part counts a part of the reply; the error says that it is one too many, or too large.
func (k *kept) part(texts ...string) error {
	if k.parts++; k.parts > keptParts {
		return &engine.FailError{Message: fmt.Sprintf(
			"the reply has more than %d parts: it is cut off", keptParts)}
	}
	return k.addPart(texts...)
}

// addPart counts more of the same part.
func (k *kept) addPart(texts ...string) error {
	for _, text := range texts {
		k.bytes += len(text)
	}
	if k.bytes > keptBytes {
		return tooLarge("what the server wants back with the reply", keptBytes)
	}
	return nil
}
