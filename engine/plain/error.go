// This file rewords the errors of Go's libraries for people.

package plain

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
)

// Error returns the text of err with the messages of Go's libraries reworded for people: without
// names of system calls, packages and Go types. The program's own text around them stays. It is ""
// for nil.
func Error(err error) string {
	if err == nil {
		return ""
	}
	return replaced(err.Error(), err)
}

// Wrap returns an error with the text of Error(err), for which errors.Is and errors.As find err. It
// is nil for nil.
func Wrap(err error) error {
	if err == nil {
		return nil
	}
	return &wrapped{Error(err), err}
}

// Cause returns the cause of a file error, without the operation and the name, for messages that
// already have these. Other errors are returned as they are.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Reword returns an error with the given text, for which errors.Is and errors.As find err.
func Reword(text string, err error) error { return &wrapped{text, err} }

// Ending returns the message of a decoder, with "end of the text" instead of EOF.
func Ending(said string) string {
	return strings.ReplaceAll(said, "unexpected EOF", "the text ends too early")
}

type wrapped struct {
	text string
	err  error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.err }

// replaced returns text with the messages of library errors in err's tree reworded.
func replaced(text string, err error) string {
	if _, done := err.(*wrapped); done {
		return text
	}
	if say, ok := words(err); ok {
		return strings.ReplaceAll(text, err.Error(), say)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return replaced(text, inner)
		}
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			text = replaced(text, inner)
		}
	}
	return text
}

// words returns the reworded message of a library error; ok is false for others.
func words(err error) (say string, ok bool) {
	switch err {
	case context.Canceled:
		return "cancelled", true
	case context.DeadlineExceeded, os.ErrDeadlineExceeded:
		return noAnswer, true
	case io.EOF, io.ErrUnexpectedEOF:
		return "it ended too early", true
	case net.ErrClosed, io.ErrClosedPipe, os.ErrClosed:
		return closed, true
	case exec.ErrNotFound:
		return "no such program in PATH", true
	}
	switch e := err.(type) {
	case *fs.PathError:
		return e.Path + ": " + Error(e.Err), true
	case *os.LinkError:
		return e.New + ": " + Error(e.Err), true
	case *os.SyscallError:
		return Error(e.Err), true
	case *exec.Error:
		return e.Name + ": " + Error(e.Err), true
	case *exec.ExitError:
		return Ended(e.ProcessState), true
	case *strconv.NumError:
		if e.Err == strconv.ErrRange {
			return fmt.Sprintf("%q is too large or too small", e.Num), true
		}
		return fmt.Sprintf("%q is not a number", e.Num), true
	}
	if say, ok := encoding(err); ok {
		return say, true
	}
	return network(err)
}

const (
	noAnswer = "no answer in time"
	closed   = "the connection was closed"
)

// network rewords an error of a connection.
func network(err error) (say string, ok bool) {
	switch e := err.(type) {
	case *url.Error:
		return request(e), true
	case *net.DNSError:
		switch {
		case e.IsNotFound:
			return "there is no host " + strconv.Quote(e.Name), true
		case e.IsTimeout:
			return "looking up the host " + strconv.Quote(e.Name) + ": " + noAnswer, true
		}
		return "the host " + strconv.Quote(e.Name) + " cannot be looked up", true
	case *net.OpError:
		return operation(e), true
	case *net.AddrError:
		return strconv.Quote(e.Addr) + " is no address: " + e.Err, true
	case *tls.CertificateVerificationError:
		return "the server's certificate is not valid: " + strings.TrimPrefix(e.Err.Error(),
			"x509: "), true
	case tls.RecordHeaderError:
		return "the server does not speak TLS: is it http, not https?", true
	}
	return foreign(err)
}

// request rewords the error of a failed request, without its method and address.
func request(e *url.Error) string {
	switch {
	case e.Op == "parse":
		return fmt.Sprintf("%q is no address: %s", e.URL, Error(e.Err))
	case errors.Is(e.Err, context.Canceled):
		return "cancelled"
	case errors.Is(e.Err, io.EOF), errors.Is(e.Err, io.ErrUnexpectedEOF):
		return closed + " before an answer came"
	}
	return Error(e.Err)
}

// operation rewords a system error for a connection.
func operation(e *net.OpError) string {
	var dns *net.DNSError
	why := Error(e.Err)
	switch {
	case e.Op == "dial" && errors.As(e.Err, &dns):
		return why
	case e.Timeout():
		why = noAnswer
	}
	switch {
	case e.Op == "dial" && e.Addr != nil:
		return "cannot connect to " + e.Addr.String() + ": " + why
	case e.Op == "dial":
		return "cannot connect: " + why
	case e.Op == "listen" && e.Addr != nil:
		return "cannot listen at " + e.Addr.String() + ": " + why
	}
	return "the connection failed: " + why
}

// foreign rewords an error of net/http: most of their types are not exported.
func foreign(err error) (say string, ok bool) {
	t := reflect.TypeOf(err)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	text := err.Error()
	if t.PkgPath() != "net/http" && !strings.HasPrefix(text, "net/http: ") &&
		!strings.HasPrefix(text, "http: ") {
		return "", false
	}
	var timeout interface{ Timeout() bool }
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return noAnswer, true
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return "the server speaks http, not https", true
	case strings.Contains(text, "malformed HTTP"):
		return "the server does not speak http", true
	case strings.Contains(text, "request canceled"):
		return "cancelled", true
	case strings.Contains(text, "server closed idle connection"),
		strings.Contains(text, "use of closed"):
		return closed, true
	}
	if inner := errors.Unwrap(err); inner != nil {
		text = replaced(text, inner)
	}
	return strings.TrimPrefix(strings.TrimPrefix(text, "net/"), "http: "), true
}

// Ended describes how a process ended.
func Ended(s *os.ProcessState) string {
	switch {
	case s == nil:
		return "it failed"
	case s.Exited():
		return fmt.Sprintf("it ended with exit code %d", s.ExitCode())
	}
	return "it was ended by a " + s.String()
}
