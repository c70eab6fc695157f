package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// maker generates command lines.
type maker struct {
	*rand.Rand
	names int // of the variables and files that were used
}

func newMaker(seed uint64) *maker { return &maker{Rand: rand.New(rand.NewPCG(seed, 7))} }

func (m *maker) pick(all ...string) string { return all[m.IntN(len(all))] }

// odds returns true once in n times.
func (m *maker) odds(n int) bool { return m.IntN(n) == 0 }

func (m *maker) name() string {
	m.names++
	return fmt.Sprintf("v%d", m.names)
}

// spell returns a random spelling that a shell parses as the word.
func (m *maker) spell(word string) string {
	if m.odds(2) {
		return word
	}
	var b strings.Builder
	for i, r := range word {
		c := string(r)
		switch m.IntN(14) {
		case 0:
			b.WriteString(`\` + c)
		case 1:
			b.WriteString("'" + c + "'")
		case 2:
			b.WriteString(`"` + c + `"`)
		case 3:
			b.WriteString("$'" + m.ansi(r) + "'")
		case 4:
			b.WriteString(m.pick(`""`, "''", "$''", `$""`) + c)
		case 5:
			b.WriteString(c + "\\\n")
		case 6:
			b.WriteString(`$"` + c + `"`)
		case 7:
			if i > 0 {
				b.WriteString(m.pick("${"+m.name()+"}", "$"+m.name()+"''", "`:`", "$(:)",
					"${"+m.name()+":+x}"))
			}
			b.WriteString(c)
		case 8:
			b.WriteString(m.pick("{"+c+",", "{"+c+","+c+"z,")[:2] + ".." + c + "}") // {r..r}
		default:
			b.WriteString(c)
		}
	}
	return b.String()
}

// inherited returns a word as one with variables of the environment: see environment.
func (m *maker) inherited(word string) (before, out string) {
	for _, one := range environment {
		name, value, _ := strings.Cut(one, "=")
		if rest, ok := strings.CutPrefix(word, value); ok && value != "" {
			return "", m.pick("$"+name, `"$`+name+`"`, "${"+name+"}", "${"+name+":-x}") + rest
		}
	}
	return "", m.pick(`"$e5"`, "$e5", "${e5}", "$e6") + word
}

// environment holds variables that command lines begin with.
var environment = []string{"e1=.env", "e2=rm", "e3=-r", "e4=yarn.lock", "e5=", "e7=.", "e8=git"}

// ansi returns a letter in the syntax of $'..'.
func (m *maker) ansi(r rune) string {
	switch m.IntN(6) {
	case 0:
		return fmt.Sprintf(`\x%x`, r)
	case 1:
		return fmt.Sprintf(`\%03o`, r)
	case 2:
		return fmt.Sprintf(`\u%04x`, r)
	case 3:
		return fmt.Sprintf(`\U%08x`, r)
	case 4:
		return string(r) + m.pick(`\0zz`, `\x00zz`, "")
	}
	return string(r)
}

// quote returns a text as one word.
func (m *maker) quote(text string) string {
	switch m.IntN(5) {
	case 0:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`",
			"\\`").Replace(text) + `"`
	case 1:
		return "$'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`).Replace(text) + "'"
	case 2:
		if strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789 -") == "" && text != "" {
			return strings.ReplaceAll(text, " ", `\ `)
		}
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// hide returns a word as an expansion; before must run earlier in the same shell.
func (m *maker) hide(word string) (before, out string) {
	v, u := m.name(), m.name()
	q := m.quote(word)
	switch m.IntN(72) {
	case 56, 57, 58:
		return m.inherited(word)
	case 59:
		return v + "=" + word + "zz; ", m.pick("${"+v+"%zz}", "${"+v+"%%z*}", "${"+v+"%z*}z",
			`"${`+v+`%zz*}"`, "${"+v+"%z}")
	case 60:
		return v + "=/y/" + word + "; ", m.pick("${"+v+"##*/}", "${"+v+"#*/y/}", `"${`+v+`#/y/}"`,
			"${"+v+"##/y}")
	case 61:
		return m.pick("", v+"=; ", "unset "+v+"; "), m.pick("${"+v+":-"+word+"}",
			"${"+v+"-"+word+"}", `"${`+v+":-"+word+`}"`)
	case 62:
		return "date() { echo " + q + "; }; ", m.pick("$(date)", `"$(date +%s)"`)
	case 63:
		return "git() { echo " + q + "; }; ", m.pick("$(git ls-files)",
			"$(git branch --show-current)")
	case 64:
		return "git() { echo " + q + "; }; for " + v + " in $(git ls-files); do :; done; ", "$" + v
	case 65:
		return "", m.pick("$(expr "+q+")", "$(date +"+q+")", "$(basename "+q+")",
			"$(seq -f "+q+" 1)", "$(uname | sed "+m.quote("s/.*/"+word+"/")+")")
	case 66:
		return v + "=$(date +%s); " + v + "=" + q + "; ", "$" + v
	case 67:
		return v + "=$(mktemp -u " + m.pick(word+"XXX)", "XXX"+word+")") + "; ", "${" + v + "%???}"
	case 68:
		return "export e1=" + q + "; ", m.pick("$e1", `"${e1:-x}"`)
	case 69:
		return "trap " + m.quote("echo $e1"+v) + " EXIT; e1" + v + "=" + q + "; ", "$e1" + v
	case 70:
		return v + "=$(date +%s)" + word + "; ", "${" + v + "##*[0-9]}"
	case 71:
		return m.pick("e1="+q+" : ; ", "local e1 2> /dev/null; ", "(e1="+q+"); "), "$e1" + word
	case 34:
		return v + "=a; trap " + m.quote(v+"="+q) + " DEBUG; ", "$" + v
	case 35:
		return v + "=a; ((" + v + "=1)) ; " + v + "=" + q + "; ", "$" + v
	case 36:
		return v + "=a; builtin declare " + v + "=" + q + "; ", "$" + v
	case 37:
		return v + "=a; { " + v + "=" + q + "; } 2>&1; ", "$" + v
	case 38:
		return v + "=a; case a in a) " + v + "=" + q + ";; esac; ", "$" + v
	case 39:
		return v + "=a; for i in 1 2; do [ $i = 2 ] && break; " + v + "=" + q + "; done; ", "$" + v
	case 40:
		return v + "=a; : && " + v + "=" + q + " && : ; ", "$" + v
	case 41:
		return u + "=" + q + "; " + v + "=$" + u + "; ", "$" + v
	case 42:
		return u + "=" + q + "; " + v + "=a; " + v + `="$` + u + `"; `, `"$` + v + `"`
	case 43:
		return u + "=" + word[:1] + "; " + v + "=$" + u + word[1:] + "; ", "${" + v + "}"
	case 44:
		return "export " + v + "=" + q + "; (unset " + v + "); " + v + "=a true; ", "$" + v
	case 45:
		return v + "=a; source <(echo " + m.quote(v+"="+q) + "); ", "$" + v
	case 46:
		return v + "=a; echo " + m.quote(v+"="+q) + " > s" + v + "; . ./s" + v + "; ", "$" + v
	case 47:
		return "declare -l " + v + "=" + strings.ToUpper(word) + "; ", "$" + v
	case 48:
		return v + "=a; set -- " + q + "; " + v + "=$1; ", "$" + v
	case 49:
		return v + "=a; getopts x " + u + "; " + v + "=$(echo " + word + "); ", "$" + v
	case 50:
		return v + "=b; false || " + v + "=" + q + "; ", "$" + v
	case 51:
		return v + "=a; [[ a == a ]] && { " + v + "=" + q + "; }; ", "$" + v
	case 52:
		return v + "=a; while read " + v + "; do break; done <<< " + q + "; ", "$" + v
	case 53:
		return v + "='a " + word + "'; set -- $" + v + "; ", "$2"
	case 54:
		return "select " + v + " in " + q + "; do break; done <<< 1; ", "$" + v
	case 55:
		return v + "=" + word[1:] + "; ", word[:1] + "$" + v
	case 0:
		return v + "=" + q + "; ", "$" + v
	case 1:
		return v + "=" + q + "; ", `"$` + v + `"`
	case 2:
		return "", "${" + v + ":-" + word + "}"
	case 3:
		return "", "${" + v + "=" + q + "}"
	case 4:
		return v + "=x; ", "${" + v + ":+" + word + "}"
	case 5:
		return v + "=x" + word + "; ", "${" + v + "#x}"
	case 6:
		return v + "=" + word + "x; ", "${" + v + "%x}"
	case 7:
		return v + "=" + word + "; ", "${" + v + "/x/}"
	case 8:
		return v + "=x" + word + "; ", "${" + v + ":1}"
	case 9:
		return v + "=" + strings.ToUpper(word) + "; ", "${" + v + ",,}"
	case 10:
		return v + "=(" + q + "); ", "${" + v + m.pick("[0]", "[@]", "", "[*]") + "}"
	case 11:
		return "", m.pick("$(echo "+word+")", "`echo "+word+"`", "$(printf %s "+word+")",
			`"$(echo `+word+`)"`)
	case 12:
		return u + "=" + word + "; " + v + "=" + u + "; ", "${!" + v + "}"
	case 13:
		return "printf -v " + v + " %s " + q + "; ", "$" + v
	case 14:
		return "read " + v + " <<< " + q + "; ", "$" + v
	case 15:
		return "mapfile -t " + v + " <<< " + q + "; ", "${" + v + "[0]}"
	case 16:
		return "declare -n " + u + "=" + v + "; " + u + "=" + word + "; ", "$" + v
	case 17:
		return v + "=" + word[:1] + "; " + v + "+=" + word[1:] + "; ", "$" + v
	case 18:
		return "for " + v + " in " + q + "; do :; done; ", "$" + v
	case 19:
		return "declare " + v + "=" + q + "; ", "$" + v
	case 20:
		return v + "=a; f" + v + "() { " + v + "=" + q + "; }; f" + v + "; ", "$" + v
	case 21:
		return v + "=a; if :; then " + v + "=" + q + "; fi; ", "$" + v
	case 22:
		return v + "=" + q + "; : || " + v + "=a; ", "$" + v
	case 23:
		return v + "=" + q + "; (" + v + "=a); ", "$" + v
	case 24:
		return v + "=" + q + "; " + v + "=a : ; ", "$" + v
	case 25:
		return v + "=" + q + "; " + v + "=a | cat; ", "$" + v
	case 26:
		return "eval " + m.quote(v+"="+q) + "; ", "$" + v
	case 27:
		return ": ${" + v + ":=" + word + "}; ", "$" + v
	case 28:
		return v + "=" + q + "; " + v + "=a & ", "$" + v
	case 29:
		return v + "=" + q + "; false && " + v + "=a; ", "$" + v
	case 30:
		return v + "=" + word[:1] + "; ", "$" + v + word[1:]
	case 31:
		return "export " + v + "=" + q + "; unset " + u + "; ", "${" + v + "}"
	case 32:
		return v + "=" + q + "; f" + v + "() { local " + v + "=a; }; f" + v + "; ", "$" + v
	}
	return "", m.pick(word+"$"+v, word+"''", "{"+word+",}", word+"${"+v+"}")
}
