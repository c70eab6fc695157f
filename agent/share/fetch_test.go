package share

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentscripts/agent/engine/realpath"
)

var endings = []string{".lua", ".js", ".ts"}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func fetched(t *testing.T, f *Fetcher, source string) ([]File, error) {
	t.Helper()
	s, err := ParseSource(source)
	if err != nil {
		t.Fatal(err)
	}
	return f.Fetch(t.Context(), s)
}

// TestDownload checks what is accepted of a web server, and what is not.
func TestDownload(t *testing.T) {
	t.Parallel()
	const script = "ext.log('x')\n"
	plainHTTP := httptest.NewServer(http.NotFoundHandler())
	defer plainHTTP.Close()
	mux := http.NewServeMux()
	answer := func(path, kind, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			fmt.Fprint(w, text)
		})
	}
	answer("/x.lua", "text/plain", script)
	answer("/page.lua", "text/html; charset=utf-8", script)
	answer("/sniffed.lua", "text/plain", "<!DOCTYPE html><html><body>")
	answer("/name", "text/plain", script)
	answer("/empty.lua", "text/plain", " \n")
	answer("/zero.lua", "text/plain", "-- \x00\n")
	answer("/latin.lua", "text/plain", "-- \xfc\n")
	mux.HandleFunc("/huge.lua", func(w http.ResponseWriter, _ *http.Request) {
		for range 100 << 10 {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	})
	for from, to := range map[string]string{"/moved.js": "/x.lua", "/raw.lua": "/name",
		"/latest":   "/x.lua?token=secret",
		"/http.lua": plainHTTP.URL + "/x.lua", "/round.lua": "/round.lua"} {
		mux.Handle(from, http.RedirectHandler(to, http.StatusFound))
	}
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	f := &Fetcher{Endings: endings, Client: server.Client()}
	sum := newFile("", []byte(script), Source{}, "").SHA256
	for path, want := range map[string]string{"/x.lua": "x.lua", "/moved.js": "moved.js",
		"/raw.lua": "raw.lua", "/latest": "x.lua", "/x.lua#sha256=" + sum: "x.lua"} {
		got, err := fetched(t, f, server.URL+path)
		if err != nil || len(got) != 1 || got[0].Name != want || string(got[0].Text) != script ||
			got[0].SHA256 != sum || strings.Contains(got[0].Resolved, "secret") {
			t.Errorf("%s: got %+v, %v", path, got, err)
		}
	}
	for path, want := range map[string]string{"/page.lua": "web page", "/sniffed.lua": "web page",
		"/name": "file name", "/none.lua": "404", "/huge.lua": "larger than 1024 KB",
		"/empty.lua": "it is empty", "/zero.lua": "NUL byte", "/latin.lua": "UTF-8",
		"/http.lua": "not https", "/round.lua": "more than 5 times",
		"/x.lua#sha256=" + strings.Repeat("00", 32): "not the same"} {
		got, err := fetched(t, f, server.URL+path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", path, got, err, want)
		}
	}
}

// git runs git in dir, with settings that do not depend on the user's.
func git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b",
		"-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository makes a repository with scripts, and things that may be dangerous.
func repository(t testing.TB) (dir, first string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir = t.TempDir()
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "a.lua"), "-- one\n")
	write(t, filepath.Join(dir, "sub", "b.js"), "// b\n")
	write(t, filepath.Join(dir, "sub", "c [1].lua"), "-- no name for us\n")
	write(t, filepath.Join(dir, "sub", "notes.md"), "no script\n")
	write(t, filepath.Join(dir, "--upload-pack=x.lua"), "-- odd\n")
	write(t, filepath.Join(dir, "large.lua"), strings.Repeat("-", mostBytes+1))
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link.lua")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".gitmodules"),
		"[submodule \"x\"]\n\tpath = x\n\turl = --upload-pack=touch /tmp/pwned\n")
	write(t, filepath.Join(dir, ".gitattributes"), "*.lua filter=evil\n")
	git(t, dir, "add", "--", "a.lua", "sub", ".gitmodules", ".gitattributes")
	git(t, dir, "commit", "-q", "-m", "one")
	first = git(t, dir, "rev-parse", "HEAD")
	git(t, dir, "tag", "v1")
	write(t, filepath.Join(dir, "a.lua"), "-- two\n")
	git(t, dir, "add", "-A", "-f")
	git(t, dir, "commit", "-q", "-m", "two")
	return dir, first
}

