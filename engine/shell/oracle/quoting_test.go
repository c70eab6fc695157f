// This file generates command lines with quotes in places where shells parse them differently:
// within expansions, within other quotes, in here-documents, in arithmetic and in indexes.

package oracle

import (
	"strings"
	"testing"

	"github.com/agentscripts/agent/engine/long"
)

// acts returns a substitution that runs a denied command, or the command after a separator.
func (m *maker) acts() string {
	return m.pick("$(rm -r zz)", "$(rm -r zz)", "`rm -r zz`", "; rm -r zz; ", "\nrm -r zz\n",
		"${y:-$(rm -r zz)}", "$((`rm -r zz`))", "<(rm -r zz)", "&& rm -r zz #", "\\$(rm -r zz)",
		"\\`rm -r zz\\`", "$(rm -r zz #)\n)")
}

// sign returns a piece of text that has a special meaning in some context.
func (m *maker) sign() string {
	return m.pick("'", "'", "'", `"`, `"`, `"`, `\`, `\'`, `\"`, "\\`", `\\`, "`", "$", "}", ")",
		"]", "(", "{", "\n", "#", " #", " ", ";", "a", "x", "/", ":", "$'", `$"`, "${", "$(", "))",
		"((", "\\\n", "!", "<<E\n", "\nE\n", "@(", "|", "=", "*", "?(", "esac", " in ", ";;",
		"case a in a)")
}

// operator returns an operator between a variable and a word.
func (m *maker) operator() string {
	return m.pick(":-", "-", ":=", "=", ":+", "+", ":?", "#", "##", "%", "%%", "/", "//", "/#",
		"/%", "^", "^^", ",", ":", "@", "/a/", "//a/", ":0:", "[0]:-", "~")
}

// quoted returns a text with quotes and expansions, some of them not closed.
func (m *maker) quoted(depth int) string {
	var b strings.Builder
	for range 1 + m.IntN(3) {
		n := m.IntN(24)
		if depth <= 0 {
			n = m.IntN(6)
		}
		inner := func() string { return m.quoted(depth - 1 - m.IntN(2)) }
		switch n {
		case 0, 1:
			b.WriteString(m.acts())
		case 2, 3:
			b.WriteString(m.pick("a", "x", "", " ", "1", "0"))
		case 4:
			b.WriteString(m.sign())
		case 5:
			b.WriteString("'" + m.pick("", "a", m.sign(), m.acts(), m.sign()+m.acts()+m.sign()) +
				"'")
		case 6, 7:
			b.WriteString("'" + inner() + "'")
		case 8, 9:
			b.WriteString(`"` + inner() + `"`)
		case 10:
			b.WriteString("$'" + inner() + "'")
		case 11:
			b.WriteString(`$"` + inner() + `"`)
		case 12, 13, 14:
			b.WriteString("${" + m.pick("x", "x", "y", "z[0]", "@", "*", "1", "!x", "#x", "#",
				"?", "-", "10") +
				m.operator() + inner() + "}")
		case 15:
			b.WriteString("${z[" + inner() + "]}")
		case 16:
			b.WriteString("$((" + inner() + "))")
		case 17:
			b.WriteString("$[" + inner() + "]")
		case 18:
			b.WriteString("$(" + m.pick("echo ", ": ", "", "case a in a) : ") + inner() + m.pick("",
				";; esac", "\n") + ")")
		case 19:
			b.WriteString("`echo " + inner() + "`")
		case 20:
			b.WriteString(m.pick("<(", ">(", "@(", "!(", "(") + inner() + ")")
		case 21:
			b.WriteString("{" + inner() + "," + inner() + "}")
		default:
			b.WriteString(`"` + "${x" + m.operator() + inner() + "}" + `"`)
		}
	}
	return b.String()
}

