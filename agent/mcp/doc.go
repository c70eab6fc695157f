// Package mcp puts the tools of MCP servers (modelcontextprotocol.io) on the road that every tool
// call takes.
//
//	m := mcp.Start(ctx, mcp.Options{Engine: e, Servers: settings.MCP, Dir: project, Notify: tell})
//	defer m.Close()
//	m.Wait(ctx) // not needed: tools come into force as their servers connect
//
// Each server is a plugin of the engine: its tools come, change and go in one step. Whatever a
// server does, be it that it dies, hangs, floods or lies, comes out as the error of a call or as a
// notice, in bounded time and memory.
//
// It offers servers the project as their root, and neither sampling nor elicitation. It reads no
// resources and prompts, and does not tell the model what a server's instructions say. A server
// that is started is no prisoner: it can do what the user can.
package mcp
