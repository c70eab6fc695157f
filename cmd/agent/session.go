// This file finds the session to work on, and implements agent session list, export and copy.

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/agentscripts/agent/agent/config"
	"github.com/agentscripts/agent/agent/llm"
	"github.com/agentscripts/agent/agent/session"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/redact"
)

// shownSessions is how many sessions an error message lists: enough to find today's.
const shownSessions = 10

// openSession opens the session that the flags name; nil if they name none.
func (s sessionFlags) openSession(dir string) (*session.Session, error) {
	switch {
	case s.last:
		infos, err := session.List(dir, 1)
		if err != nil {
			return nil, err
		}
		if len(infos) == 0 {
			return nil, errors.New("--continue: this project has no session yet")
		}
		return session.Open(infos[0].Path)
	case s.resume != "":
		path, err := session.Find(dir, s.resume)
		if err != nil {
			return nil, err
		}
		return session.Open(path)
	}
	return nil, nil
}

// damaged describes the lines of a session that could not be read.
func damaged(path string, lines []int) string {
	const shown = 5
	var names []string
	for _, n := range lines[:min(len(lines), shown)] {
		names = append(names, strconv.Itoa(n))
	}
	what := "line " + names[0] + " is"
	if len(lines) > 1 {
		what = "lines " + strings.Join(names, ", ") + " are"
	}
	if len(lines) > shown {
		what = fmt.Sprintf("%d lines, from line %s on, are", len(lines), names[0])
	}
	return path + ": " + what + " not readable and left out; everything else is loaded"
}

// needsID returns the error of --resume without an id if there is no screen to choose on.
func needsID(at place) error {
	infos, err := session.List(at.sessions(), shownSessions)
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		return errors.New("--resume needs an id, and this project has no session yet")
	}
	var b strings.Builder
	listSessions(&b, infos)
	return fmt.Errorf("--resume needs an id here; the last sessions of this project:\n%s",
		strings.TrimRight(b.String(), "\n"))
}

// sessions returns the folder of the project's sessions.
func (p place) sessions() string { return session.Dir(p.home, config.Project(p.dir)) }

func runSession(f *flags, stdout, stderr io.Writer) int {
	at, err := place{}.withDefaults()
	if err != nil {
		return failure(stderr, err)
	}
	return sessionCommand(f, at, stdout, stderr)
}

// shownError returns the text of an error for a terminal: what a script or a file has put into it
// cannot move the cursor or hide. A long word of the command line is cut.
func shownError(err error) string {
	const most = 1000 // bytes of a word
	text := plain.Reveal(plain.Error(err))
	for _, word := range strings.Fields(text) {
		if len(word) > most {
			text = strings.Replace(text, word, plain.Line(word, most), 1)
		}
	}
	return text
}

func failure(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "%s %s\n", agentMark(stderr), shownError(err))
	return exitError
}

func sessionCommand(f *flags, at place, stdout, stderr io.Writer) int {
	if len(f.words) == 0 {
		return usageError(stderr,
			errors.New("session needs a command: list, export ID [FILE] or copy ID"))
	}
	name, words := f.words[0], f.words[1:]
	switch {
	case name == "list" && len(words) == 0:
		return listCommand(f, at, stdout, stderr)
	case name == "export" && (len(words) == 1 || len(words) == 2):
		return exportCommand(at, words, stdout, stderr)
	case name == "copy" && len(words) == 1:
		return copyCommand(at, words[0], stdout, stderr)
	case name == "list":
		return usageError(stderr, fmt.Errorf("session list: got %d arguments, want none",
			len(words)))
	case name == "export":
		return usageError(stderr,
			fmt.Errorf("session export: got %d arguments, want ID and optionally FILE", len(words)))
	case name == "copy":
		return usageError(stderr, fmt.Errorf("session copy: got %d arguments, want ID", len(words)))
	}
	return usageError(stderr, f.unknownCommand())
}

func listCommand(f *flags, at place, stdout, stderr io.Writer) int {
	infos, err := session.List(at.sessions(), 0)
	if err != nil {
		return failure(stderr, err)
	}
	var b bytes.Buffer
	if !f.json {
		listSessions(&b, infos)
	}
	for _, i := range infos {
		if f.json {
			line, err := json.Marshal(map[string]any{"id": i.ID, "path": i.Path, "name": i.Name,
				"first": i.First, "cwd": i.CWD,
				"begun": i.Begun, "modified": i.Modified, "messages": i.Messages, "more": i.More,
				"damaged": i.Damaged})
			if err != nil {
				return failure(stderr, err)
			}
			b.Write(append(line, '\n'))
		}
	}
	if b.Len() == 0 && !f.json {
		fmt.Fprintln(stderr, "this project has no session yet")
	}
	return sayBytes(stdout, stderr, b.Bytes())
}

// listSessions writes a line per session: id, time of the last entry, number of messages, topic.
func listSessions(w io.Writer, infos []session.Info) {
	for _, i := range infos {
		more := ""
		if i.More {
			more = "+"
		}
		fmt.Fprintf(w, "%s  %s  %d%s messages  %s\n", i.ID,
			i.Modified.Local().Format(time.DateTime), i.Messages, more, plain.Text(i.Title()))
	}
}

func exportCommand(at place, words []string, stdout, stderr io.Writer) int {
	settings, _ := config.Load(at.home, at.keeper()) // its mistakes are reported at the start
	export := session.Export{Mask: redact.NewMask(llm.Secrets(llm.Options{Config: settings,
		Env: os.Getenv})).Value}
	if len(words) > 1 {
		if err := export.CheckName(words[1]); err != nil {
			return usageError(stderr, fmt.Errorf("session export: %w", err))
		}
	}
	s, err := loadSession(at, words[0])
	if err != nil {
		return failure(stderr, err)
	}
	if len(words) > 1 {
		if err := export.File(words[1], s); err != nil {
			return failure(stderr, fmt.Errorf("session export: %w", err))
		}
		return exitOK
	}
	var b bytes.Buffer
	if err := export.Markdown(&b, s); err != nil {
		return failure(stderr, err)
	}
	return sayBytes(stdout, stderr, b.Bytes())
}

// loadSession reads a session of the project without opening it for writing.
func loadSession(at place, id string) (*session.Session, error) {
	path, err := session.Find(at.sessions(), id)
	if err != nil {
		return nil, err
	}
	return session.Load(path)
}

// copyCommand copies another session's entries to a new session, to continue a session that is in
// use by another process.
func copyCommand(at place, id string, stdout, stderr io.Writer) int {
	s, err := loadSession(at, id)
	if err != nil {
		return failure(stderr, err)
	}
	c, err := session.Copy(s, session.Options{Dir: at.sessions(), CWD: at.dir})
	if err == nil {
		err = c.Close()
	}
	if err != nil {
		return failure(stderr, err)
	}
	return printText(stdout, stderr, c.ID())
}

// sayBytes is say for bytes that end their own lines.
func sayBytes(stdout, stderr io.Writer, b []byte) int {
	if _, err := stdout.Write(b); err != nil {
		return failure(stderr, fmt.Errorf("standard output: %w", err))
	}
	return exitOK
}
