// This file finds what the names of a program in JavaScript stand for.

package code

import (
	"strings"
)

// declarations finds the modules that names stand for, the functions that have names, and the
// constants that are strings.
func (p *script) declarations() {
	for i, t := range p.tokens {
		if t.kind != name || p.at(i-1).is(".", "?.") {
			continue
		}
		before := p.at(i - 1).value
		declared := p.at(i-1).kind == name && (before == "const" || before == "let" ||
			before == "var")
		switch {
		case p.at(i-1).kind == name && before == "function":
			p.functions[t.value] = true
		case declared && p.at(i+1).is("=") && p.isFunction(i+2):
			p.functions[t.value] = true
		case declared && before == "const" && p.at(i+1).is("=") && p.at(i+2).kind == text &&
			p.at(i+2).plain && p.ends(i+3) && p.once(t.value):
			p.constant[t.value] = []string{p.at(i + 2).value}
		case declared && before == "const" && p.at(i+1).is("=") && p.requires(i+2) != "" &&
			p.ends(i+6) && p.once(t.value):
			p.modules[t.value] = p.requires(i + 2)
		}
	}
	for one := range p.functions {
		if !p.once(one) {
			delete(p.functions, one)
		}
	}
}

// ends reports whether an expression ends before token i.
func (p *script) ends(i int) bool {
	t := p.at(i)
	return t.kind == end || t.is(";", ",") || t.kind == name && t.value != "in" &&
		t.value != "instanceof"
}

// once reports whether a name is set or declared once at most: nothing else follows it with = or
// stands where a parameter may.
func (p *script) once(one string) bool {
	n := 0
	for i, t := range p.tokens {
		if t.kind != name || t.value != one || p.at(i-1).is(".", "?.") {
			continue
		}
		before, after := p.at(i-1), p.at(i+1)
		if after.is("=", "=>", "+=", "-=", "*=", "++", "--", ":", "}", "]") || after.kind == name ||
			before.is("++", "--", "...", "{") || p.isParameter(i) {
			n++
		}
		if before.kind == name && (before.value == "function" || !after.is("=") &&
			(before.value == "let" || before.value == "var")) || before.is("*") ||
			after.kind == sign && p.at(i+2).is("=") || p.at(i+1).is(")") && p.setInside(i+1) {
			n++
		}
	}
	return n <= 1
}

// setInside reports whether = follows parentheses that token i, the first of them, closes, or a
// loop sets what is in them.
func (p *script) setInside(i int) bool {
	for p.at(i).is(")") {
		i++
	}
	t := p.at(i)
	return t.is("=", "+=", "-=", "*=") || t.kind == sign && p.at(i+1).is("=") || t.kind == name &&
		(t.value == "of" || t.value == "in")
}

// isParameter reports whether name i may be one of the parameters of a function: the parenthesis
// after it is followed by => or {.
func (p *script) isParameter(i int) bool {
	open := 0
	for ; i < len(p.tokens); i++ {
		switch t := p.tokens[i]; {
		case t.is("(", "[", "{"):
			open++
		case t.is(")", "]", "}"):
			if open--; open < 0 {
				return t.is("}", "]") || p.at(i+1).is("=>", "{")
			}
		case t.is(";") && open == 0:
			return false
		}
	}
	return false
}

// isFunction reports whether a function begins with token i.
func (p *script) isFunction(i int) bool {
	t := p.at(i)
	if t.kind == name && t.value == "async" {
		i++
		t = p.at(i)
	}
	switch {
	case t.kind == name && t.value == "function", t.kind == name && p.at(i+1).is("=>"):
		return true
	case !t.is("("):
		return false
	}
	for open := 0; i < len(p.tokens); i++ {
		if p.at(i).is("(") {
			open++
		} else if p.at(i).is(")") {
			if open--; open == 0 {
				return p.at(i + 1).is("=>")
			}
		}
	}
	return false
}

// requires returns the module of the table that require, token i, loads; "" = another one.
func (p *script) requires(i int) string {
	if p.at(i).value != "require" || !p.at(i+1).is("(") || p.at(i+2).kind != text ||
		!p.at(i+2).plain || !p.at(i+3).is(")") {
		return ""
	}
	module := strings.TrimPrefix(p.at(i+2).value, "node:")
	if module == "process" || scriptModules()[module] == nil {
		return ""
	}
	return module
}
