package tool

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/agentscripts/agent/agent/output"
	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/chat"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/subject"
	"github.com/agentscripts/agent/engine/ui"
	"github.com/agentscripts/agent/engine/value"
)

const (
	// readLines and readBytes limit one call, like every result. offset continues after that.
	readLines = output.Lines
	readBytes = output.Bytes
	// readLineBytes is the length at which a line is cut: longer ones are minified code or data.
	readLineBytes = 2000
	// sniffBytes is how much is read to distinguish text from binary; git uses the same 8,000.
	sniffBytes = 8000
)

// Read is the name of the tool that reads files, and List of the one that lists directories.
const Read, List = "read", "ls"

func readTool() *engine.Tool {
	return &engine.Tool{
		Name: Read, Kind: "read", ReadOnly: true, Source: "builtin",
		Description: fmt.Sprintf(
			"Reads a text file, or an image (png, jpeg, gif, webp). Returns at most %d lines or "+
				"%d KB, from line offset on; longer lines than %d bytes are cut.",
			readLines, readBytes>>10, readLineBytes),
		Schema: object(map[string]any{
			"path": property("string",
				"file to read, absolute or relative to the working directory"),
			"offset": count("first line to read, 1 = the first of the file"),
			"limit":  count("how many lines to read"),
		}, "path"),
		Subject: &subject.Subject{Kind: subject.Path, Arg: "path", Reads: true,
			Everywhere: true, Verb: "Read", Title: []subject.Phrase{{Arg: "path"}}},
		Aliases: also(nil, fileNames),
		Run:     interruptible(runRead),
	}
}

func runRead(ctx context.Context, use *engine.Use) (*engine.Result, error) {
	name := value.Text(use.Args, "path")
	path, err := resolvePath(use, name)
	if err != nil {
		return nil, err
	}
	decided, _ := use.Decided()
	st, err := regular("read", name, path, decided)
	if err != nil {
		return nil, err
	}
	f, err := openDecided(use, path, decided)
	if err != nil {
		return nil, explain("read", name, err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, int(max(sniffBytes, min(st.Size()+1, 64<<10))))
	head, err := in.Peek(sniffBytes)
	if err != nil && err != io.EOF {
		return nil, explain("read", name, err)
	}
	kind := http.DetectContentType(head)
	switch _, is := pictures[kind]; {
	case is:
		return readPicture(in, name, st.Size())
	case bytes.IndexByte(head, 0) >= 0:
		return nil, fmt.Errorf("read %s: is a binary file of %d bytes (%s): not shown", name,
			st.Size(), kind)
	}
	p := page{first: max(1, integer(use.Args, "offset", 1)),
		lines: min(readLines, integer(use.Args, "limit", readLines))}
	if err := p.readPage(ctx, in); err != nil {
		return nil, explain("read", name, err)
	}
	if p.taken == 0 && p.first > 1 && p.seen < p.first {
		return nil, fmt.Errorf("read %s: offset %d is past the end: the file has %d lines", name,
			p.first, p.seen)
	}
	r := engine.TextResult(p.text())
	r.Display = &ui.Display{Title: name, Kind: "code",
		Lang: strings.TrimPrefix(filepath.Ext(path), ".")}
	r.Details = map[string]any{"path": path, "first_line": p.first, "lines": p.taken,
		"more": p.more}
	return r, nil
}

// readPicture reads an image, if it is not too large for models.
func readPicture(in io.Reader, name string, size int64) (*engine.Result, error) {
	if size > PictureBytes {
		return nil, fmt.Errorf("read %s: %w", name, TooLarge(size))
	}
	data, err := io.ReadAll(io.LimitReader(in, PictureBytes+1))
	if err != nil {
		return nil, explain("read", name, err)
	}
	block, err := Picture(data)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &engine.Result{Content: []chat.Block{block},
		Details: map[string]any{"mime_type": block.MimeType, "bytes": len(data)}}, nil
}

// page is a part of a file: at most lines lines, starting with line first.
type page struct {
	first, lines int

	seen  int // number of lines read
	taken int
	more  bool // the file continues
	crlf  int  // lines that ended with a carriage return and a newline
	lf    int  // lines that ended with only a newline
	bad   int  // bytes that are not text
	out   strings.Builder
}

// readPage reads in until the page is full.
func (p *page) readPage(ctx context.Context, in *bufio.Reader) error {
	for {
		if err := ctx.Err(); err != nil {
			return stopped(ctx)
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
			p.addLine(line)
			if cut > 0 {
				fmt.Fprintf(&p.out, "[cut: %d more bytes in this line]\n", cut)
			}
		}
		if err != nil {
			return nil
		}
	}
}

// addLine adds a line, whose end becomes a newline.
func (p *page) addLine(line []byte) {
	if text, ok := bytes.CutSuffix(line, []byte("\r\n")); ok {
		p.crlf++
		line = append(text, '\n')
	} else if bytes.HasSuffix(line, []byte("\n")) {
		p.lf++
	}
	for rest := line; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if r == utf8.RuneError && n == 1 {
			p.bad++
		}
		rest = rest[n:]
	}
	p.out.WriteString(strings.ToValidUTF8(string(line), "\uFFFD"))
}

// readLine reads a line with its newline, if it has one. Of a long line it returns the beginning
// and how many bytes were cut, not counting the newline.
func readLine(ctx context.Context, in *bufio.Reader) (line []byte, cut int, err error) {
	line, err = plain.ReadLine(in, readLineBytes, func(omitted int) error {
		cut = omitted
		if ctx.Err() != nil {
			return stopped(ctx)
		}
		return nil
	})
	if cut > 0 {
		partial := plain.Unfinished(line)
		line, cut = line[:len(line)-partial], cut+partial
	}
	return line, cut, err
}

// text returns the page with notes.
func (p *page) text() string {
	s := p.out.String()
	var notes []string
	if p.more {
		last := p.first + p.taken - 1
		notes = append(notes, fmt.Sprintf("lines %d to %d; more follow: read on with offset = %d",
			p.first, last, last+1))
	}
	switch {
	case p.crlf > 0 && p.lf > 0:
		notes = append(notes, fmt.Sprintf("%d of these lines end with \\r\\n, the others with \\n",
			p.crlf))
	case p.crlf > 0:
		notes = append(notes, "the lines of this file end with \\r\\n; edit keeps that")
	}
	if p.bad > 0 {
		notes = append(notes, fmt.Sprintf("%d bytes are not UTF-8, and shown as \uFFFD", p.bad))
	}
	switch {
	case s == "" && notes == nil:
		return "[empty file]"
	case notes == nil:
		return s
	case !strings.HasSuffix(s, "\n"):
		s += "\n"
	}
	return s + "[" + strings.Join(notes, "; ") + "]"
}