// TestRepository checks which scripts of a git repository are offered, and that links, large files
// and odd names are not.
func TestRepository(t *testing.T) {
	t.Parallel()
	dir, first := repository(t)
	head := git(t, dir, "rev-parse", "HEAD")
	f := &Fetcher{Endings: endings}
	for source, want := range map[string]string{
		"//a.lua":               "a.lua|-- two\n|" + head,
		"@v1":                   "a.lua|-- one\n|" + first,
		"@v1//a.lua":            "a.lua|-- one\n|" + first,
		"@" + first + "//a.lua": "a.lua|-- one\n|" + first,
		"@main//sub":            "b.js|// b\n|" + head,
		"//sub/b.js":            "b.js|// b\n|" + head,
	} {
		got, err := fetched(t, f, "git:file://"+dir+source)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: got %v, %v", source, got, err)
			continue
		}
		if text := got[0].Name + "|" + string(got[0].Text) + "|" + got[0].Resolved; text != want {
			t.Errorf("%s: got %q, want %q", source, text, want)
		}
		again, err := f.Fetch(t.Context(), got[0].From)
		if err != nil || len(again) != 1 || again[0].SHA256 != got[0].SHA256 {
			t.Errorf("%s: its own source %s: %v, %v", source, got[0].From, again, err)
		}
	}
	got, err := fetched(t, f, "git:"+dir)
	if err != nil || len(got) != 3 || got[0].Trouble != nil || got[1].Trouble == nil ||
		got[2].Trouble == nil {
		t.Errorf("got %v, %v", got, err)
	}
	for source, want := range map[string]string{"//link.lua": "a link",
		"//large.lua": "larger than", "//none.lua": "no none.lua", "@none": "git fetch",
		"@" + first[:8]:   "all of its 40 digits",
		"//sub/c [1].lua": "file name", "//a.lua/b": "", "@v1//.gitmodules": "file name"} {
		if got, err := fetched(t, f, "git:"+dir+source); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v, want %q", source, got, err, want)
		}
	}
}

// TestNoScriptHere checks that the error says where there are scripts.
func TestNoScriptHere(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q")
	write(t, filepath.Join(dir, "agent", "x.lua"), "-- x\n")
	write(t, filepath.Join(dir, "README.md"), "x\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "x")
	f := &Fetcher{Endings: endings}
	if _, err := fetched(t, f, "git:"+dir); err == nil ||
		!strings.Contains(err.Error(), "there are some in agent") {
		t.Errorf("got %v", err)
	}
}

// TestLeftoversOfFetchesGo checks that what a command was fetching when it was killed is removed by
// a later one, and what another one is fetching is not.
func TestLeftoversOfFetchesGo(t *testing.T) {
	dir, _ := repository(t)
	t.Setenv("TMPDIR", t.TempDir())
	old := filepath.Join(os.TempDir(), fetchedMark+"1")
	now := filepath.Join(os.TempDir(), fetchedMark+"2")
	other := filepath.Join(os.TempDir(), "of-somebody-else")
	before := time.Now().Add(-2 * leftAfter)
	for _, d := range []string{old, now, other} {
		write(t, filepath.Join(d, "HEAD"), "x")
		if err := os.Chtimes(d, before, before); d != now && err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(now, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := fetched(t, &Fetcher{Endings: endings}, "git:"+dir+"//a.lua"); err != nil {
		t.Fatal(err)
	}
	if realpath.Exists(old) || !realpath.Exists(now) || !realpath.Exists(other) {
		t.Error("want the two others, and not what was left")
	}
}

// TestUsersRepositoryIsLeftAlone checks that variables of git, as a hook sets them, do not lead the
// fetch into another repository.
func TestUsersRepositoryIsLeftAlone(t *testing.T) {
	dir, _ := repository(t)
	other := t.TempDir()
	git(t, other, "init", "-q")
	t.Setenv("GIT_DIR", filepath.Join(other, ".git"))
	t.Setenv("GIT_WORK_TREE", other)
	f := &Fetcher{Endings: endings}
	if got, err := fetched(t, f, "git:"+dir+"//a.lua"); err != nil || len(got) != 1 {
		t.Errorf("got %v, %v", got, err)
	}
	if refs, _ := os.ReadDir(filepath.Join(other, ".git", "refs", "fetched")); len(refs) > 0 {
		t.Error("the fetch went into the other repository")
	}
	if _, err := os.Stat(filepath.Join(other, ".git", "refs", "fetched")); err == nil {
		t.Error("the fetch went into the other repository")
	}
}

// TestGitStaysOnHTTPS checks that a server cannot lead git to an address without encryption.
func TestGitStaysOnHTTPS(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	var asked atomic.Bool
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Store(true)
		http.NotFound(w, nil)
	}))
	defer open.Close()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, open.URL+r.URL.String(), http.StatusFound)
	}))
	defer server.Close()
	home := t.TempDir()
	write(t, filepath.Join(home, ".gitconfig"), "[http]\n\tsslVerify = false\n")
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	f := &Fetcher{Endings: endings}
	if got, err := fetched(t, f, "git:"+server.URL+"/x.git"); err == nil {
		t.Errorf("got %v", got)
	}
	if asked.Load() {
		t.Error("git has followed a redirect to http")
	}
}

