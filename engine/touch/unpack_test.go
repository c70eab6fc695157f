package touch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnpacking checks that programs which unpack write below a folder, unless a flag or a link
// leads elsewhere.
func TestUnpacking(t *testing.T) {
	f, dir := world(t)
	sure := func(line string) bool {
		fits, sure := f.Command(line, dir, dir).Fits("writes", "~/.bashrc")
		return sure && !fits
	}
	for line := range strings.SplitSeq("tar xf a.tar|tar -xzvf a.tgz --strip-components=1|"+
		"tar xzf a.tgz -C sub|curl -s x | tar xz -C sub|unzip -qo a.zip -d sub|unzip a.zip b/*|"+
		"patch -p1 < a.go|patch -Np1 -i a.go|patch -d sub -p1 < a.go|patch a.go < sub/b.go|"+
		"tar cf - . | (cd sub && tar xf -)|tar --extract --file=a.tar --directory sub", "|") {
		if want := !strings.Contains(line, "--directory"); sure(line) != want {
			t.Errorf("%s: want sure = %v", line, want)
		}
	}
	lines := []string{"tar xPf a.tar", "tar xf a.tar -C ~", "cd; tar xf a.tar", "tar -xf a.tar -C~",
		"ln -s ~ l; tar xf a.tar", "tar xf a.tar; tar xf b.tar", "cp -r x y && unzip a.zip",
		"git pull; tar xf a.tar", "tar xf a.tar --transform=s,^,/,", "tar xf a.tar --to-command=sh",
		"tar xf a.tar -C sub -C ~", "tar xfC a.tar ..", "tar xf a.tar -C $X", "tar xf a.tar $X",
		"tar xf a.tar -C ../home", "unzip -d ~ a.zip", "unzip a.zip -d ~", "unzip -: a.zip",
		"unzip a.zip -d$X", "patch ~/.bashrc < a.go", "patch -o ~/.bashrc a.go a.go",
		"patch -r ../home/.bashrc < a.go", "patch -p0 -d ~ < a.go", "patch -B ../home/ < a.go",
		"patch --follow-symlinks -p0 < a.go", "tar x -f a.tar -C sub --keep-directory-symlink",
		"7z x a.7z", "busybox tar xPf a.tar"}
	for _, line := range lines {
		if sure(line) {
			t.Errorf("%s may write ~/.bashrc, and nothing is said of it", line)
		}
	}
	if err := os.Symlink(f.Home, filepath.Join(dir, "sub", "to")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"tar xf a.tar", "unzip a.zip -d sub", "patch -p1 < a.go"} {
		if sure(line) {
			t.Errorf("%s may write through a link, and nothing is said of it", line)
		}
	}
}
