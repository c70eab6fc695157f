// This file determines which files curl and wget read, write and send.

package shell

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/agentscripts/agent/engine/lazyregexp"
	"github.com/agentscripts/agent/engine/shell/internal/dialect"
)

// fetchFlags are the flags of curl and wget whose values name files, by their long names.
type fetchFlags struct {
	writes, reads func() []string
	// the values name a file behind a sign: @FILE, name=@FILE
	sends func() []string
}

var fetchers = map[string]fetchFlags{
	"curl": {writes: listOf("output dump-header cookie-jar output-dir trace trace-ascii stderr " +
		"libcurl etag-save hsts alt-svc"),
		reads: listOf("upload-file config cookie cert key cacert netrc-file pubkey crlfile " +
			"etag-compare"),
		sends: listOf("data data-ascii data-binary data-urlencode json form url-query variable " +
			"header proxy-header write-out")},
	"wget": {writes: listOf("output-document directory-prefix output-file append-output " +
		"save-cookies rejected-log warc-file"),
		reads: listOf("input-file post-file body-file load-cookies config certificate " +
			"private-key ca-certificate"),
		sends: listOf("")},
}

// sentFile matches what precedes the name of a file that curl sends: @, name=@, name=<, name@.
var sentFile = lazyregexp.New(`^(@|[\w.\[\]-]*=[@<]|[\w.-]+@)`)

// numbered matches names in which curl replaces #1 by a part of the address.
var numbered = lazyregexp.New(`#[0-9]`)

// writeOutFile matches what makes curl -w write to a file from there on.
var writeOutFile = lazyregexp.New(`%output\{(?:>>)?([^}]*)\}`)

// fetches adds the files that curl and wget write and send.
func (o *operands) fetches() {
	flags := fetchers[o.a.program]
	out := false
	for _, name := range flags.writes() {
		for _, v := range o.given(name) {
			o.value(v, true)
			for _, dir := range o.given("output-dir") { // where the output goes
				if name == "output" {
					o.value(value{dir.text + "/" + v.text, dir.known && v.known, dir.info}, true)
				}
			}
			if o.a.program == "curl" && numbered().MatchString(v.text) {
				o.f.unknownWrites(ownNames, v.text)
			}
			out = out || name != "output-dir" && name != "directory-prefix"
		}
	}
	for _, v := range o.given("write-out") {
		for _, parts := range writeOutFile().FindAllStringSubmatch(v.text, -1) {
			o.value(value{parts[1], v.known, v.info}, true)
		}
	}
	for _, name := range flags.reads() {
		for _, v := range o.given(name) {
			if name != "cookie" || !strings.Contains(v.text, "=") { // and not the cookie itself
				o.value(v, false)
			}
			if name == "upload-file" && strings.ContainsAny(v.text, "{[") { // of names
				o.f.unknown(false, matched, v.text)
			}
			if name == "config" { // with flags and addresses
				o.f.unknown(true, listedInFile, v.text)
			}
		}
	}
	for _, name := range flags.sends() {
		for _, v := range o.given(name) {
			o.sent(v)
		}
	}
	for i := 1; i < len(o.c.Argv); i++ {
		if w := o.c.Argv[i]; len(w) > len("--proto") && spells(w, "--proto-default") {
			o.f.unknown(true, dynamicWord, w) // it may be that of files
		}
		if info := o.c.info[i]; !o.c.Static[i] &&
			(strings.HasPrefix(info.prefix, "-") || info.splits) {
			o.f.unknown(true, dynamicWord, o.c.Argv[i])
		}
	}
	if o.a.program == "wget" && slices.ContainsFunc(o.given("execute"), func(v value) bool {
		return !v.known || !dialect.IsPlainWget(v.text)
	}) {
		o.f.unknown(true, listedInFile, "")
		o.f.mayWriteWords(o.c)
	}
	if setInLine(o.f.s, "WGETRC", "SYSTEM_WGETRC", "CURL_HOME") { // a file with flags
		o.f.unknown(true, listedInFile, "")
	}
	o.addresses(out)
}

// sent adds the files that the value of a flag of curl names.
func (o *operands) sent(v value) {
	if !v.known {
		if sentFile().MatchString(v.info.prefix) {
			o.f.unknown(false, dynamicWord, v.text)
		}
		return
	}
	rest := sentFile().ReplaceAllString(v.text, "")
	if rest == v.text {
		return
	}
	rest, _, _ = strings.Cut(rest, ";") // ;type=text/plain
	for one := range strings.SplitSeq(rest, ",") {
		o.text(strings.Trim(one, `"`), false)
	}
}

