package vim

import (
	"regexp"
	"strings"
	"testing"
)

// keyNames matches the keys of a test: <esc>, or a character.
var keyNames = regexp.MustCompile(`<[a-z+]+>|(?s:.)`)

// typeKeys presses keys as an editor would, which begins in normal mode: keys that the machine does
// not use are text.
func typeKeys(m *Machine, b Buffer, keys string) Buffer {
	var before []Buffer
	for _, key := range keyNames.FindAllString(keys, -1) {
		if len(key) > 1 && strings.HasPrefix(key, "<") {
			key = strings.Trim(key, "<>")
		}
		was := b
		next, effect := m.Key(key, b)
		switch b = next; effect {
		case Undo:
			if n := len(before); n > 0 {
				b, before = before[n-1], before[:n-1]
			}
			continue
		case Pass:
			if key == "enter" {
				key = "\n"
			}
			if m.Mode() == Insert {
				b.Text, b.At = b.Text[:b.At]+key+b.Text[b.At:], b.At+len(key)
			}
		case Up, Down:
			name := map[Effect]string{Up: "k", Down: "j"}[effect]
			x := newText(b)
			if g, ok := x.toLine(command{name: name, count: 1}); ok {
				x.at = g.to
				x.clamp(false)
			}
			b = x.buffer()
		}
		if was.Text != b.Text {
			before = append(before, was)
		}
	}
	return b
}

// at returns a buffer from a text with | at the cursor, and marked the reverse.
func at(text string) Buffer {
	before, after, _ := strings.Cut(text, "|")
	return Buffer{before + after, len(before)}
}

func (b Buffer) marked() string { return b.Text[:b.At] + "|" + b.Text[b.At:] }

