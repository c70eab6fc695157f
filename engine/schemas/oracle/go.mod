module example.com/schemas-oracle

go 1.26.0

require (
	github.com/agentscripts/agent v0.0.0
	github.com/google/jsonschema-go v0.4.3
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require (
	github.com/dlclark/regexp2/v2 v2.5.2 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace github.com/agentscripts/agent => ../../..
