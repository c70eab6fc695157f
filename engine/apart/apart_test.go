package apart

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
)

func TestRun(t *testing.T) {
	wrong := errors.New("wrong")
	for name, x := range map[string]struct {
		f    func() (int, error)
		want int
		text string
	}{
		"returns": {func() (int, error) { return 3, nil }, 3, ""},
		"fails":   {func() (int, error) { return 4, wrong }, 4, "wrong"},
		"panics":  {func() (int, error) { panic("no") }, 0, "internal error: no"},
		"exits": {func() (int, error) { runtime.Goexit(); return 0, nil }, 0,
			"the function ended its goroutine"},
	} {
		got, err := Run(context.Background(), x.f)
		if got != x.want || (err == nil) != (x.text == "") || err != nil && err.Error() != x.text {
			t.Errorf("%s: got %d, %v", name, got, err)
		}
	}
	var p *PanicError
	if _, err := Run(t.Context(), func() (int, error) { panic(wrong) }); !errors.As(err, &p) ||
		p.Value != wrong {
		t.Errorf("got %v", err)
	}
}

// TestLeftBehind: Run returns the cause when ctx ends.
func TestLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(context.Background())
		why, release := errors.New("skipped"), make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			got, err := Run(ctx, func() (string, error) {
				<-release
				return "late", nil
			})
			if got != "" || err != why {
				t.Errorf("got %q, %v", got, err)
			}
		}()
		synctest.Wait()
		cancel(why)
		<-ended
		close(release) // otherwise the test would hang
	})
}

func TestCall(t *testing.T) {
	if err := Call(func() error { return nil }); err != nil {
		t.Error(err)
	}
	if err := Call(func() error { panic(7) }); err == nil || err.Error() != "internal error: 7" {
		t.Error(err)
	}
}

func TestCatch(t *testing.T) {
	if p := Catch(func() {}); p != nil {
		t.Errorf("got %v", p)
	}
	thrown := errors.New("thrown")
	if p := Catch(func() { panic(thrown) }); p == nil || p.Value != thrown || p.Stack != "" {
		t.Errorf("got %+v", p)
	}
	var list []int
	p := Catch(func() { list[len(list)]++ })
	if p == nil || !strings.Contains(p.Stack, "TestCatch") {
		t.Errorf("a runtime error has no stack: %+v", p)
	}
	if p := Catch(func() { panic("a mistake") }); p == nil || p.Stack == "" {
		t.Errorf("a panic with a text has no stack: %+v", p)
	}
}

func TestRecover(t *testing.T) {
	call := func(f func() error) (err error) {
		defer Recover(&err)
		return f()
	}
	wrong := errors.New("wrong")
	if err := call(func() error { return wrong }); err != wrong {
		t.Errorf("got %v", err)
	}
	var p *PanicError
	if err := call(func() error { panic(wrong) }); !errors.As(err, &p) || p.Value != wrong {
		t.Errorf("got %v", err)
	}
}
