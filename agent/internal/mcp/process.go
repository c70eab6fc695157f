// This file starts the process of a server.

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agentscripts/agent/engine"
	"github.com/agentscripts/agent/engine/process"
	"github.com/agentscripts/agent/engine/stdio"
)

// startProcess starts the server's process.
func (s *server) startProcess() (*stdio.Program, error) {
	env, err := s.environment()
	if err != nil {
		return nil, permanent{err}
	}
	cmd := stdio.Command{Path: s.cfg.Command, Args: s.cfg.Args, Dir: s.m.o.Dir, Env: env,
		Family: s.m.o.Family}
	if filepath.IsAbs(s.cfg.CWD) {
		cmd.Dir = s.cfg.CWD
	} else if s.cfg.CWD != "" {
		cmd.Dir = filepath.Join(s.m.o.Dir, s.cfg.CWD)
	}
	if st, err := os.Stat(cmd.Dir); err != nil || !st.IsDir() {
		return nil, permanent{fmt.Errorf("cwd: %s is no directory", cmd.Dir)}
	}
	if !s.cfg.Unconfined {
		cmd.Confine = s.m.o.Fence.Confine
	}
	p, err := stdio.Start(cmd)
	if err != nil {
		return nil, permanent{err}
	}
	return p, nil
}

// environment returns the environment of the server.
func (s *server) environment() ([]string, error) {
	env := stdio.Environment(s.m.o.LookupEnv)
	for _, name := range s.cfg.EnvFrom {
		v, ok := s.m.o.LookupEnv(name)
		if !ok {
			return nil, fmt.Errorf("env_from: %s is not set in the environment of the agent", name)
		}
		env = append(env, name+"="+v)
	}
	for _, name := range slices.Sorted(maps.Keys(s.cfg.Env)) {
		env = append(env, name+"="+s.cfg.Env[name])
	}
	return env, nil
}

// tellLeft tells the call of a tool that has ended what the server goes on running for it.
func tellLeft(p *stdio.Program, use *engine.Use) {
	p.Left(func(list []process.Relative) (ended func()) {
		return use.Leaves(process.Names(list))
	})
}

// errGone is the error of a connection that has ended for an unknown reason.
var errGone = errors.New("the server has closed the connection")

// lost reports whether err only says that the other end is gone.
func lost(err error) bool {
	return slices.ContainsFunc([]error{errGone, io.EOF, io.ErrUnexpectedEOF, os.ErrClosed,
		io.ErrClosedPipe, syscall.EPIPE, sdk.ErrConnectionClosed},
		func(e error) bool { return errors.Is(err, e) })
}

func isMessage(l []byte) bool {
	l = bytes.TrimSpace(l)
	return len(l) > 0 && (l[0] == '{' || l[0] == '[') && bytes.Contains(l, []byte(`"jsonrpc"`)) &&
		json.Valid(l)
}