// TestGitCertificates checks that git trusts the certificates that the environment names.
func TestGitCertificates(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: server.Certificate().Raw})))
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_SSL_CAINFO", file)
	_, err := fetched(t, &Fetcher{Endings: endings}, "git:"+server.URL+"/x.git")
	if err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("got %v, want what the server answers", err)
	}
}

// TestLocal checks what is taken from files and folders of this machine.
func TestLocal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.lua"), "-- a\n")
	write(t, filepath.Join(dir, "b.js"), "// b\n")
	write(t, filepath.Join(dir, ".hidden.lua"), "-- h\n")
	write(t, filepath.Join(dir, "large.txt"), "x")
	write(t, filepath.Join(dir, "CON.lua"), "-- a device\n")
	write(t, filepath.Join(dir, "my script.lua"), "-- a\n")
	f := &Fetcher{Endings: endings}
	got, err := fetched(t, f, dir)
	if err != nil || len(got) != 2 || got[0].Name != "a.lua" || got[1].Name != "b.js" {
		t.Errorf("got %v, %v", got, err)
	}
	odd := t.TempDir()
	write(t, filepath.Join(odd, "my script.lua"), "-- a\n")
	s, _ := ParseSource(odd)
	if got, err := f.FetchAs(t.Context(), s, "mine.lua"); err != nil || got[0].Name != "mine.lua" {
		t.Errorf("a folder of one script with an odd name: got %v, %v", got, err)
	}
	for name, want := range map[string]string{filepath.Join(dir, "none.lua"): "no such file",
		odd: `"my script.lua", want letters`, filepath.Join(dir, "large.txt"): "letters, digits",
		"someone":                     "agent ext add NAME",
		filepath.Join(dir, "CON.lua"): "Windows reserves", "./some one/x": "no such file",
		"someone/scripts":                      "for a repository: github:someone/scripts",
		"github.com/someone/scripts":           `did you mean "github:someone/scripts"?`,
		"testdata/no-such/file.lua":            "file.lua: no such file or directory",
		"gist.github.com/someone/0123456789ab": `did you mean "gist:0123456789ab"?`} {
		if _, err := fetched(t, f, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	many := t.TempDir()
	for i := range mostTotal/mostBytes + 1 {
		write(t, filepath.Join(many, fmt.Sprintf("x%d.lua", i)), strings.Repeat("-", mostBytes))
	}
	_, err = fetched(t, f, many)
	if err == nil || !strings.Contains(err.Error(), "more than 32 MB") {
		t.Errorf("many large scripts: %v", err)
	}
	_, err = fetched(t, f, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "no script") {
		t.Errorf("an empty folder: %v", err)
	}
}