// quoting returns a command line with such a text.
func (m *maker) quoting() string {
	q := m.quoted(1 + m.IntN(3))
	set := m.pick("", "", "x=a; ", "x=; ", "set -- a b; ", "z=(a b); ", "declare -A z; ",
		"x='a b'; ", "shopt -s extglob\n", "set -o posix; ", "x=zz; y=x; ")
	switch m.IntN(30) {
	case 25, 26:
		hide := m.pick("i='$(rm -r zz)'; ", "i=\\`rm\\ -r\\ zz\\`; ", "i='a[$(rm -r zz)]'; ",
			"read -r i <<< '$(rm -r zz)'; ", "i=\"\\$(rm -r zz)\"; ", "i=$'\\x24(rm -r zz)'; ",
			"j='(rm -r zz)'; i=\"\\$$j\"; ", "printf -v i %s '$(rm -r zz)'; ",
			"cat > f <<'E'\n$(rm -r zz)\nE\ni=$(<f); ")
		return set + hide + m.pick("z=([$i]=1)", "z=([\"$i\"]=1)", "z+=([0]=a [${i}]=1)",
			"declare -a z=([$i]=1)", "declare z[$i]=1", "declare \"z[$i]=1\"",
			"read \"z[$i]\" <<< 1", "printf -v \"z[$i]\" a", "unset \"z[$i]\"", "test -v \"z[$i]\"",
			"[ -v z[$i] ]", "[[ -v z[$i] ]]", "z[$i]=1", "echo ${z[$i]}", "((z[$i]=1))",
			"((i))", "let i", "export z[$i]=1", "readonly \"z[$i]=1\"", "local z[$i]",
			"typeset -i q=$i", "mapfile -O $i z <<< a", "echo ${x:$i}", "[[ $i -eq 1 ]]",
			"[ $i -eq 1 ]", "test 1 -lt $i", "for ((q=i;q<1;q++)); do :; done", "echo ${x@P}",
			"echo ${i@P}", "echo ${!i}", "shift $i", "exit $i", "printf %d $i", "printf %d \"$i\"",
			"case $i in $i) ;; esac", "echo \"${x:-$i}\"", "declare -n q=$i; echo $q",
			"getopts a \"z[$i]\"", "wait -n -p \"z[$i]\"", "echo $(($i))", "ulimit -n $i",
			"trap $i DEBUG", "PS4=$i; set -x; :", "set -- $i; echo $1", "coproc $i")
	case 0, 1, 2, 3:
		return set + "echo \"${x" + m.operator() + q + "}\""
	case 4, 5:
		return set + "cat <<E\n" + q + "\nE\n"
	case 6:
		return set + "cat <<-E\n\t" + q + "\n\tE\n"
	case 7:
		return set + "((" + q + "))"
	case 8:
		return set + "echo ${z[" + q + "]}"
	case 9:
		return set + "z[" + q + "]=1"
	case 10:
		return set + "echo \"" + q + "\""
	case 11:
		return set + "[[ " + q + m.pick(" == ", " =~ ", " -eq ", " != ", " < ", " && -n ") + q +
			" ]]"
	case 12:
		return set + "case " + q + " in " + q + ") ;; esac"
	case 13:
		return set + "cat <<< " + q
	case 14:
		return set + "cat <<E\n${x" + m.operator() + q + "}\nE\n"
	case 15:
		return set + "echo $((" + q + "))"
	case 16:
		return set + "x=" + q
	case 17:
		return set + "z=([" + q + "]=1 " + q + ")"
	case 18:
		return set + "echo \"$(echo " + q + ")\""
	case 19:
		return set + "echo `echo " + q + "`"
	case 20:
		return set + "echo \"`echo " + q + "`\""
	case 21:
		return set + "let " + q
	case 22:
		return set + "for ((i=" + q + ";i<1;i++)); do :; done"
	case 23:
		return set + "declare " + m.pick("-a ", "-i ", "-A ", "") + m.pick("z", "x") + "=" +
			m.pick("("+q+")", q)
	case 24:
		return set + "cat <<" + m.pick("'E'", "\"E\"", `\E`, "E'' ", "$E", "${E}", "E\"x\"",
			"'E x'", "`E`") + "\n" + q + "\nE\n" + m.acts()
	}
	return set + "echo " + q
}

