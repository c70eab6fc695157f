// Package llm makes model providers of servers: bytes on the wire become replies with text and tool
// calls. It speaks three APIs, OpenAI's chat completions and responses and Anthropic's messages,
// with net/http and encoding/json; so it does with every server that is compatible with one of
// them. The module in the folder oracle holds it against the official SDKs.
//
//	providers, warnings := llm.Providers(llm.Options{Config: settings, Env: os.Getenv})
//
// A provider fails with a *engine.FailError where something can be made of it: it tells what
// status, whether to try again and when, and that a conversation is too long. Its message names the
// setting that is wrong. No key is ever part of a message.
package llm
