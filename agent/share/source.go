// This file parses where a script comes from.

package share

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/plain"
	"github.com/agentscripts/agent/engine/realpath"
	"github.com/agentscripts/agent/engine/suggest"
)

// Kind is a kind of source.
type Kind string

// The kinds of sources.
const (
	KindFile Kind = "file" // a file or a folder of this machine
	KindURL  Kind = "url"  // one file by https
	KindGit  Kind = "git"  // a file or a folder of a git repository
)

// Source is where scripts come from.
type Source struct {
	Kind Kind
	// At is the path of the file or folder, the URL, or the address of the repository.
	At string
	// Ref is a branch, a tag or a commit; "" is the repository's default. Only for KindGit.
	Ref string
	// Path is a file or a folder in the repository; "" is its top. Only for KindGit.
	Path string
	// SHA256 is the hash that the bytes must have, in hex; "" is any. Only for KindURL.
	SHA256 string

	text string
}

// Exact reports whether it names the very bytes, by their hash or their commit, or is a path of
// this machine.
func (s Source) Exact() bool {
	switch s.Kind {
	case KindURL:
		return s.SHA256 != ""
	case KindGit:
		return commits().MatchString(s.Ref)
	}
	return true
}

// String returns the source as the lock file has it.
func (s Source) String() string { return s.text }

// Forms lists the forms of a source, for help and errors.
const Forms = "a path, https://HOST/x.lua[#sha256=HEX], gist:ID[@REV], " +
	"github:OWNER/REPOSITORY[/PATH][@REF] or git:URL[@REF][//PATH]"

// hosts are the services with a form of their own.
const (
	gistHost   = "https://gist.github.com/"
	githubHost = "https://github.com/"
)

// ParseSource parses a source in one of the Forms.
func ParseSource(text string) (Source, error) {
	s := Source{text: text}
	if text == "" || strings.ContainsFunc(text, func(r rune) bool {
		return plain.Control(r) || plain.Invisible(r)
	}) {
		return s, fmt.Errorf("source: got %q, want %s", shownSource(text), Forms)
	}
	form, rest, _ := strings.Cut(text, ":")
	var err error
	switch form {
	case "https":
		err = s.parseURL()
	case "http":
		err = errors.New("others could change what comes by http: use https")
	case "gist":
		err = s.parseGist(rest)
	case "github":
		err = s.parseGitHub(rest)
	case "git":
		err = s.parseGit(rest)
	default:
		if strings.Contains(text, "://") {
			err = errors.New("want " + Forms)
			break
		}
		s.Kind = KindFile
		s.At, err = filepath.Abs(text)
		s.text = s.At // the lock file is read in other folders too
	}
	if err != nil {
		var parse *url.Error // has the whole address
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return s, fmt.Errorf("source %s: %w", shownSource(text), err)
	}
	return s, nil
}

var secretParts = lazyregexp.New(`(?i)(://)[^/?#]*(@)|([?&]` + secretNames + `=)[^&#]*`)

// secretNames matches the names of parameters that give access.
const secretNames = `(?:(?:access_|private_|auth_?|job_)?token|password|secret|api_?key|key|sig|` +
	`signature|x-amz-signature|x-amz-security-token|x-goog-signature)`

var secretParameter = lazyregexp.New(`(?i)^` + secretNames + `$`)

// shownSource is the text of a source for an error, without what may be a secret.
func shownSource(text string) string {
	return plain.RevealName(secretParts().ReplaceAllString(text, "$1$3***$2"))
}

func (s *Source) parseURL() error {
	u, err := url.Parse(s.text)
	if err != nil {
		return err
	}
	if err := checkAddress(u); err != nil {
		return err
	}
	if u.Fragment != "" {
		sum, ok := strings.CutPrefix(u.Fragment, "sha256=")
		if b, err := hex.DecodeString(sum); !ok || err != nil || len(b) != 32 {
			return fmt.Errorf("after #: got %q, want sha256= and 64 digits in hex", u.Fragment)
		}
		s.SHA256 = strings.ToLower(sum)
	}
	if form := meantByPage(u); form != "" {
		return fmt.Errorf("this is the address of a web page%s", suggest.Meant(form))
	}
	u.Fragment, u.RawFragment = "", ""
	s.Kind, s.At = KindURL, u.String()
	return nil
}

// meantByPage returns the source that the address of a page of a service means, which shows a
// repository, a file or a gist; "" if the address is none of these.
func meantByPage(u *url.URL) string {
	parts := strings.Split(strings.Trim(u.Path, "/"), "/")
	switch id := parts[len(parts)-1]; "https://" + strings.TrimPrefix(u.Host, "www.") + "/" {
	case gistHost:
		if len(parts) <= 2 && gistIDs().MatchString(id) {
			return "gist:" + id
		}
	case githubHost:
		if len(parts) < 2 || !repositories().MatchString(parts[0]+"/"+parts[1]) {
			break
		}
		name := "github:" + parts[0] + "/" + strings.TrimSuffix(parts[1], ".git")
		if len(parts) == 2 {
			return name
		} else if len(parts) > 3 && (parts[2] == "blob" || parts[2] == "tree") {
			return strings.Join(append([]string{name}, parts[4:]...), "/") + "@" + parts[3]
		}
	}
	return ""
}

