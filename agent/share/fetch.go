// This file fetches scripts. Nothing of what is fetched is run.

package share

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/regularfile"
)

const (
	// mostBytes is the size of the largest script: the engine loads no larger one.
	mostBytes = 1 << 20
	// mostFiles is how many scripts one source can offer.
	mostFiles = 1000
	// mostTotal is how many bytes the scripts of one source can have.
	mostTotal = 32 << 20
	// mostRedirects is how often a server may lead to another address.
	mostRedirects = 5
	// fetchTime is how long a source has to answer.
	fetchTime = time.Minute
)

// File is a script that a source offers.
type File struct {
	Name   string // of the file, such as "guard.lua"
	Text   []byte
	SHA256 string // of Text, hex
	From   Source // leads to this file alone
	// Resolved is where From led: the path, the URL after redirects, or the commit.
	Resolved string
	// Trouble is why it cannot be installed, though others of a folder can; nil = it can.
	Trouble error
}

// Fetcher fetches scripts. The zero Fetcher, with Endings, is ready for use.
type Fetcher struct {
	Endings []string     // of script files, such as ".lua"
	Client  *http.Client // nil = one with limits
	// Moved returns the address to use for one of a git repository; nil = the same.
	Moved func(address string) string

	what string // that it fetches; "" = scripts
	kept *kept  // what the command has fetched; nil = nothing is kept
}

// Fetch returns the scripts that a source offers, in order of their names.
func (f *Fetcher) Fetch(ctx context.Context, s Source) ([]File, error) {
	return f.FetchAs(ctx, s, "")
}

// FetchAs is like Fetch. If the source offers one script, that has the name; "" = its own.
func (f *Fetcher) FetchAs(ctx context.Context, s Source, name string) ([]File, error) {
	ctx, stop := context.WithTimeout(ctx, fetchTime)
	defer stop()
	var files []File
	var err error
	switch s.Kind {
	case KindFile:
		files, err = f.local(s)
	case KindURL:
		files, err = f.download(ctx, s)
	default:
		files, err = f.repository(ctx, s)
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded),
		errors.Is(err, context.DeadlineExceeded): // of the first of several that was asked for
		err = fmt.Errorf("no answer within %v", fetchTime)
	case err == nil && len(files) == 0:
		err = fmt.Errorf("there is no %s: want a file that ends in %s", f.noun(),
			strings.Join(f.Endings, ", "))
	}
	files = f.named(files)
	if len(files) == 1 && err == nil {
		files[0].Name = cmp.Or(name, files[0].Name)
		err = f.CheckName(files[0].Name)
	}
	for i := range files {
		one := &files[i]
		if err == nil && one.Trouble == nil {
			one.Trouble = cmp.Or(f.CheckName(one.Name), checkText(one.Text))
		}
		one.Name = plain.RevealName(one.Name)
	}
	if len(files) == 1 && err == nil {
		err = files[0].Trouble
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", plain.RevealName(s.String()), err)
	}
	return files, nil
}

// named returns the files with the name of a script, or all if none has it.
func (f *Fetcher) named(files []File) (named []File) {
	for _, one := range files {
		if f.CheckName(one.Name) == nil {
			named = append(named, one)
		}
	}
	if len(named) == 0 {
		return files
	}
	return named
}

func (f *Fetcher) noun() string { return cmp.Or(f.what, "script") }

// newFile returns a script with its hash.
func newFile(name string, text []byte, from Source, resolved string) File {
	sum := sha256.Sum256(text)
	return File{Name: name, Text: text, SHA256: hex.EncodeToString(sum[:]), From: from,
		Resolved: resolved}
}

// checkText rejects bytes that cannot be a script, such as those of a failed download.
func checkText(text []byte) error {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return errors.New("it is empty")
	case bytes.IndexByte(text, 0) >= 0:
		return errors.New("it is not a text: it has a NUL byte")
	case !utf8.Valid(text):
		return errors.New("it is not a text in UTF-8")
	}
	return nil
}

// isScript reports whether a file is a script by its name.
func (f *Fetcher) isScript(name string) bool {
	return slices.Contains(f.Endings, path.Ext(name)) && !strings.HasPrefix(name, ".")
}

var names = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,100}$`)

// reserved matches names that are devices on some systems.
var reserved = lazyregexp.New(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)`)

