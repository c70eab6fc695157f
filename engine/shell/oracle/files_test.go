package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/touch"
)

// furnish creates a few files, folders and links.
func furnish(dir string) {
	for _, d := range []string{"d/e", "sub/deep", ".hide"} {
		_ = os.MkdirAll(filepath.Join(dir, d), 0o700)
	}
	for _, f := range []string{"a.txt", "b.txt", "x y", ".env", "sub/c.txt", "sub/.env",
		"sub/deep/g.txt", ".hide/h"} {
		_ = os.WriteFile(filepath.Join(dir, f), []byte("one\ntwo\n"), 0o600)
	}
	for link, to := range map[string]string{"link": "sub/deep", "flink": "sub/c.txt",
		"new": "d/new", "far": "link"} {
		_ = os.Symlink(to, filepath.Join(dir, link))
	}
}

// file returns a name that may exist or not.
func (m *maker) file() string {
	f := m.pick("a.txt", "b.txt", "f", ".env", "sub/c.txt", "d/f", "d/e/f", "link/f", "link/../f",
		"flink", "new", "./sub/../f", "sub//f", "far/f", "far/g.txt", "sub/deep/../f", ".hide/h",
		"d/../link/../f", "../cwd/f", "~/f", "~/sub/f")
	switch m.IntN(8) {
	case 0:
		if !strings.HasPrefix(f, "~") {
			return m.quote(f)
		}
	case 1:
		return strings.ReplaceAll(f, "f", m.pick("'f'", `\f`, `"f"`, "$'\\x66'", "f\"\""))
	case 2:
		return m.pick("'x y'", `x\ y`, `"x y"`)
	}
	return f
}

// source returns a name that exists.
func (m *maker) source() string {
	return m.pick("a.txt", "b.txt", "sub/c.txt", ".env", "link/g.txt", "flink", "'x y'")
}

func (m *maker) dir() string {
	return m.pick("d", "d/e", "sub", "link", "d/", "far", ".", "sub/deep/..", "link/..")
}

