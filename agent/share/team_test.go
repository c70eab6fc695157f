package share

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/realpath"
)

// lockOf is the text of a lock file that names scripts: file, source and text of each.
func lockOf(scripts ...[3]string) string {
	var list []string
	for _, s := range scripts {
		list = append(list, fmt.Sprintf(`{"file": %q, "source": %q, "sha256": %q}`, s[0], s[1],
			newFile("", []byte(s[2]), Source{}, "").SHA256))
	}
	return `{"version": 1, "scripts": [` + strings.Join(list, ",\n") + "]}\n"
}

func fetchTeam(t *testing.T, f *Fetcher, source string) (*Team, error) {
	t.Helper()
	s, err := ParseSource(source)
	if err != nil {
		t.Fatal(err)
	}
	return f.FetchTeam(t.Context(), s)
}

// TestTeamOfAServer checks what is accepted of a web server as a team's lock file, and where the
// scripts come from that it names.
func TestTeamOfAServer(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	answer := func(path, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, text)
		})
	}
	answer("/team/scripts.lock", lockOf([3]string{"a.lua", "guards/a.lua", "-- a\n"},
		[3]string{"b.lua", "../b.lua", "-- b\n"}, [3]string{"c.lua", "gist:12ab", "-- c\n"}))
	answer("/team/guards/a.lua", "-- a\n")
	answer("/page.lock", "<!DOCTYPE html><html><body>")
	answer("/here.lock", lockOf([3]string{"a.lua", "/etc/a.lua", ""}))
	answer("/host.lock", lockOf([3]string{"a.lua", "//other.example/a.lua", ""}))
	answer("/drive.lock", lockOf([3]string{"a.lua", `c:\a.lua`, ""}))
	var many [][3]string
	for i := range mostFiles + 1 {
		many = append(many, [3]string{fmt.Sprintf("x%d.lua", i), "x.lua", ""})
	}
	answer("/many.lock", lockOf(many...))
	mux.HandleFunc("/huge.lock", func(w http.ResponseWriter, _ *http.Request) {
		for range 100 << 10 {
			if _, err := w.Write(make([]byte, 1<<10)); err != nil {
				return
			}
		}
	})
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	in := newInstaller(t)
	in.Fetch = &Fetcher{Endings: endings, Client: server.Client()}
	address := server.URL + "/team/scripts.lock"
	team, err := fetchTeam(t, in.Fetch, address)
	if err != nil || len(team.Entries) != 3 || team.From != address {
		t.Fatalf("got %+v, %v", team, err)
	}
	for i, want := range []string{server.URL + "/team/guards/a.lua", server.URL + "/b.lua",
		"gist:12ab"} {
		if got := team.Entries[i].Source; got != want {
			t.Errorf("got the source %s, want %s", got, want)
		}
	}
	p, err := team.Preview(t.Context(), in, team.Entries[0], nil)
	if err == nil {
		err = in.Install(t.Context(), p)
	}
	if e := entry(t, in, "a.lua"); err != nil || e == nil || e.Team != address ||
		e.Source != server.URL+"/team/guards/a.lua" || onDisk(in, "a.lua") != "-- a\n" {
		t.Errorf("got %+v, %v", e, err)
	}
	for path, want := range map[string]string{"/page.lock": "web page, not a lock file",
		"/huge.lock": "larger than 1024 KB", "/none.lock": "404", "/team/guards/a.lua": "file name",
		"/here.lock": "path of another machine", "/host.lock": "path of another machine",
		"/drive.lock": "path of another machine", "/many.lock": "more than 1000"} {
		if got, err := fetchTeam(t, in.Fetch, server.URL+path); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v, want %q", path, got, err, want)
		}
	}
}

