// This file lets tests of scripts replace programs and servers, so that they reach none.

package host

import (
	"net/http"
	"strings"

	"github.com/agentscripts/agent/engine"
)

// Outside replaces programs and servers. Arguments and grants have been checked when its functions
// are called; name is the function of the script for errors, such as ext.exec.
type Outside struct {
	Run  func(c *engine.HostCall, name string) (Ran, error)
	Send func(c *engine.HostCall, name string, req *http.Request) (*http.Response, error)
}

// Ran is the result of a program.
type Ran struct {
	Code           int
	Stdout, Stderr string
	TimedOut       bool
}

// standIn returns the result of a replaced program.
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
