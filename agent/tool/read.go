package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine"
)

const (
	// readLines is how many lines are read unless the model asks for fewer: most source files are shorter.
	readLines = 2000
	// readBytes bounds one reading: about 16,000 tokens. What follows is read with offset.
	readBytes = 64 << 10
	// readLineBytes is where a line is cut: longer ones are minified code or data.
	readLineBytes = 2000
	// sniffBytes is how much is looked at to tell text from binary; git looks at the same 8,000.
	sniffBytes = 8000
)

func readTool() *engine.Tool {
	return &engine.Tool{
		Name: "read", Kind: "read", ReadOnly: true, Source: "builtin",
		Description: fmt.Sprintf("Reads a text file. Returns at most %d lines or %d KB, from line offset on; longer lines than %d bytes are cut.",
			readLines, readBytes>>10, readLineBytes),
		Schema: object(map[string]any{
			"path":   property("string", "file to read, absolute or relative to the working directory"),
			"offset": count("first line to read, 1 = the first of the file"),
			"limit":  count("how many lines to read"),
		}, "path"),
		Run: runRead,
	}
}

func runRead(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	name := engine.Text(use.Args, "path")
	path, err := resolve(use, name)
	if err != nil {
		return nil, err
	}
	st, err := regular("read", name, path)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, explain("read", name, err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if head, err := in.Peek(sniffBytes); err != nil && err != io.EOF {
		return nil, explain("read", name, err)
	} else if bytes.IndexByte(head, 0) >= 0 {
		return nil, fmt.Errorf("read %s: is a binary file of %d bytes: not shown", name, st.Size())
	}
	p := page{first: max(1, integer(use.Args, "offset", 1)), lines: min(readLines, integer(use.Args, "limit", readLines))}
	if err := p.read(ctx, in); err != nil {
		return nil, explain("read", name, err)
	}
	if p.taken == 0 && p.first > 1 && p.seen < p.first {
		return nil, fmt.Errorf("read %s: offset %d is behind the end: the file has %d lines", name, p.first, p.seen)
	}
	r := engine.TextResult(p.text())
	r.Display = &engine.Display{Title: name, Kind: "code", Lang: strings.TrimPrefix(filepath.Ext(path), ".")}
	r.Details = map[string]any{"path": path, "first_line": p.first, "lines": p.taken, "more": p.more}
	return r, nil
}

// page is a part of a file: at most lines lines from line first on.
type page struct {
	first, lines int

	seen  int // lines of the file that went by
	taken int
	more  bool // something follows
	out   strings.Builder
}

// read goes through in until the page is full.
func (p *page) read(ctx context.Context, in *bufio.Reader) error {
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if p.taken == p.lines || p.out.Len() >= readBytes {
			_, err := in.Peek(1)
			p.more = err == nil
			return nil
		}
		line, cut, err := readLine(ctx, in)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) == 0 && err != nil {
			return nil
		}
		p.seen++
		if p.seen >= p.first {
			p.taken++
			p.out.WriteString(strings.ToValidUTF8(string(line), "\uFFFD"))
			if cut > 0 {
				fmt.Fprintf(&p.out, "[cut: %d more bytes in this line]\n", cut)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// readLine reads a line with its newline, if it has one; of a long line it returns the beginning and how
// many bytes were cut, the newline not counted.
func readLine(ctx context.Context, in *bufio.Reader) (line []byte, cut int, err error) {
	for {
		part, err := in.ReadSlice('\n')
		room := readLineBytes - len(line)
		if len(part) > room {
			keep := room
			for keep > 0 && !utf8.RuneStart(part[keep]) { // not in the middle of a character
				keep--
			}
			cut += len(part) - keep
			part = part[:keep:keep]
		}
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			continue
		}
		return line, cut, err
	}
}

func (p *page) text() string {
	s := p.out.String()
	if p.more {
		if !strings.HasSuffix(s, "\n") {
			s += "\n"
		}
		last := p.first + p.taken - 1
		return s + fmt.Sprintf("[lines %d to %d; more follow: read on with offset = %d]", p.first, last, last+1)
	}
	if s == "" {
		return "[empty file]"
	}
	return s
}