func TestKeys(t *testing.T) {
	for _, test := range []struct{ text, keys, want string }{
		// motions in a line
		{"|abc", "l", "a|bc"}, {"|abc", "9l", "ab|c"}, {"ab|c", "2h", "|abc"},
		{"ab|c", "<left>", "a|bc"}, {"a b|c", "0", "|a bc"}, {"  ab|c", "^", "  |abc"},
		{"|abc", "$", "ab|c"}, {"|abc\nde", "2$", "abc\nd|e"}, {"|漢字", "l", "漢|字"},
		{"|e\u0301x", "l", "e\u0301|x"},
		// words
		{"|one two", "w", "one |two"}, {"|one(two)", "w", "one|(two)"},
		{"|one(two) x", "W", "one(two) |x"}, {"|one\n\n two", "w", "one\n|\n two"},
		{"|one\n\n two", "2w", "one\n\n |two"}, {"|one two", "5w", "one tw|o"},
		{"one tw|o", "b", "one |two"}, {"one |two", "b", "|one two"}, {"a.b c|d", "2B", "|a.b cd"},
		{"|one two", "e", "on|e two"}, {"on|e two", "e", "one tw|o"},
		{"one |two", "ge", "on|e two"},
		{"|a b c d", "3w", "a b c |d"}, {"|one two", "E", "on|e two"},
		// lines and paragraphs
		{"a\nb|b\nc", "gg", "|a\nbb\nc"}, {"|a\nb\n  c", "G", "a\nb\n  |c"},
		{"|a\nb\nc", "2G", "a\n|b\nc"}, {"|a\nb\nc\nd", "2j", "a\nb\n|c\nd"},
		{"a\nbc\ncd|e", "2k", "|a\nbc\ncde"}, {"|a\nb\n\nc", "}", "a\nb\n|\nc"},
		{"a\n\nb\nc|d", "{", "a\n|\nb\ncd"},
		{"ab\n|", "{", "|ab\n"}, {"a\n\n|", "{", "|a\n\n"}, {"a\n\nb\n\n|\n", "{", "a\n|\nb\n\n\n"},
		{"|", "{", "|"}, {"|", "}", "|"}, {"|\n\na\n\nb", "}", "\n\na\n|\nb"},
		{"|a\n\n\nb\n\nc", "2}", "a\n\n\nb\n|\nc"},
		// finds
		{"|abcabc", "fc", "ab|cabc"}, {"|abcabc", "2fc", "abcab|c"}, {"|abcabc", "tc", "a|bcabc"},
		{"abcab|c", "Fa", "abc|abc"}, {"abcab|c", "Ta", "abca|bc"}, {"|abcabc", "fc;", "abcab|c"},
		{"|abcabc", "2fc,", "ab|cabc"}, {"|abcabc", "tc;", "abca|bc"}, {"|abc", "fx", "|abc"},
		{"|f(a[1])", "%", "f(a[1]|)"}, {"f(a[1]|)", "%", "f|(a[1])"}, {"|x", "%", "|x"},
		// operators
		{"|one two", "dw", "|two"}, {"one |two", "dw", "one| "}, {"|one\ntwo", "dw", "|\ntwo"},
		{"|a b c d", "2dw", "|c d"}, {"|a b c d", "d2w", "|c d"}, {"|a b c d e", "2d2w", "|e"},
		{"one t|wo", "db", "one |wo"}, {"|one two", "de", "| two"}, {"o|ne two", "d$", "|o"},
		{"o|ne two", "D", "|o"}, {"one t|wo", "d0", "|wo"}, {"|abcabc", "dfc", "|abc"},
		{"|abcabc", "dtc", "|cabc"}, {"abcab|c", "dFa", "abc|c"}, {"|f(a) b", "d%", "| b"},
		{"a\n|b\nc", "dd", "a\n|c"}, {"a\n|b", "dd", "|a"}, {"|a", "dd", "|"}, {"|", "dd", "|"},
		{"|a\nb\nc", "2dd", "|c"}, {"|a\nb\nc", "dj", "|c"}, {"a\nb\n|c", "dk", "|a"},
		{"a\n|b\nc", "dG", "|a"}, {"a\n|b\nc", "dgg", "|c"}, {"|one two", "cwx<esc>", "|x two"},
		{"|one two", "cex<esc>", "|x two"}, {"o|ne", "Cx<esc>", "o|x"}, {"a\n|bc\nd", "ccx<esc>",
			"a\n|x\nd"}, {"a\n|bc\nd", "Sx<esc>", "a\n|x\nd"}, {"a|bc", "sx<esc>", "a|xc"},
		{"a|bcd", "2sx<esc>", "a|xd"}, {"|", "sx<esc>", "|x"}, {"a|bc", "x", "a|c"},
		{"ab|c", "x", "a|b"}, {"a|bcd", "2x", "a|d"}, {"abc|d", "2X", "a|d"}, {"|", "x", "|"},
		{"|a b", "c2wx<esc>", "|x"}, {"a|bc", "<delete>", "a|c"}, {"|abc", "d<right>", "|bc"},
		// text objects
		{"one t|wo three", "diw", "one | three"}, {"one t|wo three", "daw", "one |three"},
		{"one t|wo", "daw", "on|e"}, {"a(b, c|d)e", "di(", "a(|)e"}, {"a(b, c|d)e", "da(", "a|e"},
		{"a(b(c)|d)e", "dib", "a(|)e"}, {"a{|b}", "ciBx<esc>", "a{|x}"}, {"a[b|c]", "di]", "a[|]"},
		{"say \"a |b\" c", "di\"", "say \"|\" c"}, {"say \"a |b\" c", "da\"", "say |c"},
		{"|say 'a' c", "ci'x<esc>", "say '|x' c"}, {"a \"b\" |c", "di\"", "a \"b\" |c"},
		{"<a|b>", "di<", "<|>"}, {"a.b| c", "diW", "a.b|c"}, {"x a.|b c", "diW", "x | c"},
		{"a |b", "d2iw", "a| "}, {"o|ne two three", "d2aw", "|three"}, {"a(|b", "di(", "a(|b"},
		// insert
		{"a|bc", "ix<esc>", "a|xbc"}, {"a|bc", "ax<esc>", "ab|xc"}, {" a|bc", "Ix<esc>", " |xabc"},
		{"|abc", "Ax<esc>", "abc|x"}, {"|a\nb", "ox<esc>", "a\n|x\nb"}, {"a\n|b", "Ox<esc>",
			"a\n|x\nb"}, {"|a", "3ix<esc>", "xx|xa"}, {"|", "ihello<esc>", "hell|o"},
		{"a|b", "i<esc>", "|ab"},
		// registers
		{"|one two", "dwP", "one| two"}, {"|one two", "yw$p", "one twoone| "},
		{"a\n|b\nc", "yyp", "a\nb\n|b\nc"}, {"a\n|b", "yyp", "a\nb\n|b"}, {"a\n|b\nc", "ddP",
			"a\n|b\nc"}, {"|ab", "xp", "b|a"}, {"a\n|b\nc", "Yggp", "a\n|b\nb\nc"},
		{"|a\nb\nc", "yjGp", "a\nb\nc\n|a\nb"}, {"|ab", "yl3p", "aaa|ab"}, {"|one two", "yiww\"",
			"one |two"}, {"|a", "p", "|a"}, {"|one two", "wyb", "|one two"},
		// other changes
		{"a|bc", "rx", "a|xc"}, {"a|bcd", "2rx", "ax|xd"}, {"ab|c", "2rx", "ab|c"},
		{"a|bc", "r<enter>", "a\n|c"}, {"|aBc", "~", "A|Bc"}, {"|aBc", "3~", "Ab|C"},
		{"|a\n  b", "J", "a| b"}, {"|a\nb\nc", "3J", "a b| c"}, {"|a\n\nb", "J", "|a\nb"},
		// undo and repeat
		{"|one two", "dwu", "|one two"}, {"|a b c d", "dw.", "|c d"}, {"|a b c d e", "dw2.",
			"|d e"}, {"|a b", "cwx<esc>w.", "x |x"}, {"|a b", "Ax<esc>.", "a bx|x"},
		{"a\n|b", "ox<esc>.", "a\nb\nx\n|x"}, {"|abc abc", "fcrxfc.", "abx ab|x"},
		{"|abcd", "x..", "|d"}, {"|ab", "ylp.", "aa|ab"}, {"|ab", "yy.", "|ab"},
		{"|ab", "ix<esc>u.", "|xab"}, {"|a\nb\nc\nd", "ddj.", "b\n|d"}, {"|abc", "2~.", "AB|C"},
		{"|a", ".", "|a"}, {"f(|a) f(b)", "ci(x<esc>fb.", "f(x) f(|x)"},
		// visual mode
		{"|abcd", "vld", "|cd"}, {"ab|cd", "vhd", "a|d"}, {"|one two", "vey$p", "one twoon|e"},
		{"|one two", "vwcx<esc>", "|xwo"}, {"|a\nb\nc", "Vjd", "|c"}, {"|a\nb", "Vcx<esc>",
			"|x\nb"}, {"o|ne two", "viwd", "| two"}, {"f(a|b)", "vi(U", "f(|AB)"},
		{"|abc", "vl~", "|ABc"}, {"|abc", "vlrx", "|xxc"}, {"|a\nb\nc", "VjJ", "a| b\nc"},
		{"|one two", "yiwwviwp", "one on|e"}, {"|abc", "v<esc>l", "a|bc"}, {"|abcd", "lvlohd",
			"|d"}, {"|abcdef", "vld.", "|ef"}, {"|a\nb\nc\nd", "Vd.", "|c\nd"},
		{"|ab", "vv", "|ab"},
		{"|abc\nd", "v$d", "|\nd"}, {"|abc\nd", "vD", "|d"}, {"|a", "vVd", "|"},
		// nothing is typed by accident
		{"|abc", "zqQ!?", "|abc"}, {"|abc", "dz", "|abc"}, {"|abc", "diz", "|abc"},
		{"|abc", "2<esc>x", "|bc"}, {"|abc", "d<esc>l", "a|bc"}, {"|abc", "gz", "|abc"},
		{"|abc", "99999999999x", "|"},
	} {
		m := &Machine{mode: Normal}
		if got := typeKeys(m, at(test.text), test.keys).marked(); got != test.want {
			t.Errorf("%q %s: got %q, want %q", test.text, test.keys, got, test.want)
		}
		if m.mode != Normal {
			t.Errorf("%q %s: it ends in %s mode", test.text, test.keys, m.mode)
		}
	}
}

