// Package llm makes model providers of servers: bytes on the wire become replies with text and tool calls. Anthropic and OpenAI are spoken to with
// their official SDKs; so is every server that is compatible with one of them.
//
//	providers, warnings := llm.Providers(llm.Options{Config: settings, Env: os.Getenv})
//
// A provider fails with a *engine.FailError where something can be made of it: it tells what status, whether to try again and when,
// and that a conversation is too long. Its message names the setting that is wrong. No key is ever part of a message.
package llm