// plainValue matches the flags of curl and wget whose values name no file, whatever they are;
// sentText those whose values do only if they begin with @.
var (
	plainValue = lazyregexp.New(`^(-[sSfkLvigGNO]*[AeuXUm]|--(user|user-agent|referer|request|` +
		`max-time|oauth2-bearer|proxy-user|data-raw|form-string|tries|timeout))$`)
	sentText = lazyregexp.New(`^(-[sSfkLvigGNO]*[Hd]|--(header|proxy-header|data|data-binary|` +
		`data-ascii|json))$`)
	// an address whose machine, and the folder on it, are known
	anAddress = lazyregexp.New(`^(?i:https?|ftp)://[\w.-]+(:\d+)?/`)
)

// isSent reports whether word i of curl or wget, of which only the beginning is known, is no file,
// but an address, or a text that they send.
func isSent(c *Command, a *args, i int) bool {
	begins := c.info[i].prefix
	switch {
	case a.program != "curl" && a.program != "wget" || c.info[i].splits:
		return false
	case plainValue().MatchString(c.Argv[i-1]):
		return true
	case sentText().MatchString(c.Argv[i-1]):
		return begins != "" && begins[0] != '@'
	}
	return anAddress().MatchString(begins) && (servedFolder(begins) != "" ||
		!thisMachine().MatchString(begins+"x"))
}

// servedFolder returns a folder that has what an address of this machine names, of which only the
// beginning is known; "" = it is the folder of the server, or the address is another one.
func servedFolder(begins string) string {
	served := thisMachine().FindStringSubmatch(begins)
	if served == nil || strings.ContainsAny(served[1], "%{}[]\\") ||
		strings.Contains(served[1], "..") {
		return ""
	}
	at := strings.LastIndexByte(served[1], '/')
	switch {
	case strings.Contains(begins, "?"): // the rest is no part of the path
		return served[1]
	case at > 0: // the rest may lead out of this folder
		return "."
	}
	return ""
}

// addTree adds the folder below which wget writes the pages that it finds in others.
func addTree(o *operands, folders []value) {
	if !anyOf([]string{"recursive", "mirror", "page-requisites"},
		func(flag string) bool { return o.a.has(o.c, flag) == yes }) {
		return
	}
	if len(folders) == 0 {
		o.f.addPath(o.c.in, Path{Name: ".", Writes: true, Below: true})
	}
	for _, dir := range folders {
		if !dir.known {
			o.f.unknown(true, dynamicWord, dir.text)
		}
		o.f.addPath(o.c.in, Path{Name: dir.info.home(dir.text), Writes: true, Below: true})
	}
}

// addresses adds the files that curl and wget name after the address, and those that an address
// names. out reports that a flag names the output.
func (o *operands) addresses(out bool) {
	named := o.a.program == "curl" && (o.a.has(o.c, "remote-name") == yes ||
		o.a.has(o.c, "remote-name-all") == yes) || o.a.program == "wget" && !out
	folders := append(o.given("output-dir"), o.given("directory-prefix")...)
	if named {
		for _, flag := range []string{"remote-header-name", "content-disposition",
			"trust-server-names", "input-file"} {
			if o.a.has(o.c, flag) == yes { // the server or a file names them
				o.f.unknown(true, ownNames, "")
			}
		}
		addTree(o, folders)
	}
	for _, v := range o.given("url") {
		if !v.known {
			o.f.unknown(true, dynamicWord, v.text)
		}
		localFile(o, v.text)
		if named {
			o.f.unknownWrites(ownNames, v.text)
		}
	}
	for _, i := range o.all {
		address := o.c.Argv[i]
		if begins := strings.ToLower(o.c.info[i].prefix); o.c.may(i) == nil &&
			(strings.HasPrefix(begins, "file:") ||
				begins != "" && strings.HasPrefix("file:", begins)) {
			o.f.unknown(true, dynamicWord, address)
		}
		for _, one := range append(o.c.may(i), o.c.info[i].shapes...) {
			localFile(o, one)
		}
		if dir := servedFolder(o.c.info[i].prefix); o.c.may(i) == nil && dir != "" {
			o.f.addMaybe(o.c.in, Maybe{Name: dir, By: o.c.Name, Below: true, Word: true})
		}
		if !named {
			continue
		}
		address, _, _ = strings.Cut(address, "?")
		name := path.Base(address)
		if !o.c.Static[i] || name == "." {
			o.f.unknown(true, dynamicWord, address)
			continue
		}
		if len(folders) == 0 {
			o.text(name, true)
		}
		for _, dir := range folders {
			o.value(value{dir.text + "/" + name, dir.known, dir.info}, true)
		}
	}
}