// write returns a command that changes a file.
func (m *maker) write() string {
	f, g, s, d := m.file(), m.file(), m.source(), m.dir()
	all := []string{"echo x > " + f, "echo x >> " + f, "echo x >| " + f, "ls &> " + f,
		"ls nosuch 2> " + f, ": <> " + f, "echo x {fd}> " + f, ": > " + f, "> " + f,
		">" + f + " echo x", "{ echo x; } > " + f, "(echo x) >> " + f,
		"while :; do echo x; break; done > " + f, "if :; then echo; fi &>> " + f, "exec 3> " + f,
		"exec > " + f + "; echo x", "w() { echo x; } > " + f + "; w",
		"w() { echo x > " + f + "; }; w", "[[ a ]] > " + f, "((1)) > " + f,
		"tee " + f + " <<< x", "tee -a " + f + " " + g + " <<< x > /dev/null",
		"echo x | tee " + f + " | cat", "cat " + s + " > " + f, "cat > " + f + " <<E\nx\nE",
		"cp " + s + " " + f, "cp -f -- " + s + " " + f, "cp -a " + s + " " + d, "cp -r sub " + d,
		"cp -r sub " + f, "cp -R sub/ new1", "cp -r sub/. " + d, "cp -t " + d + " " + s,
		"cp -vt " + d + " a.txt b.txt", "cp --target-directory=" + d + " " + s,
		"cp --target-dir=" + d + " a.txt",
		"cp --target-directory " + d + " " + s, "cp a.txt b.txt " + d, "cp -T " + s + " " + f,
		"cp --backup " + s + " " + f, "cp -b " + s + " " + f, "cp -bS .o " + s + " " + f,
		"cp --parents sub/c.txt " + d, "cp a.* " + d, "cp *.txt " + d, "cp -r . ../cwd/d/all",
		"cp -s $PWD/a.txt " + f, "cp -l a.txt " + f, "cp -rT sub " + d,
		"mv " + s + " " + f, "mv -t " + d + " " + s, "mv a.txt b.txt " + d, "mv sub d/",
		"mv d/e e2", "mv -T sub new1", "mv -b a.txt b.txt", "mv *.txt d", "mv -v {a,b}.txt " + d,
		"mv sub/* d",
		"install " + s + " " + f, "install -D " + s + " d/n/o/" + m.name(), "install -d " + f + "d",
		"install -m 600 -t " + d + " " + s, "install -Dm644 " + s + " " + f,
		"install -Dt " + d + " " + s, "install -bm 600 a.txt b.txt",
		"ln -s a.txt " + f, "ln -sf a.txt " + f, "ln a.txt " + f, "ln -s ../a.txt " + d,
		"ln -sft " + d + " ../a.txt", "ln -sr a.txt " + f, "ln -sfn a.txt link", "ln -s sub/c.txt",
		"ln -st d ../sub/c.txt ../b.txt",
		"dd if=" + s + " of=" + m.pick("f", "d/f", "link/f", "flink") + " 2> /dev/null",
		"dd of=f <<< x", "truncate -s 0 " + f, "truncate -s0 " + f + " " + g,
		"truncate --size=3 " + f, "truncate -r a.txt " + f, "touch " + f, "touch -d yesterday " + f,
		"touch -r a.txt " + f, "touch -t 202001010000 " + f + " " + g, "touch -ar a.txt " + f,
		"sed -i s/one/1/ " + s, "sed -i.bak s/one/1/ " + s, "sed -ibak s/one/1/ " + s,
		"sed -i'b/*' s/one/1/ a.txt", "sed -n -i p " + s, "sed -ni 1p " + s,
		"sed -Ei s/o/0/ " + s + " b.txt", "sed --in-place=.o s/one/1/ " + s,
		"sed --in-pl s/one/1/ " + s, "sed -i -e s/one/1/ -e 2d " + s, "sed 's/one/1/w f' " + s,
		"sed -n 'w f' " + s, "sed -e '/one/w d/f' " + s,
		"sed -i --follow-symlinks s/one/1/ flink", "sed -i s/one/1/ *.txt", "sed -s -i 1d sub/*",
		"sed -z -i.o s/one/1/ " + s, "sed -e 1d -i a.txt", "sed --expression=1d -i " + s,
		"sed s/one/1/ a.txt -i",
		"perl -i -pe s/one/1/ " + s, "perl -pi.bak -e s/one/1/ " + s,
		"perl -e 'open(F, \">\", \"f\")'", "python3 -c \"open('f','w')\"",
		"awk 'BEGIN{print 1 > \"f\"}'", "awk '{print > FILENAME\".x\"}' " + s,
		"awk '{print >> \"f\"}' a.txt",
		"sort -o " + f + " " + s, "sort -of " + s, "sort " + s + " -uo " + f,
		"sort --output=f " + s, "sort --out f " + s, "sort -u -o f " + s, "uniq " + s + " " + f,
		"split -l 1 " + s, "split -l1 " + s + " pre", "split -b 2 -d " + s + " d/pre",
		"split --filter='cat > $FILE' " + s,
		"mkdir " + f + "1", "mkdir -p n/o/p && touch n/o/p/q", "mkdir -m 700 n",
		"mkdir -pv {n,o}/{p,q}", "rmdir d/e", "rmdir -p d/e", "unlink a.txt", "chmod 644 " + s,
		"chmod -R 755 sub", "chmod a+x -- " + s, "chmod --reference=a.txt b.txt", "chmod +x *.txt",
		"chmod -w a.txt",
		"tar cf f sub", "tar -cf d/f a.txt b.txt", "tar czf f.tgz sub", "tar -c -f f sub",
		"tar --create --file=f sub", "tar --create --file f sub", "tar -cvf f -C sub c.txt",
		"tar cf - sub | tar xf - -C d", "tar cf f sub && tar xf f -C d", "tar rf f a.txt",
		"tar c sub > f", "tar -C d -cf f ../sub", "tar cfv f sub", "tar -vcf f sub --remove-files",
		"gzip " + s, "gzip -k a.txt", "gzip -c a.txt > f", "gzip -S .q a.txt", "gzip -r sub",
		"gzip a.txt && gunzip a.txt.gz", "gzip a.txt; gzip -d a.txt",
		"zip -q f.zip a.txt", "zip -qr d/f sub", "zip -qm f.zip a.txt",
		"zip -q f.zip a.txt && unzip -qo f.zip -d d", "patch -s a.txt <<E\n1c\nuno\n.\nE",
		"mktemp -p . x.XXXXXX", "mktemp x.XXXX", "mktemp -d d/XXXX", "flock f true",
		"flock -n d/f -c true",
		"find . -name a.txt -fprint f", "find . -name a.txt -exec touch {}.bak \\;",
		"find sub -type f -exec cp {} d \\;",
		"find sub -name c.txt -exec sh -c 'echo x > $1.o' _ {} \\;", "find sub -delete",
		"find . -name '*.txt' -delete", "find sub -type f -execdir touch n \\;",
		"find . -name c.txt -execdir sed -i 1d {} +", "find sub -fls f", "find a.txt -fprintf f x",
		"xargs touch <<< f", "echo f | xargs -I{} cp a.txt {}", "echo f | xargs tee <<< x",
		"ls *.txt | xargs sed -i 1d", "echo a.txt | xargs -n1 -I % mv % d/%", "ls | xargs cp -t d",
		"printf 'f\\0g' | xargs -0 touch", "sed -i 1d $(find . -name '*.txt')",
		"sed -i 1d $(ls *.txt)", "sed -i 1d $(grep -rl o sub)", "x=$(find . -name c.txt); gzip $x",
		"for i in $(find sub -type f); do mv $i $i.o; done", "touch $(ls)",
		"ls *.txt | while read i; do touch $i.o; done", "rm $(find . -type f | head -2)",
		"find . -name '*.txt' -print0 | while IFS= read -r -d '' i; do sed -i 1d \"$i\"; done",
		"ls | head -2 | xargs touch", "touch f.txt; sed -i 1d $(ls *.txt)",
		"mkdir n; touch n/f; for i in $(find n); do touch $i; done",
		"echo x > >(cat > f); sleep 0.1", "tee >(cat > f) <<< x; sleep 0.1", "cat <(echo x > f)",
		"echo $(echo x > f)", "coproc echo x > f", "for i in f g; do touch $i; done",
		"for i in f g; do touch \"d/$i\"; done", "touch {f,g}{1,2}", "touch f{1..3}",
		"x=f; touch $x", "x=f; echo > \"$x\"", "x=d/; touch ${x}f", "touch \"$(echo f)\"",
		"touch $PWD/f", "echo > \"$PWD/f\"", "touch ~+/f", "> ~/f", "x=~/f; touch $x",
		"x=" + f + "; echo > \"$x\"", "x=" + f + "; touch $x", "x=a; x=" + f + "; cp a.txt \"$x\"",
		"x=d; cp a.txt \"$x/f\"", "x=d; cp a.txt b.txt $x", "x=a.txt; mv $x d",
		"x=a.txt; y=d/$x; cp $x $y", "for i in *.txt; do mv \"$i\" \"$i.o\"; done",
		"for i in a b; do echo > $i.x; done", "for i in sub/*; do touch \"$i\"; done",
		"x=f; (x=g; touch $x); touch $x", "x=f; y() { x=g; }; y; touch $x",
		"x=f; : && x=g && touch $x", "x=f; false && x=g; touch $x", "x=f; read x <<< g; touch $x",
		"x=.; cp -r sub \"$x/n\"", "x='*.txt'; touch $x", "x='f g'; touch $x",
		"x=f; cd d; touch $x", "d=d; mkdir -p $d/z && touch $d/z/f",
		"for i in {a,b}{1,2}; do touch $i; done", "x=s/one/1/; sed -i $x a.txt",
		"exec {x}> f; touch $x",
		"w() { echo x > $1; }; w f", "w() { touch \"$@\"; }; w f g", "set -- f; touch $1",
		"read x <<< f; touch $x", "touch `echo f`", "a=(f g); touch ${a[@]}", "touch nosuch*",
		"touch ?.txt", "touch .e*", "echo x > .e*", "cp a.txt su[b]", "rsync -a sub d",
		"rsync a.txt f", "csplit -s a.txt 2", "yes | head -1 > f", "echo x | dd of=d/f status=none",
		"cat a.txt | split - pre", "paste a.txt b.txt >f",
	}
	return all[m.IntN(len(all))]
}