// IsDevice reports whether a file name is that of a device on some systems.
func IsDevice(name string) bool { return reserved().MatchString(name) }

// ErrName is of errors about the name of a script's file.
var ErrName = errors.New("file name")

// CheckName checks the name of a script's file.
func (f *Fetcher) CheckName(name string) error {
	switch shown := plain.RevealName(name); {
	case IsDevice(name):
		return fmt.Errorf("got the %w %q, which Windows reserves for a device", ErrName, shown)
	case !names().MatchString(name) || !f.isScript(name):
		return fmt.Errorf("got the %w %q, want letters, digits, -, _ and ., a letter or digit at "+
			"its beginning, and at its end one of %s", ErrName, shown,
			strings.Join(f.Endings, ", "))
	}
	return nil
}

// local returns a script of this machine, or those of a folder.
func (f *Fetcher) local(s Source) ([]File, error) {
	info, err := os.Stat(s.At)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w%s", plain.Cause(err), meantByPath(s.At))
	case err != nil:
		return nil, plain.Cause(err)
	case !info.IsDir():
		text, err := readScript(s.At)
		if err != nil {
			return nil, err
		}
		return []File{newFile(filepath.Base(s.At), text, s, s.At)}, nil
	}
	list, err := os.ReadDir(s.At)
	if err != nil {
		return nil, plain.Cause(err)
	}
	var files []File
	for _, d := range list {
		if d.IsDir() || !f.isScript(d.Name()) {
			continue
		}
		one := s
		one.At = filepath.Join(s.At, d.Name())
		one.text = one.At
		text, err := readScript(one.At)
		got := newFile(d.Name(), text, one, one.At)
		got.Trouble = err
		files = append(files, got)
		if err := tooMany(files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// tooMany is an error if a source offers more than is held in memory.
func tooMany(files []File) error {
	total := 0
	for _, f := range files {
		total += len(f.Text)
	}
	switch {
	case len(files) > mostFiles:
		return fmt.Errorf("there are more than %d scripts: name one, or a folder with less",
			mostFiles)
	case total > mostTotal:
		return fmt.Errorf("the scripts have more than %d MB: name one, or a folder with less",
			mostTotal>>20)
	}
	return nil
}

func readScript(path string) ([]byte, error) {
	text, err := readLimited(path, mostBytes)
	return text, plain.Cause(err)
}

// readLimited reads a regular file, unless it is too large.
func readLimited(path string, most int) ([]byte, error) {
	file, err := regularfile.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readMost(file, most)
}

// readMost reads all, unless it is too much.
func readMost(r io.Reader, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("larger than %d KB", most>>10)
	}
	return text, err
}

// shownAddress is an address for the lock file. What a server has added to the one that it leads to
// is left out: it may be a secret, and seldom lasts.
func shownAddress(u *url.URL, moved bool) string {
	shown := *u
	shown.User = nil
	if moved {
		shown.RawQuery, shown.Fragment = "", ""
	}
	return shown.String()
}

// download returns the script at a URL.
func (f *Fetcher) download(ctx context.Context, s Source) ([]File, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.At, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/plain, */*;q=0.5")
	client := http.Client{Transport: http.DefaultTransport}
	if f.Client != nil {
		client = *f.Client
	}
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		switch {
		case req.URL.Scheme != "https":
			return fmt.Errorf("it leads to %s, which is not https", req.URL.Redacted())
		case len(via) > mostRedirects:
			return fmt.Errorf("it leads to another address more than %d times", mostRedirects)
		}
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", plain.OneLine(resp.Status))
	}
	text, err := readMost(resp.Body, mostBytes)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "text/html" || strings.HasPrefix(http.DetectContentType(text), "text/html") {
		return nil, fmt.Errorf("this is a web page, not a %s: give the address of the raw file",
			f.noun())
	}
	final := resp.Request.URL
	name := path.Base(req.URL.Path) // a server must not choose which script is replaced
	if f.CheckName(name) != nil {
		name = path.Base(final.Path)
	}
	got := newFile(name, text, s, shownAddress(final, final.String() != req.URL.String()))
	if s.SHA256 != "" && got.SHA256 != s.SHA256 {
		return nil, fmt.Errorf("the bytes have the sha256 %s, and %s is asked for: they are "+
			"not the same", got.SHA256, s.SHA256)
	}
	return []File{got}, nil
}
