// Package oracle compares agent/llm, which implements the APIs of model servers itself, with the
// official SDKs of OpenAI and Anthropic. It is a separate module, so that the program is built
// without them.
//
// Both decode the same streams, recorded from llmtest and generated, which must mean the same;
// requests are decoded into the SDKs' types and encoded again, which must not lose or change a
// field.
package oracle
