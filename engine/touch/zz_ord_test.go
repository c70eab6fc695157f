package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestZZOrd(t *testing.T) {
	f, dir := world(t)
	f = f.In([]string{"HOME=" + f.Home, "PATH=/usr/bin:/bin"})
	for _, name := range []string{".env", "link"} {
		os.Remove(filepath.Join(dir, name))
	}
	data, _ := os.ReadFile(os.Getenv("ZZ"))
	n, a := 0, 0
	for l := range strings.Lines(string(data)) {
		l = strings.ReplaceAll(strings.TrimSuffix(l, "\n"), "⏎", "\n")
		n++
		if why := askedBy(f, dir, l); why != "" {
			a++
			t.Logf("ASKS %s\n   %s", l, why)
		}
	}
	t.Logf("%d of %d", a, n)
}
