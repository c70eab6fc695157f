// This file holds the table of languages.

package highlight

import (
	"strings"
	"sync"
)

// Language is a row of the table.
type Language struct {
	names   string // by which a fence or a tool calls it
	keyword string
	words   map[string]bool // of keyword
	regions []region
	opens   [256]bool // the first bytes of regions
	anyCase bool      // keywords in capitals are keywords
	dashes  bool      // names have dashes
	markup  bool      // names after < are keywords
	diff    bool      // a difference of files
}

// region is a comment or a string.
type region struct {
	open, close string // close "": it ends with the line
	kind        Kind
	lines       bool // it may have several lines
	escapes     bool // a backslash hides the character after it
	alone       bool // only at the beginning of a word
	single      bool // of one character: a quote has other meanings, too
}

// Find returns the language of a name, such as "go" or "py"; nil if there is none.
func Find(name string) *Language { return languages()[strings.ToLower(name)] }

// languages returns the table by name. It is made when it is first used.
var languages = sync.OnceValue(func() map[string]*Language {
	byName := map[string]*Language{}
	for _, l := range table() {
		l.words = map[string]bool{}
		for word := range strings.FieldsSeq(l.keyword) {
			l.words[word] = true
		}
		for _, r := range l.regions {
			l.opens[r.open[0]] = true
		}
		for name := range strings.FieldsSeq(l.names) {
			byName[name] = l
		}
	}
	return byName
})

func toEnd(open string) region { return region{open: open, kind: Comment} }

// word is a comment to the end of the line that begins at the beginning of a word.
func word(open string) region { return region{open: open, kind: Comment, alone: true} }

func comment(open, close string) region {
	return region{open: open, close: close, kind: Comment, lines: true}
}

func quotes(quote string) region {
	return region{open: quote, close: quote, kind: String, escapes: true}
}

// verbatim is a string of several lines in which a backslash is a character like others.
func verbatim(open, close string) region {
	return region{open: open, close: close, kind: String, lines: true}
}

func longQuotes(quote string) region {
	return region{open: quote, close: quote, kind: String, escapes: true, lines: true}
}

func character() region {
	return region{open: "'", close: "'", kind: String, escapes: true, single: true}
}

// slashed are the comments of C, and of most languages that look like it, followed by others.
func slashed(more ...region) []region {
	return append([]region{toEnd("//"), comment("/*", "*/")}, more...)
}

// cWords are keywords of C, and of most languages that look like it.
const cWords = "break case const continue default do else enum for goto if return static " +
	"switch void volatile while true false "

const scriptWords = cWords + "async await catch class debugger delete export extends finally " +
	"from function get import in instanceof let new null of set super this throw try typeof " +
	"undefined var with yield "

// table returns the languages.
func table() []*Language { return append(curly(), others()...) }

