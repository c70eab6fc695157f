// This file decodes pages in other character sets than UTF-8. The package html/charset of x/net
// knows them all, but the tables of Big5 and EUC-KR make the program 350 KB larger.

package tool

import (
	"bytes"
	"fmt"
	"mime"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	utf "golang.org/x/text/encoding/unicode"

	"github.com/agentscripts/agent/engine/plain"
)

// declaredWithin is how far into a page its declaration counts, in bytes: the HTML standard.
const declaredWithin = 1024

// decoded decodes a body from the character set that a byte order mark, the type of the answer or
// the page declares. Without a declaration it is UTF-8, or else Windows 1252, as browsers take it.
func decoded(body []byte, kind string) (string, error) {
	name, certain := declaredCharset(body, kind)
	if !certain && utf8.Valid(body) || name == "utf8" {
		return strings.ToValidUTF8(strings.TrimPrefix(string(body), "\uFEFF"), "\uFFFD"), nil
	}
	enc := charsetByName(name)
	switch {
	case enc != nil:
	case undecoded(name) != "":
		return "", fmt.Errorf("the page is in %s, which is not decoded here: a command such as "+
			"curl -s URL | iconv -f %[1]s does it", undecoded(name))
	case utf8.Valid(body):
		return string(body), nil
	default:
		enc = charmap.Windows1252
	}
	if b, err := enc.NewDecoder().Bytes(body); err == nil {
		body = b
	}
	return strings.ToValidUTF8(string(body), "\uFFFD"), nil
}

// declaredCharset returns the name of the character set that is declared, as charsetName has it; ""
// if there is none. certain is false if only the page itself says so.
func declaredCharset(body []byte, kind string) (name string, certain bool) {
	for mark, name := range map[string]string{"\xfe\xff": "utf16be", "\xff\xfe": "utf16le",
		"\uFEFF": "utf8"} {
		if bytes.HasPrefix(body, []byte(mark)) {
			return name, true
		}
	}
	if _, params, err := mime.ParseMediaType(kind); err == nil && params["charset"] != "" {
		if name := charsetName(params["charset"]); knownCharset(name) {
			return name, true
		}
	}
	page := html.NewTokenizer(bytes.NewReader(plain.Head(body, declaredWithin)))
	for {
		switch page.Next() {
		case html.ErrorToken:
			return "", false
		case html.StartTagToken, html.SelfClosingTagToken:
			token := page.Token()
			if name := charsetName(metaCharset(&token)); token.Data == "meta" &&
				knownCharset(name) {
				if strings.HasPrefix(name, "utf16") {
					name = "utf8" // it could not be read if it were
				}
				return name, false
			}
		}
	}
}

// metaCharset returns the character set that an element meta declares.
func metaCharset(meta *html.Token) string {
	attributes := map[string]string{}
	for _, a := range meta.Attr {
		attributes[a.Key] = a.Val
	}
	if own := attributes["charset"]; own != "" {
		return own
	}
	if strings.EqualFold(attributes["http-equiv"], "content-type") {
		if _, params, err := mime.ParseMediaType(attributes["content"]); err == nil {
			return params["charset"]
		}
	}
	return ""
}

// charsetName returns the letters and digits of a name in lower case: there are many spellings.
func charsetName(text string) string {
	parts := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.TrimPrefix(strings.Join(parts, ""), "x")
}

func knownCharset(name string) bool {
	return name == "utf8" || undecoded(name) != "" || charsetByName(name) != nil
}

// undecoded returns the usual name of a character set that is known, but not decoded; "" if it is
// another one.
func undecoded(name string) string {
	switch name {
	case "big5", "big5hkscs", "cnbig5", "csbig5", "xbig5":
		return "big5"
	case "euckr", "korean", "ksc56011987", "ksc5601", "windows949":
		return "euc-kr"
	}
	return ""
}

// charsetByName returns an encoding by its name, as charsetName has it; nil if it is unknown.
func charsetByName(name string) encoding.Encoding {
	switch name {
	case "utf16", "utf16le":
		return utf.UTF16(utf.LittleEndian, utf.UseBOM)
	case "utf16be":
		return utf.UTF16(utf.BigEndian, utf.UseBOM)
	case "iso88591", "latin1", "l1", "ascii", "usascii": // the HTML standard
		return charmap.Windows1252
	case "gbk", "gb2312", "gb231280", "gb18030", "chinese":
		return simplifiedchinese.GB18030
	case "hzgb2312":
		return simplifiedchinese.HZGB2312
	case "shiftjis", "sjis", "mskanji", "windows31j":
		return japanese.ShiftJIS
	case "eucjp":
		return japanese.EUCJP
	case "iso2022jp":
		return japanese.ISO2022JP
	}
	if n, ok := strings.CutPrefix(name, "cp125"); ok {
		name = "windows125" + n
	} else if n, ok := strings.CutPrefix(name, "latin"); ok {
		name = "iso8859" + n
	}
	for _, enc := range charmap.All {
		if own, ok := enc.(fmt.Stringer); ok && charsetName(own.String()) == name {
			return enc
		}
	}
	return nil
}
