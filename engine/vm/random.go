package vm

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/big"

	cryptorand "crypto/rand"
	"math/rand/v2"
	"sync"
)

// Random makes all that is random in scripts, from bytes that it reads.
type Random struct {
	// Reader gives random bytes and never fails. It is safe for concurrent use.
	Reader io.Reader
}

// SystemRandom returns the system's cryptographically random bytes.
func SystemRandom() Random { return Random{Reader: cryptorand.Reader} }

// FixedRandom returns a reader for Random that gives the same bytes in every run of the program. It
// is for tests.
func FixedRandom() io.Reader { return &fixedRandom{source: rand.NewChaCha8([32]byte{})} }

type fixedRandom struct {
	mu     sync.Mutex
	source *rand.ChaCha8
}

// Read implements io.Reader.
func (r *fixedRandom) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(b)
}

// Fill fills b with random bytes.
func (r Random) Fill(b []byte) { _, _ = io.ReadFull(r.Reader, b) }

// UUID returns a random UUID, version 4.
func (r Random) UUID() string {
	var b [16]byte
	r.Fill(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Between returns a whole number from low to high, which must not be less than low.
func (r Random) Between(low, high int64) (int64, error) {
	n, err := cryptorand.Int(r.Reader, big.NewInt(high-low+1))
	if err != nil {
		return 0, err
	}
	return low + n.Int64(), nil
}

// Numbers returns a generator that is fast and can be predicted, from a random seed: for
// Math.random and math.random.
func (r Random) Numbers() *rand.Rand {
	var seed [16]byte
	r.Fill(seed[:])
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(seed[:8]),
		binary.LittleEndian.Uint64(seed[8:])))
}
