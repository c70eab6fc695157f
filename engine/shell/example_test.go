package shell_test

import (
	"fmt"

	"github.com/agentscripts/agent/engine/shell"
)

func Example() {
	s := shell.Parse(`f=.env; sudo cat $f > "$OUT"`)
	v := s.Check(&shell.Rules{Deny: []shell.Rule{{Cmd: []string{"sudo"}, Reason: "no sudo"}}})
	fmt.Println(v.Decision, v.Reason)
	p := s.Paths()
	for _, one := range p.All {
		fmt.Println(one.By, one.Name, one.Word, one.Writes)
	}
	for _, d := range p.Doubts {
		fmt.Println(d)
	}
	// Output:
	// deny no sudo
	// cat .env $f false
	// the word "$OUT" of a redirection is known only when the line runs
}

func ExampleParseIn() {
	env := shell.NewEnvironment([]string{"HOME=/home/a", "CONF=.env"})
	s := shell.ParseIn(`cat "$CONF"; git ls-files | xargs head`,
		shell.Context{Environment: env, Dir: "/home/a/p"})
	p := s.Paths()
	for _, one := range p.All {
		fmt.Println(one.By, one.Name, one.Below, one.Tracked)
	}
	fmt.Println(len(p.Doubts))
	// Output:
	// cat .env false false
	// head . true true
	// 0
}
