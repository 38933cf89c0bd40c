package flowercatalog

import "net/http"

// array writes flowers as a JSON array, about 16 KiB at a time. Without w it keeps them all.
type array struct {
	w      http.ResponseWriter
	json   []byte
	sent   bool // something was written to w
	failed bool // the last write failed
}

const arrayBuffer = 16 << 10

// add adds a flower.
func (a *array) add(f Flower) error {
	separator := byte(',')
	if len(a.json) == 0 && !a.sent {
		separator = '['
	}
	a.json = appendFlower(append(a.json, separator), f)
	if a.w != nil && len(a.json) >= arrayBuffer {
		return a.flush()
	}
	return nil
}

// close adds the closing bracket.
func (a *array) close() {
	if len(a.json) == 0 && !a.sent {
		a.json = append(a.json, '[')
	}
	a.json = append(a.json, ']')
}

// flush writes what was not sent.
func (a *array) flush() error {
	if len(a.json) == 0 {
		return nil
	}
	if !a.sent {
		a.w.WriteHeader(http.StatusOK) // the writer may hold another status, as gin's does in NoRoute
	}
	_, err := a.w.Write(a.json)
	a.json, a.sent, a.failed = a.json[:0], true, err != nil
	return err
}
