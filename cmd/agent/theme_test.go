package main

import (
	"os"
	"slices"
	"testing"
)

// TestKeepTheme checks that choosing a theme mends a file that cannot be read.
func TestKeepTheme(t *testing.T) {
	t.Parallel()
	for _, damage := range []string{"", "garbage{", `{"version": 7, "items": []}`, "\x00\xff"} {
		home := t.TempDir()
		if err := keepTheme(home, "dark"); err != nil {
			t.Fatal(err)
		}
		file := keptTheme(home)
		if err := os.WriteFile(file.Path, []byte(damage), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := file.Read(); err == nil {
			t.Errorf("%q is read", damage)
		}
		if err := keepTheme(home, "light"); err != nil {
			t.Errorf("%q: %v", damage, err)
		}
		if got, err := file.Read(); err != nil || !slices.Equal(got, []string{"light"}) {
			t.Errorf("%q: got %q, %v", damage, got, err)
		}
	}
}
