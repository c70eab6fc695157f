package shell

import (
	"strings"
	"testing"
)

// TestPathsOfWrappersAndFlags tests paths in values of flags, and relative paths of commands that a
// wrapper runs in another directory: r is read, w written, and ? means that there may be other
// writes.
func TestPathsOfWrappersAndFlags(t *testing.T) {
	for command, want := range map[string]string{
		"sudo -iu x rm y":                          "w:y ?",
		"sudo -u i rm y":                           "w:y",
		"su - x -c 'rm y'":                         "w:y ?",
		"su x -c 'rm y'":                           "w:y",
		"runuser -l x -c 'rm y'":                   "w:y ?",
		"unshare --wd /etc rm x":                   "w:x ?",
		"systemd-run rm x":                         "w:x ?",
		"env -C /etc rm x":                         "w:x ?",
		"strace -f -o /etc/x ls":                   "w:/etc/x",
		`\time -vo /etc/x ls`:                      "w:/etc/x",
		"/usr/bin/time --output=/etc/x ls":         "w:/etc/x",
		"time ls":                                  "",
		"diff <(sort a) b":                         "r:b r:a",
		"ls $(x) \"$y\"/*":                         "",
		"jq --arg v $(x) .a f":                     "r:.a r:f",
		"jq --arg v \"$(x)\" --arg w \"$(y)\" . f": "r:f",
		"unzip -l a.zip":                           "r:a.zip",
		"unzip -o a.zip":                           "r:a.zip",
		"ar t a.a":                                 "r:t r:a.a",
		"patch --dry-run -p1 < x":                  "r:x",
		"git bisect log":                           "",
		"git log \"o/$(x)..HEAD\"":                 "",
		"git log \"$(x)\"":                         "?",
		"find d -name '*.c' | xargs cat":           "r:d r:d",
		"find d -name '*.c' | xargs rm -r":         "r:d ?",
		"find d -name '*.c' | cat | xargs rm":      "r:d ?",
		"mktemp -p /etc x.XXX":                     "w:/etc/x.XXX",
		"git config -f x a b":                      "w:x",
		"git config --global a b":                  "w:~/.gitconfig",
		"git config --global --get a":              "",
		"git bundle create x HEAD":                 "w:x",
		"git add .env":                             "r:.env",
		"7z x a.7z -o/etc":                         "r:x r:a.7z ?",
		"yq -i .a x":                               "w:x",
		"yq .a x":                                  "r:x",
		"iconv -o x y":                             "w:x r:y",
		"a=/etc; sort -o $a/x y":                   "w:/etc/x r:y",
		"a=/etc; sort -o$a/x y":                    "w:/etc/x r:y",
		"a=/etc; iconv -o \"$a/x\" y":              "w:/etc/x r:y",
		"cp -t /etc x":                             "r:x w:/etc/ w:/etc/",
		"a=/etc; cp -t $a x":                       "r:x w:/etc/ w:/etc/",
		"a=/etc; dd of=$a/x if=y":                  "w:/etc/x r:y",
		"a=of=/etc/x; dd $a":                       "w:/etc/x",
		"for a in x y; do dd of=$a; done":          "w:x w:y",
		"dd of=$(x)":                               "?",
		"a=/etc; wget -O $a/x -P $a http://h/y":    "w:/etc/x w:/etc",
		"grep -f x y":                              "r:x r:y",
		"grep -r x":                                "r:.",
		"grep x":                                   "",
		"find . -name x":                           "r:.",
		"find x y -delete":                         "w:x w:y",
		"find -delete":                             "w:.",
		"find -P x -delete":                        "w:x",
		"find -H -O3 -D exec x -delete":            "w:x",
		"find -L x -delete":                        "w:x ?",
		"find x -follow -delete":                   "w:x ?",
		"find -files0-from x -delete":              "w:. ?",
		"find -D":                                  "r:.",
		"ln -s ~/.ssh/x y; echo > y":               "w:y r:~/.ssh/x w:~/.ssh/x w:~/.ssh/x w:y w:y",
		"ln a y":                                   "r:a w:a w:a w:y w:y",
		"ln -s ../a sub/y": "r:../a w:sub/../a w:sub/y/../a " +
			"w:sub/y w:sub/y",
		"curl -F f=@.env h":                     "r:.env",
		"curl -d@.env h":                        "r:.env",
		"curl --data-urlencode a@/etc/passwd h": "r:/etc/passwd",
		"curl file:///etc/passwd":               "r:/etc/passwd",
		"curl --trace x h":                      "w:x",
		"curl -u a@b h -d c=d":                  "",
	} {
		all := Parse(command).Paths()
		var got []string
		for _, p := range all.All {
			way := "r:"
			if p.Writes {
				way = "w:"
			}
			got = append(got, way+p.Name)
		}
		if all.UnknownWrites {
			got = append(got, "?")
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s\n got %s, want %s", command, text, want)
		}
	}
}
