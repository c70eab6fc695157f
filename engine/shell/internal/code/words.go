// This file reads programs of a few known words, in languages whose programs are not read further.

package code

import (
	"strings"
	"sync"
)

// printers are words of languages that print and compute only, whatever they are applied to.
var printers = sync.OnceValue(func() map[string]map[string]bool {
	return tableOf(`
ruby: puts print p pp RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE RUBY_PATCHLEVEL RUBY_COPYRIGHT Time now
  year to_s to_i to_f length size upcase downcase reverse sum max min nil true false abs round sqrt
  Math PI
php: echo print PHP_VERSION PHP_EOL PHP_OS PHP_OS_FAMILY PHP_INT_MAX PHP_INT_SIZE PHP_SAPI
  phpversion php_uname php_sapi_name strlen strtoupper strtolower strrev time date true false null
  round floor ceil sqrt max min abs intdiv array_sum count range implode json_encode var_dump md5
  sha1 crc32 base64_encode base64_decode bin2hex number_format str_repeat pi
lua: print _VERSION math pi floor ceil sqrt huge max min abs string upper lower len reverse os time
  date clock tostring tonumber type jit version true false nil
luajit: print _VERSION math pi floor ceil sqrt max min abs string upper lower len os time date clock
  tostring tonumber type jit version true false nil
perl: print printf say length uc lc sqrt int abs join reverse time localtime scalar
Rscript: cat print R version string packageVersion nchar sqrt sum mean median min max round TRUE
  FALSE toupper tolower sessionInfo
julia: println print VERSION sqrt sum length uppercase lowercase true false
elixir: IO puts inspect System version Enum sum length true false nil
`)
})

// Prints reports whether a program consists only of words of the language that print and compute,
// of strings without anything inserted, of numbers, and of operators.
func Prints(language, program string) bool {
	known := printers()[language]
	if known == nil || !printable(program) {
		return false
	}
	called := false // the token before is a value, which a parenthesis would call by its name
	for i := 0; i < len(program); {
		c := program[i]
		switch {
		case c == ' ', c == '\n', c == '\t':
			i++
			continue
		case isLetter(c):
			to := endOfName(program, i)
			if !known[program[i:to]] {
				return false
			}
			called, i = false, to
			continue
		case isDigit(c):
			for called = true; i < len(program) && isDigit(program[i]); {
				i++
			}
			if i < len(program) && isLetter(program[i]) {
				return false
			}
			continue
		case c == '"', c == '\'':
			n := lengthOfText(program[i:])
			if n == 0 {
				return false
			}
			called, i = true, i+n
			continue
		case c == '(' && called, !strings.ContainsRune("().,;+-*/", rune(c)):
			return false
		case c == '/' || c == '-':
			if next := program[i+1:]; next != "" && strings.ContainsRune("*/-", rune(next[0])) {
				return false // a comment, which may separate a value from its parenthesis
			}
		}
		called = c == ')'
		i++
	}
	return program != ""
}

// lengthOfText returns the length of the string with which a program begins; 0 if it does not end,
// or something may be inserted into it.
func lengthOfText(program string) int {
	for i := 1; i < len(program); i++ {
		switch c := program[i]; {
		case c == program[0]:
			return i + 1
		case c == '\\':
			if i++; i == len(program) || !strings.ContainsRune(`nt"'`, rune(program[i])) {
				return 0
			}
		case strings.ContainsRune("#$@{}`", rune(c)):
			return 0
		}
	}
	return 0
}
