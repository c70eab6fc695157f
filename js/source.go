package js

type sourceError struct {
	msg, hint    string
	line, column int
}

func (e *sourceError) Error() string { return e.msg }

func checkSource(src []byte) error { return nil }

func identifierByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