// thisMachine matches an address that this machine may have, and the path in it: a name that always
// means it, or a number in any spelling.
var thisMachine = lazyregexp.New(`(?i)^(?:https?://|ftp://)?(?:[^/@]*@)?` +
	`(?:(?:[\w-]+\.)*(?:localhost|localhost6?\.localdomain6?)\.?|ip6-(?:localhost|loopback)|` +
	`(?:0x[0-9a-f]+|[0-9]+)(?:\.(?:0x[0-9a-f]+|[0-9]+)){0,3}\.?|\[[0-9a-z:.%]+\]|[\x00\x01])` +
	`(?::[0-9]*)?/+([^?#]+)`)

// servers are programs that send the files of a folder: alone, or with one of these words.
var servers = map[string]string{"python": "http.server SimpleHTTPServer", "php": "-S",
	"httpd": "", "ruby": "-run", "serve": "", "http-server": "", "live-server": "",
	"darkhttpd": "", "webfsd": "", "thttpd": "", "miniserve": "", "static-web-server": "",
	"caddy": "file-server", "twistd": "web", "lighttpd": ""}

// connecting are programs that talk to servers in words that are not looked at.
var connecting = setOf("nc ncat netcat telnet socat lynx w3m links elinks aria2c http xh httpie")

// serves reports whether the line starts a server of files.
func serves(s *Script) bool {
	return anyCommand(s, func(c Command) bool {
		with, ok := servers[strings.TrimRight(c.Name, "0123456789.")]
		return ok && (with == "" || anyOf(c.Argv, func(w string) bool {
			return contains(strings.Fields(with), w) ||
				with[0] == '-' && strings.HasPrefix(w, with)
		}))
	})
}

// asksServers adds a doubt if the line starts a server of files and talks to it in a way in which
// it is not known what it asks for.
func (f *finder) asksServers() {
	if !serves(f.s) {
		return
	}
	for i := range f.s.Commands {
		c := &f.s.Commands[i]
		if connecting()[c.Name] || (c.Name == "curl" || c.Name == "wget") && !asksPlainly(c) {
			f.doubt(Doubt{Cause: dynamicWord, Word: c.Text, By: c.Name, Reads: true})
		}
	}
	for i := range f.s.Redirects {
		if r := &f.s.Redirects[i]; strings.Contains(r.Text, "/dev/tcp/") {
			f.doubt(Doubt{Cause: dynamicWord, Word: r.Text, By: redirection, Reads: true})
		}
	}
}

// asksPlainly reports whether the addresses of curl or wget name a file of a server of this machine
// as it is.
func asksPlainly(c *Command) bool {
	for i, w := range c.Argv {
		served := thisMachine().FindStringSubmatch(w)
		if !c.Static[i] || anyOf([]string{"-x", "--proxy", "--preproxy", "--socks",
			"--resolve", "--connect-to", "--request-t", "-r", "--recursive", "-K", "-i", "-m"},
			func(flag string) bool { return spells(w, flag) }) ||
			served != nil && strings.ContainsAny(served[1], "%{}[]\\") ||
			served == nil && i > 0 && strings.ContainsAny(w, ":/") && w[0] != '-' &&
				strings.Contains(w, "/") && c.Argv[i-1] != "-o" && c.Argv[i-1] != "-O" {
			return false
		}
	}
	return true
}

// localFile adds the file that an address names, which curl reads, or writes if it uploads one. A
// server on this machine may send the files of the folder.
func localFile(o *operands, address string) {
	if served := thisMachine().FindStringSubmatch(address); served != nil {
		name, err := url.PathUnescape(served[1])
		if err != nil {
			name = served[1]
		}
		o.f.addShapes(o.c.in, []string{strings.TrimRight(name, "/")}, Maybe{By: o.c.Name}, true)
	}
	scheme, file, ok := strings.Cut(address, ":")
	if !ok || !strings.EqualFold(scheme, "file") {
		return
	}
	writes := o.a.has(o.c, "upload-file") != no
	if strings.ContainsAny(file, "{[%") { // curl reads them as patterns, or as other letters
		o.f.unknown(writes, matched, address)
	}
	if rest, here := strings.CutPrefix(file, "//"); here { // file://localhost/x
		if host, rest, ok := strings.Cut(rest, "/"); ok && host != "" {
			o.text("/"+strings.TrimLeft(rest, "/"), writes)
		}
	}
	o.text("/"+strings.TrimLeft(file, "/"), writes)
}
