// This file lets somebody else stand in for what lies outside of the program: in tests of scripts,
// nothing reaches it.

package host

import (
	"net/http"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// Outside stands in for programs and servers. What a script asks for has been checked and granted
// when its functions are called; name is what errors call the function of the script, such as
// ext.exec.
type Outside struct {
	Run  func(c *engine.HostCall, name string) (Ran, error)
	Send func(c *engine.HostCall, name string, req *http.Request) (*http.Response, error)
}

// Ran is what a program came to.
type Ran struct {
	Code           int
	Stdout, Stderr string
	TimedOut       bool
}

// standIn is what a program comes to that is stood in for.
func (x *programs) standIn(c *engine.HostCall, name string, onLine engine.Func) (any, error) {
	ran, err := x.outside.Run(c, name)
	if err != nil {
		return nil, err
	}
	out := newOutput(false)
	for i, text := range []string{ran.Stdout, ran.Stderr} {
		out.addOutput(text, i == 1)
		if onLine == nil {
			continue
		}
		for line := range strings.Lines(text) {
			if _, err := onLine.Call(c.Run, strings.TrimRight(line, "\r\n"),
				streamNames[i]); err != nil {
				return nil, err
			}
		}
	}
	return out.result(ran.Code, ran.TimedOut), nil
}
