// This file shows the logs of scripts.

package installcmd

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/regularfile"
)

// logsEvery is how often agent ext logs -f looks for more.
const logsEvery = 200 * time.Millisecond

// logs implements agent ext logs NAME [-f].
func (c *Command) logs(ctx context.Context, words []string) error {
	if len(words) != 1 {
		return UsageError{errors.New("want one NAME, of a script; agent ext list lists them")}
	}
	file := words[0]
	s, unknown := fileOrExtension(c, file) // a script that was removed has its log still
	if unknown == nil {
		file = s.File
	} else if c.In.Fetch.CheckName(file) != nil && !strings.Contains(file, "/") ||
		!realpath.Exists(c.LogPath(file)) {
		return unknown
	}
	at, size := c.LogPath(file), int64(0)
	for first := true; ; first = false {
		n, err := c.copyLog(at, size)
		switch {
		case errors.Is(err, fs.ErrNotExist) && first && !c.Follow:
			return c.printLine("%s has written nothing with ext.log", plain.RevealName(file))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		size = n
		if !c.Follow {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(logsEvery):
		}
	}
}

// copyLog prints a log from an offset, and returns its size. A shorter one is a new one.
func (c *Command) copyLog(path string, from int64) (int64, error) {
	f, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if info.Size() < from {
		from = 0
	}
	if info.Size() == from {
		return from, nil
	}
	b := make([]byte, info.Size()-from)
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return from, err
	}
	whole := strings.LastIndexByte(string(b[:n]), '\n') + 1
	if !c.Follow {
		whole = n
	}
	text := string(b[:whole])
	if !c.JSON {
		_, err = io.WriteString(c.Stdout, plain.Text(text))
		return from + int64(whole), err
	}
	for _, line := range parseLog(text) {
		if err := c.printJSON(line); err != nil {
			return from, err
		}
	}
	return from + int64(whole), nil
}

// logLine is a line of agent ext logs --json: what one call of ext.log has written.
type logLine struct {
	Time  string `json:"time,omitempty"`  // RFC 3339
	Level string `json:"level,omitempty"` // debug, info, warn or error
	Text  string `json:"text"`
}

// A line of a log has a time of this machine, a level of five columns, and a text.
const (
	logTime  = "2006-01-02 15:04:05.000"
	logLevel = len(logTime) + len(" ")
	logText  = logLevel + len("error ")
)

// parseLog parses a log. Further lines of a text are indented. What comes before the first time, in
// a log that was cut, is a text alone.
func parseLog(log string) (lines []logLine) {
	for line := range strings.Lines(log) {
		line = strings.TrimSuffix(line, "\n")
		at, err := time.ParseInLocation(logTime, plain.Head(line, len(logTime)), time.Local)
		if err != nil || len(line) < logText {
			text := strings.TrimPrefix(line, "    ")
			if n := len(lines) - 1; n >= 0 {
				lines[n].Text += "\n" + text
			} else {
				lines = append(lines, logLine{Text: text})
			}
			continue
		}
		lines = append(lines, logLine{Time: at.Format(time.RFC3339Nano),
			Level: strings.TrimSpace(line[logLevel:logText]), Text: line[logText:]})
	}
	return lines
}