// place wraps a command in one that changes its directory or environment.
func (m *maker) place(text string) string {
	d := m.dir()
	nested := strings.Contains(text, "<<E")
	if m.odds(4) {
		return m.variable(d, text)
	}
	switch n := m.IntN(40); {
	case n == 0:
		return "cd " + d + " && " + text
	case n == 1:
		return "cd " + d + "; " + text
	case n == 2:
		return "(cd " + d + "; echo > q); " + text
	case n == 3:
		return "cd " + d + " && cd .. && " + text
	case n == 4:
		return "cd " + d + "; cd - > /dev/null; " + text
	case n == 5:
		return "pushd " + d + " > /dev/null; echo > q; popd > /dev/null; " + text
	case n == 6:
		return "cd nosuch 2> /dev/null || " + text
	case n == 7:
		return "CDPATH=sub; cd deep > /dev/null; " + text
	case n == 8:
		return "cd; " + text
	case n == 9:
		return "HOME=$PWD/d; cd; " + text
	case n == 10:
		return "cd -P link; " + text
	case n == 11:
		return "cd link/.. ; " + text
	case n == 12:
		return "cd link; cd ..; " + text
	case n == 13:
		return "cd -P link/..; " + text
	case n == 14:
		return "cd link; cd -P ..; " + text
	case n == 15:
		return "set -P; cd link/..; " + text
	case n == 16:
		return "w() { cd " + d + "; }; w; " + text
	case n == 17:
		return "if cd " + d + "; then :; fi; " + text
	case n == 18:
		return "for i in 1 2; do " + text + "\ncd sub 2> /dev/null; done"
	case n == 19:
		return "eval 'cd " + d + "'; " + text
	case n == 20:
		return "command cd " + d + "; " + text
	case n == 21:
		return "builtin cd " + d + " && { " + text + "\n}"
	case n == 22 && !nested:
		return "env -C " + d + " bash -c " + m.quote(text)
	case n == 23:
		return "env --chdir=" + d + " bash -c " + m.quote(text)
	case n == 24:
		return "bash -c " + m.quote("cd "+d+"; "+text)
	case n == 25:
		return "bash <<< " + m.quote("cd "+d+"\n"+text)
	case n == 26:
		return "find d -maxdepth 0 -execdir bash -c " + m.quote(text) + " \\;"
	case n == 27:
		return "find sub -maxdepth 1 -type d -execdir bash -c " + m.quote(text) + " \\;"
	case n == 28:
		return "cd " + d + " & " + text
	case n == 29:
		return "cd " + d + " | cat; " + text
	case n == 30:
		return "false && cd " + d + "; " + text
	case n == 31:
		return "trap 'cd " + d + "' DEBUG; " + text
	case n == 32:
		return "d=" + d + "; cd $d; " + text
	case n == 33:
		return "sudo " + "bash -c " + m.quote(text)
	case n == 34:
		return "cd $(echo " + d + "); " + text
	case n == 35:
		return "cd " + d + " 2> /dev/null > q; " + text
	}
	return text
}

