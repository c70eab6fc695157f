package tool

import "testing"

// TestDecoded: the declarations of a character set, in their order, and their spellings.
func TestDecoded(t *testing.T) {
	t.Parallel()
	const page = "text/html"
	for _, c := range []struct{ kind, body, want string }{
		{page, "plain", "plain"},
		{page, "café", "café"},
		{page, "caf\xe9 \x80", "café €"},
		{page, "\uFEFFcafé", "café"},
		{page, "\xff\xfeh\x00i\x00", "hi"},
		{page, "\xfe\xff\x00h\x00i", "hi"},
		{page + "; charset=koi8-r", "\xd0\xd2\xc9\xd7\xc5\xd4", "привет"},
		{page + "; charset=Windows-1251", "\xef\xf0\xe8\xe2\xe5\xf2", "привет"},
		{page + "; charset=x-cp1251", "\xef\xf0\xe8\xe2\xe5\xf2", "привет"},
		{page + "; charset=ISO_8859-2", "\xb1", "ą"},
		{page + "; charset=latin2", "\xb1", "ą"},
		{page + "; charset=iso-8859-1", "\x80", "€"}, // as browsers read it
		{page + "; charset=GB2312", "\xc4\xe3\xba\xc3", "你好"},
		{page + "; charset=gbk", "\xc4\xe3\xba\xc3", "你好"},
		{page + "; charset=hz-gb-2312", "~{Dc:C~}", "你好"},
		{page + "; charset=Shift_JIS", "\x82\xb1", "こ"},
		{page + "; charset=x-sjis", "\x82\xb1", "こ"},
		{page + "; charset=euc-jp", "\xa4\xb3", "こ"},
		{page + "; charset=iso-2022-jp", "\x1b$B$3\x1b(B", "こ"},
		{page + "; charset=koi8-r", "\xff\xfeh\x00i\x00", "hi"}, // the mark counts more
		{page + "; charset=utf-8", "caf\xe9", "caf\uFFFD"},
		{page + "; charset=utf-8", `<meta charset="koi8-r">é`, `<meta charset="koi8-r">é`},
		{page + "; charset=nonsense", "café", "café"},
		{page + "; charset=nonsense", "caf\xe9", "café"},
		{page, "<meta charset=\"windows-1251\">\xef", "<meta charset=\"windows-1251\">п"},
		{page, "<META http-equiv=Content-Type content=\"text/html; charset=koi8-r\">\xd0",
			"<META http-equiv=Content-Type content=\"text/html; charset=koi8-r\">п"},
		{page, "<meta content=\"text/html; charset=koi8-r\">\xe9",
			"<meta content=\"text/html; charset=koi8-r\">é"},
		{page, "<meta charset=utf-16>é", "<meta charset=utf-16>é"},
		{page, "<p charset=koi8-r>\xe9", "<p charset=koi8-r>é"},
		{page, "<meta charset=koi8-r>é", "<meta charset=koi8-r>é"}, // it is UTF-8 all the same
	} {
		if got, err := decoded([]byte(c.body), c.kind); err != nil || got != c.want {
			t.Errorf("%s %q: got %q %v, want %q", c.kind, c.body, got, err, c.want)
		}
	}
}
