// Package llm makes providers for model servers: it converts bytes on the wire to replies with text
// and tool calls. It implements three APIs, OpenAI's chat completions and responses and Anthropic's
// messages, with net/http and encoding/json, and so supports every server that is compatible with
// one of them. The module in the folder oracle compares it with the official SDKs.
//
//	providers, warnings := llm.Providers(llm.Options{Config: settings, Env: os.Getenv})
//
// A provider fails with a *fault.FailError if the failure is understood: it holds the status,
// whether and when to try again, and whether the conversation is too long. Its message names the
// wrong setting. No message contains a key.
package llm