// TestEffects checks what is left to the editor.
func TestEffects(t *testing.T) {
	for _, test := range []struct {
		mode Mode
		key  string
		want Effect
	}{{Insert, "x", Pass}, {Insert, "esc", Done}, {Normal, "esc", Pass}, {Visual, "esc", Done},
		{Normal, "j", Down}, {Normal, "k", Up}, {Visual, "j", Done}, {Normal, "u", Undo},
		{Normal, "ctrl+r", Redo}, {Normal, "enter", Pass}, {Normal, "ctrl+c", Pass},
		{Normal, "up", Pass}, {Normal, "tab", Pass}, {Normal, "漢", Done}, {Normal, "f1", Pass}} {
		m := &Machine{mode: test.mode}
		b, got := m.Key(test.key, Buffer{"ab", 1})
		if got != test.want || b.Text != "ab" {
			t.Errorf("%s in %s mode: got %d %v", test.key, test.mode, got, b)
		}
	}
}

func TestSelection(t *testing.T) {
	m := &Machine{mode: Normal}
	b := typeKeys(m, at("漢|字 ab\nc"), "vl")
	if from, to := m.Selection(b); b.Text[from:to] != "字 " || !m.Pending() {
		t.Errorf("selected %q", b.Text[from:to])
	}
	b = typeKeys(m, b, "V")
	if from, to := m.Selection(b); b.Text[from:to] != "漢字 ab\n" {
		t.Errorf("selected %q", b.Text[from:to])
	}
	m.Reset()
	if from, to := m.Selection(b); from != to || m.Mode() != Insert {
		t.Error("it is still selected")
	}
}

