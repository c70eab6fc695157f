// Package oracle holds agent/llm, which speaks the APIs of model servers by itself, against the
// official SDKs of OpenAI and Anthropic. It is a module of its own: the program is built without
// them.
//
// Streams, recorded from llmtest and generated, are read by both and must mean the same; requests
// are read into the SDKs' types and written again, and must not lose or change a field.
package oracle
