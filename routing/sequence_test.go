package routing_test

// Requests must not affect each other. Random sequences of requests, most of them hostile, are sent
// to one app. Each response must be the same as that of a fresh app.

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.com/flowercafe/routing/internal/response"
)

// observation is everything that can be observed of a response.
type observation struct {
	mu      sync.Mutex // goroutines of middleware may still log
	status  int
	header  http.Header
	body    string
	pattern string   // the name of the route
	ended   string   // how the handler ended, if it did not return
	notes   []string // the reason phrases that were sent, and what was logged
	over    chan struct{}
}

type observationKey struct{}

// note records something for the request of ctx. If ctx has none, as in the misuse of a Context, it
// is ignored.
func note(ctx context.Context, text string) {
	if o, ok := ctx.Value(observationKey{}).(*observation); ok {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.notes = append(o.notes, text)
	}
}

// SendReason makes an observation a response.ReasonSender.
func (o *observation) SendReason(_ context.Context, status int, reason string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, fmt.Sprint("reason ", status, " ", reason))
}

func (o *observation) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return fmt.Sprintf("%d %q\npattern %q, ended %q\nheader %q\nnotes %q", o.status, o.body, o.pattern, o.ended, o.header, o.notes)
}

// noteHandler is a log handler that records errors for their requests, without stacks.
type noteHandler struct{ slog.Handler }

func (noteHandler) Enabled(context.Context, slog.Level) bool { return true }

func (noteHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" || a.Key == "route" {
			note(ctx, a.String())
		}
		return true
	})
	return nil
}

// script is one request and the behaviors of the app's functions for it, by site.
type script struct {
	method, target, contentType, body, override string

	does map[string]string // by site: names of behaviors separated by spaces
}

func (s script) String() string {
	return fmt.Sprintf("%s %s %q %q %q %v", s.method, s.target, s.contentType, s.body, s.override, s.does)
}

// sendTo sends the request in a new goroutine, since it may end the goroutine.
func (s script) sendTo(handler http.Handler, k *keeper) *observation {
	o := &observation{over: make(chan struct{})}
	ctx := response.WithReasonSender(context.WithValue(context.Background(), observationKey{}, o), o)
	r := httptest.NewRequestWithContext(ctx, s.method, s.target, strings.NewReader(s.body))
	if s.body == "" {
		r.Body = http.NoBody
	}
	if s.contentType != "" {
		r.Header.Set("Content-Type", s.contentType)
	}
	if s.override != "" {
		r.Header.Set("X-HTTP-Method-Override", s.override)
	}
	for site, does := range s.does {
		r.Header.Set("X-"+site, does)
	}
	w := httptest.NewRecorder()
	ended := "runtime.Goexit"
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				ended = fmt.Sprint("panic: ", v)
			}
		}()
		handler.ServeHTTP(w, r)
		ended = ""
	}()
	<-done
	close(o.over)
	defer k.overNow(o) // from then on other goroutines misuse its Contexts
	o.mu.Lock()
	defer o.mu.Unlock()
	o.status, o.header, o.body, o.pattern, o.ended = w.Code, w.Result().Header, w.Body.String(), r.Pattern, ended
	return o
}

// randomScripts makes layouts and scripts.
type randomScripts struct{ *rand.Rand }

func (r randomScripts) layout() layout {
	bit := func() bool { return r.IntN(2) == 0 }
	return layout{bit(), bit(), bit(), bit(), bit(), bit(), r.IntN(4) == 0, r.IntN(4) == 0, bit(), r.IntN(3) == 0}
}