// variable wraps a command in one that changes to a directory whose name is in a variable. The
// variable may be empty: nothing but its name must begin the path, or that is absolute.
func (m *maker) variable(d, text string) string {
	set := m.pick("D="+d, "D=sub D="+d, "D=$(echo "+d+")", "D="+d+"; D=sub", "D=sub; D="+d,
		"D=sub; f() { D="+d+"; }; f", "read D <<< "+d, "D="+d+"; (D=sub)", "D=; D+="+d,
		"D=sub; true || D="+d, "D=sub; unset D", "D="+d+"/..", "printf -v D "+d, "export D="+d,
		"IFS=u; D=sub", "declare D="+d, "D=nosuch", "D=sub; for D in "+d+" sub; do :; done",
		"ln -s "+d+" l; D=l", "D=$PWD/"+d, "D=~+/"+d, "D='-'", "D=d; D=${D:-x}",
		"CDPATH=sub; D=deep")
	to := m.pick(`cd "$D"`, "cd $D", `cd "${D:-d}/.."`, `cd "${D}"`, `cd "${D:-sub}"`, `pushd "$D"`,
		`cd "./$D"`, `cd -P "$D"`, `cd "$D" "$D"`, `cd "${D:-d}/"`, "cd -- $D", `cd "${D%/*}"`)
	loop := "for D in " + m.pick(d, d+" sub", "sub "+d, "sub/*/ "+d, "$(echo "+d+")") +
		"; do "
	return m.pick(set+"; "+to+" > /dev/null && "+text, set+"; "+to+"; "+text,
		set+"; ("+to+"); "+text, set+"; ("+to+" && "+text+"\n)",
		loop+"("+to+" && "+text+"\n); done",
		loop+to+"; "+text+"\ndone", loop+"("+to+"); "+text+"\ndone",
		set+"; "+to+"; cd ..; "+text, set+"; "+to+"; cd - > /dev/null; "+text,
		set+"; bash -c "+m.quote(to+"; "+text),
		set+"; while :; do ("+to+"; "+text+"\n); break; done",
		loop+"x=$("+to+"; "+text+"\n); done")
}

