// This file limits what a server can make the program read and keep: an answer, one event of it,
// and the data kept for later requests. The agent separately limits the content: text, thinking and
// tool calls.

package llm

import (
	"fmt"
	"io"
	"net/http"

	"github.com/agentscripts/agent/engine/fault"
)

const (
	// answerBytes limits an answer: the longest replies of today, 128,000 tokens, need a fifth of
	// it on the wire.
	answerBytes = 256 << 20
	// eventBytes limits one event, which is in memory several times while it is decoded. The
	// largest are those that repeat the whole reply at its end.
	eventBytes = 16 << 20
	// keptBytes limits what a session keeps of a reply for its server alone: signatures, and
	// encrypted thinking. Some KB are usual.
	keptBytes = 16 << 20
	// keptParts limits the parts of a reply: its texts, thoughts and calls. A hundred are many.
	keptParts = 10_000
)

// tooLarge returns the error of a server that sends too much. Repeating the request would not help.
func tooLarge(what string, bytes int) error {
	return &fault.FailError{Message: fmt.Sprintf("%s is larger than %d MB: it is cut off", what,
		bytes>>20)}
}

// bounded makes reading the body of an answer fail if it is too large.
func bounded(res *http.Response) {
	res.Body = &boundedBody{ReadCloser: res.Body}
}

// boundedBody counts the bytes that it reads. An event ends at an empty line.
type boundedBody struct {
	io.ReadCloser
	total, event int
	begun        bool // the line is not empty
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

// kept counts the parts of a reply that are kept for its server.
type kept struct{ parts, bytes int }

// part counts a part of the reply. It returns an error if there are too many, or they are too
// large.
func (k *kept) part(texts ...string) error {
	if k.parts++; k.parts > keptParts {
		return &fault.FailError{Message: fmt.Sprintf(
			"the reply has more than %d parts: it is cut off", keptParts)}
	}
	return k.addPart(texts...)
}

// addPart counts more bytes of the same part.
func (k *kept) addPart(texts ...string) error {
	for _, text := range texts {
		k.bytes += len(text)
	}
	if k.bytes > keptBytes {
		return tooLarge("the data to send back with the reply", keptBytes)
	}
	return nil
}
