package trust_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agentscripts/agent/engine/trust"
)

func TestTrust(t *testing.T) {
	s := trust.New(filepath.Join(t.TempDir(), "home"), nil)
	item := trust.Item{Root: "/p", Path: "/p/.agent/config.toml", SHA256: "aa",
		Grants: []string{"mcp:a"}}
	is := func(what string, i trust.Item, trusted, never bool) {
		t.Helper()
		decided, err := s.Read()
		gotTrusted, gotNever := decided.Of(i)
		if gotTrusted != trusted || gotNever != never || err != nil {
			t.Errorf("%s: got %v %v %v, want %v %v", what, gotTrusted, gotNever, err, trusted,
				never)
		}
	}
	change := func(f func(*trust.Item)) trust.Item {
		i := item
		f(&i)
		return i
	}
	is("before any decision", item, false, false)
	if err := s.Trust(item); err != nil {
		t.Fatal(err)
	}
	is("these bytes", item, true, false)
	is("other bytes", change(func(i *trust.Item) { i.SHA256 = "ab" }), false, false)
	is("another project", change(func(i *trust.Item) { i.Root = "/q" }), false, false)
	is("another file", change(func(i *trust.Item) { i.Path = "/p/x" }), false, false)
	is("more grants", change(func(i *trust.Item) { i.Grants = append(i.Grants, "mcp:b") }), false,
		false)
	if info, err := os.Stat(s.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v", info, err)
	}
	changed := change(func(i *trust.Item) { i.SHA256 = "ab" })
	if err := s.Refuse(changed); err != nil {
		t.Fatal(err)
	}
	is("never", changed, false, true)
	is("the earlier bytes", item, true, false)
	if err := s.Refuse(item); err != nil {
		t.Fatal(err)
	}
	is("refused after it was trusted", item, false, true)
	is("other bytes, refused earlier", changed, false, false)
	if err := s.Trust(changed); err != nil {
		t.Fatal(err)
	}
	is("trusted after it was refused", changed, true, false)
	is("other bytes, also refused earlier", item, false, false)
	if err := s.Revoke(item.Root, item.Path); err != nil {
		t.Fatal(err)
	}
	is("forgotten", changed, false, false)
}

// TestUnreadable: a store that cannot be read, or that other users can write, trusts nothing, and
// is not overwritten.
func TestUnreadable(t *testing.T) {
	item := trust.Item{Root: "/p", Path: "/p/x", SHA256: "aa"}
	good := `{"version": 1, "items": [{"root": "/p", "path": "/p/x", "sha256": "aa"}]}`
	for name, text := range map[string]string{"garbage": "{oops",
		"another version": strings.Replace(good, "1", "2", 1), "open to others": good,
		"read by others": good, "good": good} {
		s := trust.New(t.TempDir(), nil)
		if err := os.WriteFile(s.Path(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		modes := map[string]os.FileMode{"open to others": 0o666, "read by others": 0o644}
		if err := os.Chmod(s.Path(), cmp.Or(modes[name], 0o600)); err != nil {
			t.Fatal(err)
		}
		decided, err := s.Read()
		trusted, _ := decided.Of(item)
		if want := name == "good"; trusted != want || (err == nil) != want {
			t.Errorf("%s: got %v %v", name, trusted, err)
		}
		if err := s.Trust(item); (err == nil) != (name == "good") {
			t.Errorf("%s: overwritten: %v", name, err)
		}
	}
	decided, err := trust.New("", nil).Read()
	if trusted, _ := decided.Of(item); trusted || err != nil {
		t.Errorf("no home: got %v %v", trusted, err)
	}
}

func TestConcurrentTrust(t *testing.T) {
	home := t.TempDir()
	const all = 20
	var work sync.WaitGroup
	for n := range all {
		work.Go(func() {
			s := trust.New(home, nil)
			if err := s.Trust(trust.Item{Root: "/p", Path: fmt.Sprint("/p/", n),
				SHA256: "aa"}); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	for n := range all {
		decided, err := trust.New(home, nil).Read()
		if trusted, _ := decided.Of(trust.Item{Root: "/p", Path: fmt.Sprint("/p/", n),
			SHA256: "aa"}); !trusted || err != nil {
			t.Errorf("%d: got %v %v", n, trusted, err)
		}
	}
}

// FuzzStore reads files with random content: an item can be added to a valid store, and an invalid
// store is never changed.
func FuzzStore(f *testing.F) {
	f.Add([]byte(`{"version": 1, "items": [{"root": "/p", "path": "/p/x", "sha256": "aa"}]}`))
	f.Add([]byte(`{"version": 1, "items": [{"never": true}, null]}`))
	f.Add([]byte(`{"version": 2, "items": []}`))
	f.Add([]byte("{oops"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := trust.New(t.TempDir(), nil)
		if err := os.WriteFile(s.Path(), text, 0o600); err != nil {
			t.Fatal(err)
		}
		item := trust.Item{Root: "/q", Path: "/q/new", SHA256: "bb"}
		_, err := s.Read()
		if wrong := s.Trust(item); (wrong == nil) != (err == nil) {
			t.Fatalf("read: %v, trust: %v", err, wrong)
		}
		if err != nil {
			if now, _ := os.ReadFile(s.Path()); string(now) != string(text) {
				t.Fatal("an unreadable store was changed")
			}
			return
		}
		decided, err := s.Read()
		if trusted, never := decided.Of(item); !trusted || never || err != nil {
			t.Fatalf("got %v %v %v", trusted, never, err)
		}
	})
}

// TestEarlierBytes: earlier trusted bytes of a file stay trusted, unless they are held, because a
// tool may have written them. The bytes that were in force last are the ones to keep.
func TestEarlierBytes(t *testing.T) {
	s := trust.New(filepath.Join(t.TempDir(), "home"), nil)
	version := func(n int) trust.Item {
		return trust.Item{Root: "/p", Path: "/p/x", SHA256: fmt.Sprint(n)}
	}
	want := func(what string, last int, trusted ...int) {
		t.Helper()
		d, err := s.Read()
		if now, ok := d.Trusted("/p", "/p/x"); err != nil || !ok || !now.Same(version(last)) ||
			len(d.In("/p")) != 1 {
			t.Errorf("%s: got %+v %v, in all %+v", what, now, err, d.In("/p"))
		}
		for n := range 12 {
			if ok, _ := d.Of(version(n)); ok != slices.Contains(trusted, n) {
				t.Errorf("%s: %d: got %v", what, n, ok)
			}
		}
	}
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(s.TrustAlso(version(1)))
	do(s.TrustAlso(version(2)))
	want("two", 2, 1, 2)
	do(s.Renew(version(1)))
	want("the first again", 1, 1, 2)
	do(s.Renew(version(3)))
	want("one that is not trusted", 1, 1, 2)
	do(s.Hold(version(2)))
	want("held", 1, 1)
	do(s.Renew(version(2)))
	want("held, and in force", 1, 1)
	if d, _ := s.Read(); !d.Held("/p", "/p/x") || d.Held("/p", "/p/y") {
		t.Error("Held does not report the held bytes")
	}
	do(s.Renew(version(1)))
	want("other bytes in force", 1, 1, 2)
	do(s.Hold(version(2)))
	do(s.TrustAlso(version(2)))
	want("trusted again", 2, 1, 2)
	do(s.Refuse(version(1)))
	want("refused", 2, 2)
	for n := range 10 {
		do(s.TrustAlso(version(n)))
	}
	want("many", 9, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	do(s.Trust(version(11)))
	want("only these bytes", 11, 11)
}
