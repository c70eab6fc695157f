package queue

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
)

func TestQueueKeepsTheOrder(t *testing.T) {
	t.Parallel()
	var q Queue
	var got []int // the queue runs one after the other
	for i := range 100 {
		if ok, first := q.Add(func(*Work) { got = append(got, i) }); !ok || first {
			t.Fatalf("%d: ok %v, first %v", i, ok, first)
		}
	}
	<-q.Done()
	if len(got) != 100 || !slices.IsSorted(got) {
		t.Errorf("got %v", got)
	}
	if !q.IsHeard() {
		t.Error("what is done is not heard")
	}
}

func TestFullQueueLosesWorkAndSaysItOnce(t *testing.T) {
	t.Parallel()
	var q Queue
	free, started := make(chan struct{}), make(chan struct{})
	q.Add(func(*Work) { close(started); <-free })
	<-started
	for range Most {
		if ok, _ := q.Add(func(*Work) {}); !ok {
			t.Fatal("lost before it was full")
		}
	}
	var said []string
	for range 3 {
		ok, first := q.Add(func(*Work) { t.Error("lost work is done") })
		said = append(said, fmt.Sprint(ok, first))
	}
	if want := []string{"false true", "false false", "false false"}; !slices.Equal(said, want) {
		t.Errorf("got %v, want %v", said, want)
	}
	close(free)
	<-q.Done()
	ran := false
	if ok, _ := q.Add(func(*Work) { ran = true }); !ok {
		t.Error("it is full still")
	}
	if <-q.Done(); !ran {
		t.Error("it does nothing any more")
	}
}

func TestDoneWaitsForWhatWasBefore(t *testing.T) {
	t.Parallel()
	var q Queue
	free := make(chan struct{})
	q.Add(func(*Work) { <-free })
	done := q.Done()
	var behind sync.WaitGroup
	behind.Add(1)
	q.Add(func(*Work) { behind.Done() })
	select {
	case <-done:
		t.Fatal("done before the work was")
	default:
	}
	if !q.CatchUp(context.Background(), nil, 0) {
		t.Error("without a turn there is nothing to wait for")
	}
	close(free)
	<-done
	behind.Wait()
}
