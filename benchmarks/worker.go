package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
)

// A worker is a process that takes the samples of one layout. Its tasks and reports are lines of
// JSON.
type worker struct{ *process }

// A task is to build another benchmark, or to take a round of the current one.
type task struct {
	Benchmark string        `json:",omitempty"`
	Turn      time.Duration `json:",omitempty"` // how long a turn is
	Round     int           `json:",omitempty"`
}

// A report is the result of a task.
type report struct {
	Error   string            `json:",omitempty"`
	Built   *description      `json:",omitempty"`
	Samples map[string]sample `json:",omitempty"`
}

// A description is the text of a benchmark in the tables.
type description struct {
	About     string
	Reference string
	Names     []string // of the contestants
	Absent    []absence
	Builds    []build
	Servers   bool // each contestant is a separate process
}

func (w worker) do(t task) (report, error) {
	line, err := json.Marshal(t)
	if err != nil {
		return report{}, err
	}
	text, err := w.tell(string(line))
	if err != nil {
		return report{}, err
	}
	var r report
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return report{}, fmt.Errorf("a worker has sent %.200q: %w", text, err)
	}
	if r.Error != "" {
		return report{}, errors.New(r.Error)
	}
	return r, nil
}

// measureOnCommand runs a worker's tasks.
func measureOnCommand(kind string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := stage{suite: newSuite(kind == "short")}
	defer s.clear()
	fmt.Println("ready")
	encoder := json.NewEncoder(os.Stdout)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var t task
		err := json.Unmarshal(lines.Bytes(), &t)
		var r report
		if err == nil {
			r, err = s.do(ctx, t)
		}
		if err != nil {
			r = report{Error: err.Error()}
		}
		if err := encoder.Encode(r); err != nil {
			return err
		}
	}
	return nil
}

// A stage holds the benchmark that is being measured.
type stage struct {
	suite     suite
	benchmark *benchmark
	turns     []turn
}

func (s *stage) do(ctx context.Context, t task) (r report, err error) {
	if t.Benchmark == "" {
		r.Samples, err = takeRound(s.turns, s.benchmark.perPass, t.Round)
		return r, err
	}
	s.clear()
	entries := s.suite.entries()
	i := slices.IndexFunc(entries, func(e entry) bool { return e.name == t.Benchmark })
	if i < 0 {
		return r, fmt.Errorf("there is no benchmark %q", t.Benchmark)
	}
	entries[i].setProcessors()
	if s.benchmark, err = entries[i].build(ctx); err != nil {
		return r, err
	}
	s.benchmark.entrants = slices.DeleteFunc(s.benchmark.entrants, func(c *contestant) bool { return !s.suite.measures(c.name) })
	s.turns, err = prepare(s.benchmark, t.Turn)
	r.Built = s.benchmark.describe()
	return r, err
}

// setProcessors limits benchmarks of one goroutine to one processor. With more, the garbage
// collector also uses idle processors, and the figures of contestants that allocate depend on other
// work of the machine.
func (e entry) setProcessors() {
	if e.once {
		runtime.SetDefaultGOMAXPROCS()
	} else {
		runtime.GOMAXPROCS(1)
	}
}

func (s *stage) clear() {
	if s.benchmark != nil {
		s.benchmark.stop()
	}
	s.benchmark, s.turns = nil, nil
}

func (b *benchmark) describe() *description {
	d := &description{About: b.about, Reference: b.reference, Absent: b.absent, Builds: b.builds}
	for _, c := range b.entrants {
		d.Names, d.Servers = append(d.Names, c.name), c.clock != nil
	}
	return d
}

// merge returns the first description, with the lowest build costs of all layouts, since other work
// on the machine only adds to them.
func merge(descriptions []*description) *description {
	d := descriptions[0]
	for i := range d.Builds {
		for _, other := range descriptions[1:] {
			d.Builds[i].Spent = min(d.Builds[i].Spent, other.Builds[i].Spent)
			d.Builds[i].Bytes = min(d.Builds[i].Bytes, other.Builds[i].Bytes)
		}
	}
	return d
}