// meantByPath returns what to do instead, as the end of an error about a path that does not exist.
func meantByPath(absolute string) string {
	working, err := os.Getwd()
	if err != nil {
		return ""
	}
	typed, err := filepath.Rel(working, absolute)
	if err != nil {
		return ""
	}
	typed = filepath.ToSlash(typed)
	if u, err := url.Parse("https://" + typed); err == nil && meantByPage(u) != "" {
		return suggest.Meant(meantByPage(u))
	}
	parts := strings.SplitN(typed, "/", 3)
	switch {
	case len(parts) == 1 && !strings.Contains(typed, "."):
		return "; agent ext add NAME copies an example of agent ext gallery"
	case len(parts) > 1 && repositories().MatchString(parts[0]+"/"+parts[1]) &&
		!realpath.Exists(parts[0]):
		return "; for a repository: github:" + typed
	}
	return ""
}

// checkAddress rejects an address that must not be in the lock file, or has no host.
func checkAddress(u *url.URL) error {
	if _, secret := u.User.Password(); secret || isToken(u) {
		return errors.New("the address has a password, which the lock file would show: use " +
			"git's or the system's store of passwords")
	}
	for name := range u.Query() {
		if secretParameter().MatchString(name) {
			return fmt.Errorf("the address has a secret, %s, which the lock file would show: "+
				"fetch the file, and install it by its path", plain.RevealName(name))
		}
	}
	if u.Host == "" && u.Scheme != "file" {
		return errors.New("the address names no host")
	}
	return nil
}

// isToken reports whether the name of a user is a token: hosts of git take them so.
func isToken(u *url.URL) bool {
	return u.Scheme == "https" && tokens().MatchString(u.User.Username())
}

var tokens = lazyregexp.New(`^(gh[a-z]_|github_pat_|glpat-|gldt-|hf_|[A-Za-z0-9_-]{32,}$)`)

var gistIDs = lazyregexp.New(`^([A-Za-z0-9-]+/)?[0-9a-f]+$`)

func (s *Source) parseGist(rest string) error {
	id, ref, given := strings.Cut(rest, "@")
	if !gistIDs().MatchString(id) {
		return fmt.Errorf("got %q, want the id of a gist, such as 2decf6c462d9b4418f2", id)
	}
	s.Kind, s.At = KindGit, gistHost+path.Base(id)+".git"
	return s.setRef(ref, given)
}

var repositories = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9_][A-Za-z0-9._-]*$`)

func (s *Source) parseGitHub(rest string) error {
	rest, ref, given := strings.Cut(rest, "@")
	parts := strings.SplitN(rest, "/", 3)
	if len(parts) < 2 || !repositories().MatchString(parts[0]+"/"+parts[1]) {
		return errors.New("want github:OWNER/REPOSITORY[/PATH][@REF]")
	}
	s.Kind, s.At = KindGit, githubHost+parts[0]+"/"+strings.TrimSuffix(parts[1], ".git")+".git"
	if err := s.setRef(ref, given); err != nil || len(parts) == 2 {
		return err
	}
	return s.setPath(parts[2])
}

// parseGit parses URL[@REF][//PATH], where URL may also be user@host:path as ssh writes it.
func (s *Source) parseGit(rest string) error {
	scheme, after, isURL := strings.Cut(rest, "://")
	if !isURL {
		scheme, after = "", rest
	}
	after, inside, within := strings.Cut(after, "//")
	user, ends := "", "/"
	if !isURL {
		ends = "/:" // as in git@host:path
	}
	if host := strings.IndexAny(after, ends); host >= 0 {
		if at := strings.LastIndexByte(after[:host], '@'); at >= 0 {
			user, after = after[:at+1], after[at+1:]
		}
	}
	after, ref, given := strings.Cut(after, "@")
	s.Kind, s.At = KindGit, user+after
	switch scheme {
	case "https", "ssh", "file":
		s.At = scheme + "://" + s.At
		u, err := url.Parse(s.At)
		if err != nil {
			return err
		}
		if err := checkAddress(u); err != nil {
			return err
		}
	case "":
		switch {
		case filepath.IsAbs(s.At):
		case user != "" && strings.Contains(after, ":"): // git@host:path
		default:
			return errors.New("want https://, ssh://, file://, user@host:path or an absolute path")
		}
	default:
		return fmt.Errorf("%s:// is not supported: want https://, ssh://, file:// or "+
			"user@host:path", plain.RevealName(scheme))
	}
	if strings.HasPrefix(s.At, "-") {
		return errors.New("the address begins with -")
	}
	if err := s.setRef(ref, given); err != nil || !within {
		return err
	}
	return s.setPath(inside)
}

var refs = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._/+-]*$`)

func (s *Source) setRef(ref string, given bool) error {
	if given && (!refs().MatchString(ref) || strings.Contains(ref, "..")) {
		return fmt.Errorf("after @: got %q, want a branch, a tag or a commit", ref)
	}
	s.Ref = ref
	return nil
}

func (s *Source) setPath(inside string) error {
	inside = strings.Trim(inside, "/")
	if inside == "" {
		return nil
	}
	if path.Clean(inside) != inside || inside == ".." || strings.HasPrefix(inside, "../") ||
		strings.HasPrefix(inside, ":") {
		return fmt.Errorf("got the path %q, want one inside of the repository", inside)
	}
	s.Path = inside
	return nil
}
