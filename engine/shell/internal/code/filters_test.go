package code

import (
	"strings"
	"testing"
)

// TestSedFilters checks that common scripts for sed pass, and no other ones.
func TestSedFilters(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{"", "p", "s/a/b/", "s/a/b/g;s|c|d|2p", "/x/,/y/d", "1,$!p",
		"$!N;s/\\n/ /;P;D", "/a/{s/b/c/;p}", ":a;N;$!ba;s/\\n/ /g", "s/[/]/x/", "s/a/\\\nb/",
		"1i\\\nx\\\ny\np", "a x; e", "$a\\  x", "y/a\\/b/cde/;p", "# e\np", "\\,x,d", "2q", "$=",
		"s/[[:space:]]*$//", "0~3d", "/x/I,+2p", "s/x/[&]/", "s#a/b#c#", "q5", "l 3", "/^$/d"} {
		if !SedFilters(plain) {
			t.Errorf("%q does not pass", plain)
		}
	}
	for _, other := range []string{"e", "1e x", "w x", "r x", "s/a/b/e", "s/a/b/gw x", "R x", "W x",
		"/x/{p;e x\n}", "y/\\/xyz/ ; s/;e x #/x/", "a x\\\ns#y#\ne x\n#p", "a x\\\ns:y:\ne x\n:p",
		"i\\\nx\\\ny\\\ns#a#\ne x\n#", "a\ne x", "s/a/\n/;e x\n#/", "s#a#\ne x\n#p",
		"i x\\\\\ne x", "i\\\\\ne x #p", "a\\ x\\\ne x",
		":x;a\\\nw x", "b x;s/a/\\\nw x\n/", "\\cxce", "s/[a\\]/;e x #]/y/", "F x",
		"s/[^]/]/x/;e x #/", "s/a", "y/a/b", "/a", "a", "a\\", "a x\\", "1,", "s/a/b/ e", "p e",
		"sxaxbx", "s/[x", "s/a[[.x.]]/b/", "v", "p\x00e", strings.Repeat("p\n", 4<<10)} {
		if SedFilters(other) {
			t.Errorf("%q passes", other)
		}
	}
}

// TestAwkPrints checks that common programs in awk pass, and none that may do more.
func TestAwkPrints(t *testing.T) {
	t.Parallel()
	for _, plain := range []string{
		"{print $1}", "/x/ {n++} END {print n}", "NR > 1", "{print $1/$2}",
		"$1 ~ /a|b/ {print}", "{print \"a;b|c>\" $2}", "{s += $1} END {print s/NR/1024}", "$3 > 5",
		"{print $1\n}\n$2 > 3 {n++}", "a || b", "{gsub(/[|>]/, \"\"); print}", "# system\n1",
		"1; # \"",
		"{if ($1 > 2) print $2; x = (a + b) / 2}", "function f(x) { return x / 2 } {print f($1)}",
		"{print /x/ ? 1 : 2}", "{if (a) /x/; else print}", "{a[$1]++; x = a[1] / 2 / 3}",
		"{print length($0)}", "{ print \\\n $1 }", "BEGIN {FS = \"/\"}", "!seen[$0]++"} {
		if !AwkPrints(plain) {
			t.Errorf("%q does not pass", plain)
		}
	}
	for _, other := range []string{"{system(x)}", "BEGIN {getline}", "{print > f}", "{print >> f}",
		"{print \"}\" > f}", "{print \"a;b\" > f}", "{print /;/ > f}", "{print $0 \\\n> f}",
		"{print 1,\n2 > f}", "{print 1, # ;\n\n2 > f}", "{print a &&\nb > f}", "{print(1,\n2) > f}",
		"{printf(\"%s\", 1) > f}", "{printf \"\\\"};\" > f}", "{print | f}", "{f | getline}",
		"{x = 4 \\\n/ system(x) / 1}", "{x = (4\n/ system(x) / 1)}", "{x++ / system(y) / 1}",
		"{x = length / system(y) / 1}", "/[/]{/ system(x) / 1", "{x[1] = y[1] / system(z) / 1}",
		"{x = (y) / system(z) / 1}", "# {/\n{system(x)} # /", "{x = \"\\\"{/\" system(y) \"/\"}",
		"@load \"x\"", "{@f()}", "{print 1 ||| f}", "{ARGV[1] = f}", "{SYMTAB[x] = y}", "\"open",
		"/open", "{print ?\nx : y > f}", strings.Repeat("1;", 4<<10)} {
		if AwkPrints(other) {
			t.Errorf("%q passes", other)
		}
	}
}