var deedNames = func() (names []string) {
	for name := range behaviors {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

func (r randomScripts) oneOf(list ...string) string { return list[r.IntN(len(list))] }

// behaviors returns the names of one or a few behaviors.
func (r randomScripts) behaviors() string {
	chosen := []string{r.oneOf(deedNames...)}
	for r.IntN(3) == 0 {
		chosen = append(chosen, r.oneOf(deedNames...))
	}
	return strings.Join(chosen, " ")
}

func (r randomScripts) script(l layout) script {
	s := script{method: r.oneOf("GET", "GET", "GET", "HEAD", "POST", "POST", "PUT", "PATCH"), does: make(map[string]string)}
	id := r.oneOf("1", "two", "%C3%A9", "a.b")
	s.target = r.oneOf("/x/"+id, "/x/"+id, "/static", "/if/"+id, "/around/"+id, "/timed/"+id, "/handler/"+id,
		"/pass/"+id+"0", "/pass/n1", "/pass/n", "/none", "/none/"+id, "/x/"+id+"/", "//x", "/x/%2f", "/x/"+strings.Repeat("l", 60))
	if r.IntN(40) == 0 {
		s.target = "/slow/" + id
	}
	if r.IntN(4) == 0 {
		s.target = r.oneOf("/in", "/also/in") + s.target
	}
	if l.base && r.IntN(8) > 0 {
		s.target = "/base" + s.target
	}
	s.target += r.oneOf("", "", "?q=1", "?id=query&q=%zz", "?1&2&3&4&5&6&7&8&9")
	switch {
	case s.method == "GET" && r.IntN(8) > 0 || s.method == "HEAD":
	case r.IntN(3) == 0:
		s.contentType, s.body = "application/json", r.oneOf(`{"a":1}`, strings.Repeat("1", 101))
	case r.IntN(3) == 0:
		s.contentType = "multipart/form-data; boundary=b"
		s.body = r.oneOf("--b\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\nv\r\n--b--\r\n", "--b\r\nbroken", strings.Repeat("1", 101))
	default:
		s.contentType = "application/x-www-form-urlencoded"
		s.body = r.oneOf("id=form&f=1", "_method=put&f=2", "_method=delete", "1&2&3&4&5&6&7&8&9", strings.Repeat("1", 101), "")
	}
	if r.IntN(6) == 0 {
		s.override = r.oneOf("PUT", "DELETE", "PATCH")
	}
	if r.IntN(2) == 0 {
		// Half of the requests set little, so that they show what others have left.
		s.does["Action"] = r.oneOf("text", "read", "read text", "tell", "nothing", "halt", "403", r.oneOf(deedNames...))
		s.tame(l)
		return s
	}
	s.does["Action"] = r.behaviors()
	for _, site := range []string{"Before", "Before-X", "After", "After-X", "After-Last", "Error", "NotFound"} {
		if r.IntN(5) == 0 {
			s.does[site] = r.behaviors()
		}
	}
	if r.IntN(2) == 0 {
		s.does["After"] = "tell " + s.does["After"]
	}
	for i := range 4 {
		s.does["Pass-"+strconv.Itoa(i)] = r.oneOf("pass", "textpass", "bytespass", r.behaviors())
	}
	if r.IntN(4) == 0 {
		s.does["Condition"] = r.oneOf("panic", "abort", "goexit", "no")
	}
	if r.IntN(4) == 0 {
		s.does["Next"] = r.oneOf("panic", "abort", "goexit", "late")
	}
	s.tame(l)
	return s
}

// tame removes scripts without a reproducible response. http.TimeoutHandler waits forever for a
// goroutine that ended by runtime.Goexit, and does not wait for a goroutine after its timeout. It
// also sends a status for an action that has passed, and net/http logs the second status of the
// next route.
func (s *script) tame(l layout) {
	late := strings.Contains(s.target, "/slow/")
	if strings.Contains(s.target, "/timed/") && strings.Contains(s.does["Action"], "pass") {
		s.does["Action"] = "text"
	}
	for site, does := range s.does {
		switch {
		case late && !strings.HasPrefix(site, "Before"):
			s.does[site] = ""
		case late && strings.Contains(does, "keep"):
			s.does[site] = "201" // a Context is not over as long as its action runs
		case late || l.use || l.inner || strings.Contains(s.target, "/timed/"):
			for _, exit := range []string{"handlegoexit", "streamexit", "goexit"} {
				does = strings.ReplaceAll(does, exit, strings.ReplaceAll(exit, "goexit", "panic"))
			}
			s.does[site] = strings.ReplaceAll(does, "streamexit", "streampanic")
		}
	}
}

// A sequence is a random app, random scripts, and the responses of a fresh app.
type sequence struct {
	layout  layout
	scripts []script
	want    []string
}

func (r randomScripts) sequence(scripts int) *sequence {
	q := &sequence{layout: r.layout()}
	for range scripts {
		s := r.script(q.layout)
		k := newKeeper()
		q.scripts = append(q.scripts, s)
		q.want = append(q.want, s.sendTo(q.layout.newApp(k), k).String())
	}
	return q
}

func newKeeper() *keeper { return new(keeper) }

// run sends requests in random order, and returns differences to the responses of a fresh app.
func (q *sequence) run(app http.Handler, k *keeper, r *rand.Rand, requests int) error {
	var sent []string
	for range requests {
		i := r.IntN(len(q.scripts))
		got := q.scripts[i].sendTo(app, k).String()
		if got != q.want[i] {
			return fmt.Errorf("%+v\nbehind\n%s\nsending %s\ngot  %s\nwant %s", q.layout, strings.Join(sent[max(0, len(sent)-4):], "\n"), q.scripts[i], got, q.want[i])
		}
		sent = append(sent, q.scripts[i].String())
	}
	return nil
}

// seeded returns the seed of the environment or else a random one, and logs it.
func seeded(t *testing.T) uint64 {
	seed := rand.Uint64()
	if given := os.Getenv("SEQUENCES_SEED"); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("SEQUENCES_SEED=%d", seed)
	return seed
}

// TestSequences sends one request after the other. SEQUENCES_SEED gives a seed.
func TestSequences(t *testing.T) {
	r := randomScripts{rand.New(rand.NewPCG(seeded(t), 0))}
	apps, requests := runs(15, 150), 300
	for range apps {
		q, k := r.sequence(60), newKeeper()
		if err := q.run(q.layout.newApp(k), k, r.Rand, requests); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
	}
}

// TestConcurrentSequences sends them from several goroutines at once.
func TestConcurrentSequences(t *testing.T) {
	r := randomScripts{rand.New(rand.NewPCG(seeded(t), 1))}
	apps, requests := runs(8, 60), 80
	for range apps {
		q, k := r.sequence(60), newKeeper()
		app := q.layout.newApp(k)
		var wg sync.WaitGroup
		for range 8 {
			own := rand.New(rand.NewPCG(r.Uint64(), 2))
			wg.Go(func() {
				if err := q.run(app, k, own, requests); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if t.Failed() {
			return
		}
		runtime.GC()
	}
}