// TestTeamOfARepository checks that a path in a team's lock file is one of the commit that the lock
// file is of, and that a newer version counts as the same lock file.
func TestTeamOfARepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "agent", "scripts.lock"),
		lockOf([3]string{"a.lua", "../guards/a.lua", "-- one\n"}))
	write(t, filepath.Join(dir, "agent", "Cargo.lock"), "version = 3\n")
	write(t, filepath.Join(dir, "guards", "a.lua"), "-- one\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	git(t, dir, "tag", "v1")
	in := newInstaller(t)
	team, err := fetchTeam(t, in.Fetch, "git:"+dir+"@main//agent")
	if err != nil || team.From != "git:"+dir+"//agent/scripts.lock" {
		t.Fatalf("got %+v, %v", team, err)
	}
	if got := team.Entries[0].Source; got != "git:"+dir+"@main//guards/a.lua" {
		t.Errorf("got the source %s", got)
	}
	write(t, filepath.Join(dir, "guards", "a.lua"), "-- two\n") // after the lock file was fetched
	git(t, dir, "commit", "-q", "-a", "-m", "two")
	p, err := team.Preview(t.Context(), in, team.Entries[0], nil)
	if err != nil || string(p.Text) != "-- one\n" {
		t.Errorf("got %+v, %v", p, err)
	}
	old, err := fetchTeam(t, in.Fetch, "git:"+dir+"@v1//agent/scripts.lock")
	if err != nil || old.From != team.From {
		t.Errorf("an older version: got %+v, %v", old, err)
	}
	for source, want := range map[string]string{"//": "no lock file in its top folder; there are " +
		"some in agent", "//guards": "some in agent", "//agent/none.lock": "no agent/none.lock"} {
		if got, err := fetchTeam(t, in.Fetch, "git:"+dir+source); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %+v, %v, want %q", source, got, err, want)
		}
	}
}

// TestTeamsScriptIsRemovedAsListed checks that a script which has changed since the user was asked
// is not removed, and that one whose file is missing loses its entry.
func TestTeamsScriptIsRemovedAsListed(t *testing.T) {
	t.Parallel()
	in, from := newInstaller(t), t.TempDir()
	install(t, in, from, "a.lua", "-- one\n")
	listed := func() Status {
		all, err := in.List()
		if err != nil || len(all) != 1 {
			t.Fatalf("got %v, %v", all, err)
		}
		return all[0]
	}
	before := listed()
	if err := in.Pin("a.lua", true); err != nil {
		t.Fatal(err)
	}
	if err := in.RemoveAsListed(before); err == nil || onDisk(in, "a.lua") == "" {
		t.Errorf("its entry has changed: %v", err)
	}
	before = listed()
	write(t, in.Path("a.lua"), "-- edited\n")
	if err := in.RemoveAsListed(before); err == nil || onDisk(in, "a.lua") == "" {
		t.Errorf("it has changed: %v", err)
	}
	if err := in.RemoveAsListed(listed()); err != nil || entry(t, in, "a.lua") != nil {
		t.Errorf("as listed: %v", err)
	}
}

// TestRepositoryIsFetchedOnce checks that the scripts of a team's lock file come from what was
// fetched with it, and that a server which does not answer is asked once.
func TestRepositoryIsFetchedOnce(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, gone := t.TempDir(), filepath.Join(t.TempDir(), "gone")
	git(t, dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "scripts.lock"), lockOf([3]string{"a.lua", "a.lua", "-- a\n"},
		[3]string{"b.lua", "b.lua", "-- b\n"},
		[3]string{"c.lua", "git:" + gone + "//a.lua", "-- a\n"}))
	write(t, filepath.Join(dir, "a.lua"), "-- a\n")
	write(t, filepath.Join(dir, "b.lua"), "-- b\n")
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-q", "-m", "one")
	in := newInstaller(t)
	fetch, end := in.Fetch.Together()
	in.Fetch = fetch
	team, err := fetchTeam(t, in.Fetch, "git:"+dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := team.Preview(t.Context(), in, team.Entries[2], nil); err == nil {
		t.Fatal("there is no such repository")
	}
	if err := os.Rename(dir, gone); err != nil { // neither is what it was a moment ago
		t.Fatal(err)
	}
	if _, err := team.Preview(t.Context(), in, team.Entries[2], nil); err == nil {
		t.Error("a repository that could not be fetched was asked again")
	}
	for _, e := range team.Entries[:2] {
		if p, err := team.Preview(t.Context(), in, e, nil); err != nil ||
			string(p.Text) != "-- "+e.File[:1]+"\n" {
			t.Errorf("%s: got %+v, %v", e.File, p, err)
		}
	}
	dirs := fetch.kept.dirs
	end()
	for _, dir := range dirs {
		if realpath.Exists(dir) {
			t.Errorf("%s is still there", dir)
		}
	}
	if _, err := team.Preview(t.Context(), in, team.Entries[0], nil); err == nil {
		t.Error("what was fetched is still there after the end")
	}
}
