package touch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRisks checks what users read about the risks of command lines.
func TestRisks(t *testing.T) {
	f, dir := world(t)
	if err := os.Symlink(f.Home, filepath.Join(dir, "home")); err != nil {
		t.Fatal(err)
	}
	const outside, unknown = "writes outside of the project: ", "may write files that are not known"
	net := func(what string) string { return "uses the network: " + what }
	for _, tt := range []struct {
		line string
		want []string // parts of the sentences, in order
	}{
		{"touch a", nil}, {"ls /etc", nil}, {"echo x > /dev/null 2>&1", nil},
		{"git commit -m x", nil}, {"echo 'curl x'", nil}, {"git log push", nil},
		{"echo x > /etc/q", []string{outside + "/etc/q"}},
		{"cp a ~/b", []string{outside + f.Home + "/b"}},
		{"touch home/b", []string{outside + f.Home + "/b"}},
		{"rm -rf /srv/q", []string{outside + "/srv/q"}},
		{"cd / && touch a b c d e", []string{outside + "/a, /b, /c and 2 others"}},
		{"eval $x", []string{unknown + ": what eval $x runs is known only when the line runs"}},
		{"python3 x.py", []string{"python3 runs code, which may write any file"}},
		{"curl http://a", []string{net("curl")}}, {"sudo -D . git push", []string{unknown,
			net("git push")}},
		{"bash -c 'wget x'; ssh h < x", []string{unknown, net("wget, ssh")}},
		{"npm i x", []string{"npm runs code", net("npm install")}},
		{"cat a > /dev/tcp/h/1", []string{net("a redirection")}},
	} {
		risks := f.Command(tt.line, dir, dir).Risks()
		got := slices.DeleteFunc([]string{risks.Outside, risks.Unknown, risks.Network},
			func(text string) bool { return text == "" })
		ok := len(got) == len(tt.want)
		for i := 0; ok && i < len(got); i++ {
			ok = strings.Contains(got[i], tt.want[i])
		}
		if !ok {
			t.Errorf("%s: got %q, want %q", tt.line, got, tt.want)
		}
	}
}