// curly returns the languages whose comments are those of C.
func curly() []*Language {
	return []*Language{
		{names: "go golang", regions: slashed(quotes(`"`), verbatim("`", "`"), character()),
			keyword: "break case chan const continue default defer else fallthrough for func go " +
				"goto if import interface map package range return select struct switch type " +
				"var true false nil iota"},
		{names: "c h cpp c++ cc hpp cxx objc", regions: slashed(quotes(`"`), character()),
			keyword: cWords + "auto bool char class concept constexpr consteval delete double " +
				"explicit extern float friend inline int long mutable namespace new noexcept " +
				"nullptr operator override private protected public register short signed " +
				"sizeof struct template this throw try catch typedef typename union unsigned " +
				"using virtual NULL"},
		{names: "java kotlin kt scala swift csharp cs c# dart",
			regions: slashed(longQuotes(`"""`), quotes(`"`), character()),
			keyword: cWords + "abstract actor any as async await base boolean byte catch char " +
				"class companion data def defer double extends extension final finally float " +
				"fun func get guard implements implicit import in init inner inout instanceof " +
				"int interface internal is lateinit lazy let long match namespace native new " +
				"nil null object open operator out override package private protected protocol " +
				"public readonly record ref repeat sealed self set short some string struct " +
				"super suspend synchronized this throw throws trait transient try type " +
				"typealias using val var virtual when where with yield"},
		{names: "javascript js jsx mjs cjs node", keyword: scriptWords,
			regions: slashed(quotes(`"`), quotes("'"), longQuotes("`"))},
		{names: "typescript ts tsx mts",
			regions: slashed(quotes(`"`), quotes("'"), longQuotes("`")),
			keyword: scriptWords + "abstract any as asserts bigint boolean declare implements " +
				"infer interface is keyof module namespace never number object private " +
				"protected public readonly satisfies string symbol type unknown"},
		{names: "rust rs", regions: slashed(verbatim(`r#"`, `"#`), longQuotes(`"`), character()),
			keyword: "as async await break const continue crate dyn else enum extern false fn " +
				"for if impl in let loop match mod move mut pub ref return self Self static " +
				"struct super trait true type union unsafe use where while"},
		{names: "php", regions: slashed(word("#"), quotes(`"`), quotes("'")),
			keyword: scriptWords + "abstract and array as echo elseif endforeach endif final fn " +
				"foreach implements include interface match namespace or private protected " +
				"public readonly require trait use"},
		{names: "json jsonc json5", regions: slashed(quotes(`"`)), keyword: "true false null"},
		{names: "css scss less", dashes: true,
			regions: []region{comment("/*", "*/"), quotes(`"`), quotes("'")},
			keyword: "@media @import @supports @keyframes @font-face @layer @container " +
				"@use @mixin @include important inherit initial unset none auto"},
	}
}

// others returns the other languages.
func others() []*Language {
	return []*Language{
		{names: "python py python3 pyi", regions: []region{toEnd("#"), longQuotes(`"""`),
			longQuotes("'''"), quotes(`"`), quotes("'")},
			keyword: "False None True and as assert async await break case class continue def " +
				"del elif else except finally for from global if import in is lambda match " +
				"nonlocal not or pass raise return self try while with yield"},
		{names: "ruby rb", regions: []region{word("#"), quotes(`"`), quotes("'")},
			keyword: "alias and begin break case class def defined do else elsif end ensure " +
				"false for if in module next nil not or redo require rescue retry return self " +
				"super then true undef unless until when while yield"},
		{names: "bash sh shell zsh console fish", dashes: true,
			regions: []region{word("#"), longQuotes(`"`), verbatim("'", "'")},
			keyword: "case do done elif else esac exit export fi for function if in local " +
				"return select set source then until while"},
		{names: "lua", regions: []region{comment("--[[", "]]"), toEnd("--"),
			verbatim("[[", "]]"), quotes(`"`), quotes("'")},
			keyword: "and break do else elseif end false for function goto if in local nil not " +
				"or repeat return then true until while"},
		{names: "sql sqlite mysql postgresql postgres psql", anyCase: true,
			regions: []region{toEnd("--"), comment("/*", "*/"), verbatim("'", "'")},
			keyword: "add all alter and as asc begin between by case check column commit " +
				"constraint create cross database default delete desc distinct drop else end " +
				"exists explain foreign from full group having if in index inner insert into " +
				"is join key left like limit not null on or order outer primary references " +
				"returning right rollback select set table then transaction union unique " +
				"update using values view when where with"},
		{names: "yaml yml", keyword: "true false null yes no on off",
			regions: []region{word("#"), quotes(`"`), quotes("'")}},
		{names: "toml ini conf cfg env properties", keyword: "true false",
			regions: []region{word("#"), word(";"), longQuotes(`"""`), longQuotes("'''"),
				quotes(`"`), quotes("'")}},
		{names: "html xml svg vue svelte", markup: true, dashes: true,
			regions: []region{comment("<!--", "-->"), quotes(`"`)}},
		{names: "dockerfile docker", anyCase: true,
			regions: []region{word("#"), quotes(`"`), quotes("'")},
			keyword: "from run cmd label expose env add copy entrypoint volume user workdir " +
				"arg onbuild stopsignal healthcheck shell as"},
		{names: "makefile make", regions: []region{word("#")}, dashes: true,
			keyword: "include ifeq ifneq ifdef ifndef else endif define endef export override"},
		{names: "diff patch", diff: true},
	}
}
