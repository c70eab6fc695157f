// This file joins characters that a server has sent in two halves: some write a character beyond
// U+FFFF as two escapes, as JSON allows, and end an event between the two. A JSON decoder turns
// each half into U+FFFD.

package llm

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/chat"
)

// In the decoded text, a half is represented by a character of a private plane, from halves on.
const (
	halves    = 0x10F000
	surrogate = 0xD800 // the first high surrogate
	lows      = 0xDC00 // the first low surrogate
	pastHalf  = 0xE000
)

// pairs joins the halves of one reply.
type pairs struct {
	emit func(chat.Chunk)
	some bool            // a half has occurred
	held map[string]rune // by text: the half at its end
}

// markHalves replaces the escapes of single halves in data, which is JSON.
func (p *pairs) markHalves(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\ud`)) && !bytes.Contains(data, []byte(`\uD`)) {
		return data
	}
	var out []byte
	from := 0
	for i := 0; i+1 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		r := escaped(data[i:])
		if !utf16.IsSurrogate(r) {
			i++ // skip an escaped character
			continue
		}
		if r < lows && i+6 < len(data) {
			if next := escaped(data[i+6:]); next >= lows && next < pastHalf {
				i += 11 // the pair is complete
				continue
			}
		}
		out = utf8.AppendRune(append(out, data[from:i]...), halves+r-surrogate)
		p.some, from = true, i+6
		i += 5
	}
	if out == nil {
		return data
	}
	return append(out, data[from:]...)
}

// escaped returns the UTF-16 unit of an escape at the beginning of data, -1 if there is none.
func escaped(data []byte) rune {
	const size = len(`\u0000`)
	if len(data) < size || data[0] != '\\' || data[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(data[2:size]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// chunk emits c with the joined characters.
func (p *pairs) chunk(c chat.Chunk) {
	if p.some {
		c.Text, c.Reasoning = p.join("text", c.Text), p.join("reasoning", c.Reasoning)
		if c.ToolCall != nil {
			d := *c.ToolCall
			d.ArgsDelta = p.join(strconv.Itoa(d.Index), d.ArgsDelta)
			c.ToolCall = &d
		}
	}
	p.emit(c)
}

// join returns the next piece of a text. It holds a half at its end back until the next piece.
func (p *pairs) join(of, piece string) string {
	if piece == "" {
		return ""
	}
	var b strings.Builder
	high := p.held[of]
	delete(p.held, of)
	for _, r := range piece {
		half := r - halves + surrogate
		switch {
		case high != 0 && half >= lows && half < pastHalf:
			b.WriteRune(utf16.DecodeRune(high, half))
			high = 0
			continue
		case high != 0:
			b.WriteRune(utf8.RuneError)
			high = 0
		}
		switch {
		case !utf16.IsSurrogate(half):
			b.WriteRune(r)
		case half < lows:
			high = half
		default:
			b.WriteRune(utf8.RuneError)
		}
	}
	if high != 0 {
		if p.held == nil {
			p.held = map[string]rune{}
		}
		p.held[of] = high
	}
	return b.String()
}

// emitRest emits the remaining halves.
func (p *pairs) emitRest() {
	for of := range p.held {
		switch of {
		case "text":
			p.emit(chat.Chunk{Text: string(utf8.RuneError)})
		case "reasoning":
			p.emit(chat.Chunk{Reasoning: string(utf8.RuneError)})
		}
	}
	p.held = nil
}
