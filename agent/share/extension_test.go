package share

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/scriptfile"
)

// extensions returns an installer of extensions with the manifest m.json, and a folder with one.
func extensions(t *testing.T) (in *Installer, dir string) {
	t.Helper()
	home := t.TempDir()
	in = &Installer{Home: home, Scripts: filepath.Join(home, "scripts"), Fetch: &Fetcher{},
		Lock: filepath.Join(home, "scripts.lock"), Extensions: filepath.Join(home, "extensions")}
	in.Formats = Formats{Manifests: []string{"m.json"},
		Header: func(name string, text []byte) (h scriptfile.Header, err error) {
			return h, json.Unmarshal(text, &h)
		}}
	dir = filepath.Join(t.TempDir(), "source")
	put(t, dir, "m.json", `{"Name": "one", "Grants": ["exec:run.sh", "ui"]}`)
	put(t, dir, "bin/run.sh", "#!/bin/sh\n")
	if err := os.Chmod(filepath.Join(dir, "bin", "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	return in, dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// offered returns the extension at a source.
func offered(t *testing.T, in *Installer, source, as string) *Extension {
	t.Helper()
	from, err := ParseSource(source)
	if err != nil {
		t.Fatal(err)
	}
	x, err := Extensions{In: in}.Offered(context.Background(), from, as)
	if err != nil || x == nil {
		t.Fatalf("%s: got %v %v", source, x, err)
	}
	return x
}

// TestInstallExtension: a folder is copied as it is; what was in its place goes to the trash, and
// comes back if the new one cannot be used.
func TestInstallExtension(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	in, dir := extensions(t)
	x := offered(t, in, dir, "")
	if x.Name() != "one/m.json" || x.Replaces || len(x.Wide([]string{"ui"})) != 1 {
		t.Errorf("got %+v", x)
	}
	if said := x.Describe(); !strings.Contains(said, "2 files") ||
		!strings.Contains(said, "runs the program run.sh") {
		t.Errorf("described as %s", said)
	}
	if err := (Extensions{In: in}).Install(ctx, x); err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(in.Extensions, "one")
	info, err := os.Stat(filepath.Join(place, "bin", "run.sh"))
	if err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the program: %v %v", info, err)
	}
	if again := offered(t, in, dir, ""); !again.Same() {
		t.Errorf("changed: %v", again.Changed)
	}
	put(t, dir, "bin/run.sh", "#!/bin/sh\necho two\n")
	put(t, dir, "new", "x")
	if err := os.Remove(filepath.Join(place, "m.json")); err != nil {
		t.Fatal(err)
	}
	put(t, place, "old", "x")
	x = offered(t, in, dir, "")
	if got := strings.Join(x.Changed, ", "); got != "bin/run.sh, m.json, new, old (removed)" {
		t.Errorf("changed: %s", got)
	}
	in.Formats.Start = func(_ context.Context, dir string) error {
		if _, err := os.Stat(filepath.Join(dir, "new")); err != nil {
			t.Error(err)
		}
		return errors.New("no database")
	}
	if err := (Extensions{In: in}).Install(ctx, x); err == nil ||
		!strings.Contains(err.Error(), "does not start, and was not installed: no database") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(place, "old")); err != nil {
		t.Error("what was there is not there any more:", err)
	}
	in.Formats.Start = nil
	if err := (Extensions{In: in}).Install(ctx, x); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(place, "old")); err == nil {
		t.Error("the old folder was not replaced")
	}
	if _, err := (Extensions{In: in}).Restore("one"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(place, "old")); err != nil {
		t.Error("the old folder did not come back:", err)
	}
	if left, _ := filepath.Glob(filepath.Join(in.Home, "state", "extension-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestExtensionOfRepository: the files of a commit are installed, without its history.
func TestExtensionOfRepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	in, dir := extensions(t)
	top := t.TempDir()
	if err := os.Rename(dir, filepath.Join(top, "ext")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=x", "-c",
		"user.email=x", "commit", "-qm", "x"}} {
		cmd := exec.Command("git", args...)
		if cmd.Dir = top; cmd.Run() != nil {
			t.Skip("git does not work here")
		}
	}
	x := offered(t, in, "git:"+top+"//ext", "other")
	if err := (Extensions{In: in}).Install(context.Background(), x); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(in.Extensions, "other", "bin", "run.sh"))
	if err != nil || info.Mode().Perm()&0o100 == 0 {
		t.Errorf("the program: %v %v", info, err)
	}
	from, err := ParseSource("git:" + top)
	if err != nil {
		t.Fatal(err)
	}
	x, err = Extensions{In: in}.Offered(context.Background(), from, "")
	if x != nil || err != nil {
		t.Errorf("its top folder: got %v %v", x, err)
	}
}

// TestBadExtensions: what cannot be installed is named.
func TestBadExtensions(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(dir string) error{
		"m.json: ": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "m.json"), []byte("{"), 0o644)
		},
		`the name "../x" cannot be that of a folder`: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "m.json"), []byte(`{"Name": "../x"}`), 0o644)
		},
		"away: ": func(dir string) error {
			return os.Symlink("/etc/passwd", filepath.Join(dir, "away"))
		},
	} {
		in, dir := extensions(t)
		if err := change(dir); err != nil {
			t.Skip(err)
		}
		x, err := Extensions{In: in}.Offered(context.Background(),
			Source{Kind: KindFile, At: dir}, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %t %v, want %q", x != nil, err, want)
		}
	}
}

// TestTwoManifests: what would be two extensions is not installed as one of them.
func TestTwoManifests(t *testing.T) {
	t.Parallel()
	in, dir := extensions(t)
	in.Formats.Manifests = append(in.Formats.Manifests, "n.json")
	put(t, dir, "n.json", "{}")
	from := Source{Kind: KindFile, At: dir}
	if _, err := (Extensions{In: in}).Offered(context.Background(), from, ""); err == nil ||
		!strings.Contains(err.Error(), "it is two extensions: it has m.json and n.json") {
		t.Errorf("got %v", err)
	}
}