// reach runs a line, and reports whether it changed a file. It fails if that was not predicted.
func reach(t testing.TB, w *world, line string) (changed bool) {
	t.Helper()
	return judge(t, w, "changes", line)
}

// judgeChanges implements judgement.
func judgeChanges(t testing.TB, w *world, line string) (changed bool, wrong string) {
	t.Helper()
	var before map[string]string
	var said *touch.Touched
	_, dir := w.run(t, line, func(dir string) {
		furnish(dir)
		before = look(dir)
		said = w.finder().Command(line, dir, dir)
		said.Fits("writes", "/nosuch") // expand folders now
	})
	after := look(dir)
	for p := range before {
		if _, ok := after[p]; !ok {
			after[p] = ""
		}
	}
	for p, state := range after {
		if before[p] == state {
			continue
		}
		changed = true
		// it is created by the command
		if info, err := os.Lstat(p); err == nil && info.IsDir() && (strings.Contains(line, "/..") ||
			slices.ContainsFunc(said.Writes(), func(f string) bool {
				return f == p ||
					strings.HasPrefix(f, p+"/")
			})) {
			continue
		}
		// mktemp replaces X by other letters
		if slices.ContainsFunc(said.Writes(), func(f string) bool {
			return strings.HasSuffix(f, "XXX") && len(f) == len(p) &&
				strings.HasPrefix(p, strings.TrimRight(f, "X"))
		}) {
			continue
		}
		if fits, sure := said.Fits("writes", strings.NewReplacer("[", "\\[", "*", "\\*", "?", "\\?",
			"{", "\\{").Replace(p)); !fits && sure {
			return changed, fmt.Sprintf("changes %s; said was %q", strings.TrimPrefix(p, dir+"/"),
				said.Writes())
		}
	}
	return changed, ""
}

// TestChangedFilesArePredicted checks that a command line only changes files that are predicted,
// unless the prediction is unknown.
func TestChangedFilesArePredicted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lines, from := size(t, 150)
	found := 0
	for i := range lines {
		m := newMaker(from + uint64(i))
		if reach(t, w, m.place(m.write())) {
			found++
		}
	}
	t.Logf("%d of %d lines changed files", found, lines)
	if found < lines/2 {
		t.Errorf("only %d of %d lines changed files: the test tests little", found, lines)
	}
}

// FuzzChangedFilesArePredicted is the same test without a time limit.
func FuzzChangedFilesArePredicted(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		m := newMaker(seed)
		reach(t, newWorld(t), m.place(m.write()))
	})
}
