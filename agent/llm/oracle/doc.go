// Package oracle compares agent/llm, which implements the APIs of model servers itself, with the
// official SDKs of OpenAI and Anthropic. It is a separate module, so that the program does not
// depend on them.
//
// Both read streams, recorded from llmtest and generated, which must mean the same. Requests are
// decoded into the SDKs' types and encoded again, and must not lose or change a field.
package oracle