// FuzzKeys checks that no keys leave the cursor outside of the text or inside of a character.
func FuzzKeys(f *testing.F) {
	f.Add("one two\n\n(a [b]) \"c\"\n", "dw.wcix<esc>p2jvi(ddGoe\u0301<esc>VkJ~", 3)
	f.Add("漢e\u0301\n", "xp$D.ggOa<esc>u%f漢;,dTx", 0)
	f.Fuzz(func(t *testing.T, text, keys string, start int) {
		if len(text) > 500 || len(keys) > 200 {
			return
		}
		text, keys = strings.ToValidUTF8(text, ""), strings.ToValidUTF8(keys, "")
		b := newText(Buffer{text, max(0, min(start, len(text)))}).buffer()
		m := &Machine{mode: Normal}
		for _, key := range keyNames.FindAllString(keys, -1) {
			if len(key) > 1 && strings.HasPrefix(key, "<") {
				key = strings.Trim(key, "<>")
			}
			next, effect := m.Key(key, b)
			b = next
			if effect == Pass && m.Mode() == Insert && len(b.Text) < 2000 {
				b.Text, b.At = b.Text[:b.At]+key+b.Text[b.At:], b.At+len(key)
			}
			if b.At < 0 || b.At > len(b.Text) {
				t.Fatalf("the cursor is at %d of %d", b.At, len(b.Text))
			}
			if from, to := m.Selection(b); from < 0 || to < from || to > len(b.Text) {
				t.Fatalf("%d to %d of %d are selected", from, to, len(b.Text))
			}
			if len(b.Text) > 100_000 {
				return
			}
		}
	})
}