// TestEachExpansionIsSeen runs a substitution in each kind of quotes in the word of each kind of
// expansion, in each place. Everyday runs have each word of each expansion in one of the places,
// and not the same one for all words.
func TestEachExpansionIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	names := "x y # @ * 1 9 ? $ ! - _ 0 z[0] z[@] !x !y #x ## !z[0] 10"
	operators := "/ // /# /% /a/ # ## % %% ^ ^^ , ,, :- - :+ + := = :? ? @ ~ :"
	places := []string{`echo "E"`, "echo E", "cat <<E\nE\nE", `v="E"`, `echo "$(echo "E")"`}
	for i, name := range strings.Fields(names) {
		for j, op := range strings.Fields(operators) {
			for k, word := range []string{"'Q'", "$'Q'", `"Q"`, `$"Q"`, `\'Q\'`, `"'Q'"`,
				`'"Q"'`} {
				word = strings.ReplaceAll(word, "Q", "$(rm -r zz)")
				for l, place := range places {
					if (i+j+k+l)%long.Rounds(len(places), 1) != 0 {
						continue
					}
					line := strings.Replace(place, "E", "${"+name+op+word+"}", 1)
					if strings.HasPrefix(place, "cat <<E") {
						line = "cat <<E\n${" + name + op + word + "}\nE"
					}
					line = "x=a; z=(a b); set -- a; " + line
					if w.parse(line).Check(&denied).Decision == "" {
						try(t, w, line)
					}
				}
			}
		}
	}
}

// TestEachPlaceIsSeen runs a substitution in each kind of quotes in each other place where bash
// expands words.
func TestEachPlaceIsSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	inner := []string{"'Q'", "$'Q'", `"Q"`, `$"Q"`, `\'Q\'`, `"'Q'"`, `'"Q"'`, `\Q`, `\\Q`, "Q",
		`"\Q"`, `'\Q'`, `$'\Q'`, `${y:-'Q'}`, `"${y:-'Q'}"`, `${y:-"Q"}`, `1'Q'`, `1$'Q'`}
	places := []string{"((W))", "echo $((W))", "echo $[W]", "z[W]=1", "z=([W]=1)", "z+=(W)",
		"echo ${z[W]}", `echo "${z[W]}"`, "echo ${x:W}", `echo "${x:0:W}"`, "let W", `let "W"`,
		"for ((i=W;i<0;)); do :; done", "[[ 1 -eq W ]]", "[[ x == W ]]", "[[ x =~ W ]]", "[[ W ]]",
		"declare -i v=W", "declare v=W", "export v=W", "case x in W) ;; esac",
		"case W in x) ;; esac",
		"cat <<< W", "cat <<E\nW\nE", "cat <<-E\n\tW\n\tE", `echo "W"`, "echo {a,W}", "echo W{a,b}",
		"shopt -s extglob\necho @(W)", "cat <(echo W)", "echo `echo W`", "echo \"`echo W`\"",
		"echo ${y:-`echo W`}", "echo \"${y:-`echo W`}\"", "echo $(echo W)", `echo "$(echo W)"`,
		"x=a; : ${x/W/b}", `: "${x/a/W}"`, "for i in W; do :; done",
		"select i in W; do :; done <&-",
		"f() { echo W; }; f", "( echo W )", "{ echo W; } > W", "echo > /dev/null W", "W=1 true",
		"echo ~W", "v=~:W", "exec {v}> W", "coproc echo W", "time echo W", "! echo W",
		"eval echo W", `eval "echo W"`, "trap W EXIT", "[ -n W ]", "printf -v v %s W"}
	for _, place := range places {
		for _, in := range inner {
			for _, q := range []string{"$(rm -r zz)", "`rm -r zz`"} {
				line := "x=a; z=(a b); set -- a; " + strings.ReplaceAll(place, "W",
					strings.ReplaceAll(in, "Q", q))
				if w.parse(line).Check(&denied).Decision == "" {
					try(t, w, line)
				}
			}
		}
	}
}

// TestQuotesAgreeWithBash checks that with any nesting of quotes and expansions, every substitution
// that runs is predicted.
func TestQuotesAgreeWithBash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lines, from := size(t, 3000)
	ran := 0
	for i := range lines {
		line := newMaker(from + uint64(i)).quoting()
		// a line that asks may run anything
		if w.parse(line).Check(&denied).Decision == "" {
			ran++
			try(t, w, line)
		}
	}
	t.Logf("%d of %d lines had to run", ran, lines)
	if ran < lines/10 {
		t.Errorf("only %d of %d lines were passed as harmless: the test tests little", ran, lines)
	}
}
