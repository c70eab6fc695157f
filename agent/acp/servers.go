package acp

import (
	"fmt"

	protocol "github.com/coder/acp-go-sdk"

	"github.com/agentscripts/agent/agent/config"
)

// servers converts the editor's MCP servers to the form of the user's settings. left lists those
// that cannot be started, and why.
func servers(list []protocol.McpServer) (out []config.MCPServer, left []string) {
	for i, m := range list {
		switch {
		case m.Stdio != nil && (m.Stdio.Name == "" || m.Stdio.Command == ""):
			left = append(left,
				fmt.Sprintf("mcpServers[%d] %s: left out: want a name, and a command or a url", i,
					m.Stdio.Name))
		case m.Http != nil && (m.Http.Name == "" || m.Http.Url == ""):
			left = append(left, fmt.Sprintf("mcpServers[%d] %s: left out: want a name and a url", i,
				m.Http.Name))
		case m.Stdio != nil:
			s := config.NewMCPServer(m.Stdio.Name)
			s.Command, s.Args, s.Env = m.Stdio.Command, m.Stdio.Args, map[string]string{}
			for _, v := range m.Stdio.Env {
				s.Env[v.Name] = v.Value
			}
			out = append(out, s)
		case m.Http != nil:
			s := config.NewMCPServer(m.Http.Name)
			s.URL, s.Headers = m.Http.Url, map[string]string{}
			for _, h := range m.Http.Headers {
				s.Headers[h.Name] = h.Value
			}
			out = append(out, s)
		case m.Sse != nil:
			left = append(left,
				fmt.Sprintf("mcpServers[%d] %s: left out: SSE is not supported, only HTTP, and "+
					"standard input and output", i, m.Sse.Name))
		default:
			left = append(left,
				fmt.Sprintf("mcpServers[%d]: left out: only HTTP, and standard input and output, "+
					"are supported", i))
		}
	}
	return out, left
}
