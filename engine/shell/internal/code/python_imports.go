// This file reads the import statements of a program in Python, and finds its constants.

package code

import (
	"slices"
	"strings"
)

// imports reads the import statements.
func (p *python) imports() bool {
	p.skip = map[int]bool{}
	for i := 0; i < len(p.tokens); i++ {
		if p.tokens[i].kind != name || p.at(i-1).is(".") {
			continue
		}
		from := i
		switch {
		case p.tokens[i].value == "import":
			if !p.importsModules(&i) {
				return false
			}
		case p.tokens[i].value == "from" && p.startsStatement(i):
			if !p.importsNames(&i) {
				return false
			}
		default:
			continue
		}
		for ; from < i; from++ {
			p.skip[from] = true
		}
		if i--; !slices.Contains([]kind{end}, p.at(i+1).kind) {
			return false
		}
	}
	return true
}

// startsStatement reports whether token i is the first one of a statement.
func (p *python) startsStatement(i int) bool {
	return p.at(i-1).kind == end || p.at(i-1).is(":")
}

// dotted reads the name of a module from token *i on.
func (p *python) dotted(i *int) string {
	var parts []string
	for p.at(*i).kind == name {
		parts = append(parts, p.at(*i).value)
		if *i++; !p.at(*i).is(".") {
			break
		}
		*i++
	}
	module := strings.Join(parts, ".")
	p.effects.Modules = append(p.effects.Modules, strings.Join(parts, "/")+".py")
	for n := range parts {
		p.effects.Modules = append(p.effects.Modules, strings.Join(parts[:n+1], "/")+"/__init__.py",
			parts[0]+".py")
	}
	return module
}

// importsModules reads import a, b.c as d.
func (p *python) importsModules(i *int) bool {
	for {
		*i++
		module := p.dotted(i)
		if module == "" || strings.Contains(module, "__") || actsAtOnce(module) {
			return false
		}
		p.paths = p.paths || module == "pathlib"
		as, _, _ := strings.Cut(module, ".")
		if p.at(*i).kind == name && p.at(*i).value == "as" {
			as = p.at(*i + 1).value
			*i += 2
		} else {
			module = as
		}
		if before := p.modules[as]; before != "" && before != module || pythonBuiltins()[as] {
			return false
		}
		p.modules[as] = module
		if !p.at(*i).is(",") {
			return true
		}
	}
}

// actsAtOnce reports whether a module of the language does something when it is imported.
func actsAtOnce(module string) bool {
	top, _, _ := strings.Cut(module, ".")
	return slices.Contains([]string{"antigravity", "user", "idlelib", "turtledemo", "test", "pip",
		"lib2to3", "readline", "rlcompleter", "sitecustomize", "usercustomize"}, top)
}

// importsNames reads from a import b, c as d.
func (p *python) importsNames(i *int) bool {
	*i++
	module := p.dotted(i)
	known := pythonModules()[module]
	p.paths = p.paths || module == "pathlib"
	tables := known == nil && p.records && strings.HasSuffix("."+module, ".models")
	if known == nil && !tables || p.at(*i).value != "import" {
		return false
	}
	if p.at(*i + 1).is("(") {
		*i++
	}
	for {
		*i++
		one := p.at(*i).value
		as := one
		if *i++; p.at(*i).kind == name && p.at(*i).value == "as" {
			as = p.at(*i + 1).value
			*i += 2
		}
		switch {
		case p.modules[as] != "", one == "environ", module == "ast" && one == "parse":
			return false
		case pythonModules()[module+"."+one] != nil:
			p.modules[as] = module + "." + one
		case tables && one != "" && one[0] >= 'A' && one[0] <= 'Z' && as == one:
		case !known[one] || as == "open" || pythonOthers()[as], module == "pathlib" && as != one:
			return false
		}
		if !p.at(*i).is(",") {
			break
		}
	}
	if p.at(*i).is(")") {
		*i++
	}
	return true
}

// constants finds the names that are bound once, to a string or, in a for statement, to those of a
// list.
func (p *python) constants() {
	bound, values := map[string]int{}, map[string][]string{}
	for from := 0; from < len(p.tokens); {
		to := from
		for to < len(p.tokens) && p.tokens[to].kind != end {
			to++
		}
		line := p.tokens[from:to]
		last, open := -1, 0
		for i, t := range line {
			switch {
			case t.is("(", "[", "{"):
				open++
			case t.is(")", "]", "}"):
				open--
			case open == 0 && t.is("=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "//=",
				"**=", "<<=", ">>="):
				last = i
			}
		}
		for i, t := range line {
			if t.kind != name {
				continue
			}
			if i < last || binds(line, i) || i+1 < len(line) && line[i+1].is(":=") {
				bound[t.value]++
			}
			rest := line[i+1:]
			if i == 0 && len(rest) == 2 && rest[0].is("=") && rest[1].kind == text &&
				rest[1].plain {
				values[t.value] = []string{rest[1].value}
			}
			if i == 1 && line[0].value == "for" && len(rest) > 3 && rest[0].value == "in" {
				values[t.value] = listOfTexts(rest[1:])
			}
		}
		from = to + 1
	}
	for one, all := range values {
		if bound[one] == 1 && p.modules[one] == "" && !pythonBuiltins()[one] {
			p.constant[one] = all
		}
	}
}

// binds reports whether name i of a line without = may be set: it is in a for, with, def, lambda or
// the like.
func binds(line []token, i int) bool {
	for j := i - 1; j >= 0; j-- {
		if line[j].kind != name {
			continue
		}
		switch line[j].value {
		case "for", "as", "def", "lambda", "del", "global", "nonlocal", "import", "except":
			return true
		case "in":
			return slices.ContainsFunc(line[:j], func(t token) bool {
				return t.kind == name && (t.value == "def" || t.value == "lambda")
			})
		}
	}
	return false
}

// listOfTexts returns the strings of ["a", "b"]: or ("a", "b"): at the start of a line; nil if it
// is something else.
func listOfTexts(line []token) (all []string) {
	if !line[0].is("[", "(") {
		return nil
	}
	for i := 1; i < len(line); i += 2 {
		if line[i].kind != text || !line[i].plain || i+1 == len(line) {
			return nil
		}
		all = append(all, line[i].value)
		if line[i+1].is("]", ")") {
			if i+2 == len(line) || !line[i+2].is(":") {
				return nil
			}
			return all
		}
		if !line[i+1].is(",") {
			return nil
		}
	}
	return nil
}
