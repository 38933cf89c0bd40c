package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
)

// This file prints what was found: each request that differs, and at the end a table.

type report struct {
	comparer
	out        io.Writer
	progress   io.Writer // nil for none
	bar        *progressbar.ProgressBar
	unsafe     bool
	maxPrinted int // requests that differ to print

	listed, skipped, repeated, leftOut int
	same, different, failed            int
	kinds                              map[string]*kind
}

// kind counts the requests with one kind of difference.
type kind struct {
	count   int
	example request
}

func newReport(s *settings, out, progress io.Writer) *report {
	r := &report{
		comparer: comparer{s.statusOnly, s.compare, s.ignore, newSite(s.old, s.host), newSite(s.new, s.host)},
		out:      out, unsafe: s.unsafe, maxPrinted: s.maxPrinted, kinds: make(map[string]*kind),
	}
	if !s.quiet {
		r.progress = progress
	}
	return r
}

// choose returns the requests to send: each one once, and without -unsafe only those that change
// nothing. With -unsafe, a request may have another response the second time.
func (r *report) choose(found list) []request {
	r.listed, r.skipped = len(found.requests), found.skipped
	seen := make(map[string][]request)
	var chosen []request
	for _, req := range found.requests {
		switch name := req.String(); {
		case r.unsafe:
			chosen = append(chosen, req)
		case !req.isSafe():
			r.leftOut++
		case slices.ContainsFunc(seen[name], req.same):
			r.repeated++
		default:
			seen[name] = append(seen[name], req)
			chosen = append(chosen, req)
		}
	}
	return chosen
}

// begin shows the progress bar.
func (r *report) begin(count int) {
	if r.progress != nil {
		r.bar = progressbar.NewOptions(count, progressbar.OptionSetWriter(r.progress), progressbar.OptionSetDescription("compare"),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
}

// add compares the responses to one request.
func (r *report) add(req request, old, new response) {
	if r.bar != nil {
		defer r.bar.Add(1)
	}
	if r.fails(old) || r.fails(new) {
		r.failed++
		r.print(req, fmt.Sprintf("not compared: %v", cmp.Or(old.err, new.err)))
		r.count("no response", req)
		return
	}
	differences := r.compare(req, old, new)
	if len(differences) == 0 {
		r.same++
		return
	}
	r.different++
	var texts, groups []string
	for _, d := range differences {
		texts = append(texts, d.String())
		if group := d.group(); !slices.Contains(groups, group) { // the table counts requests
			groups = append(groups, group)
			r.count(group, req)
		}
	}
	r.print(req, texts...)
}

// fails reports whether a response cannot be compared.
func (r *report) fails(resp response) bool {
	return resp.err != nil && (resp.status == 0 || !r.statusOnly)
}

// group returns the row of the table in which a difference is counted.
func (d difference) group() string {
	if d.kind == "status" {
		return fmt.Sprintf("status %s, now %s", d.old, d.new)
	}
	if strings.HasPrefix(d.kind, "body/") {
		return "body" // the place in the JSON is in the list above
	}
	return d.kind
}

func (r *report) count(name string, example request) {
	k := r.kinds[name]
	if k == nil {
		k = &kind{example: example}
		r.kinds[name] = k
	}
	k.count++
}

func (r *report) print(req request, lines ...string) {
	if r.different+r.failed > r.maxPrinted {
		return
	}
	if r.bar != nil {
		r.bar.Clear()
	}
	fmt.Fprintln(r.out, req)
	for _, line := range lines {
		fmt.Fprintln(r.out, "  ", line)
	}
}

// finish prints the table.
func (r *report) finish() {
	if r.bar != nil {
		r.bar.Finish()
	}
	if more := r.different + r.failed - r.maxPrinted; more > 0 {
		fmt.Fprintf(r.out, "… and %d more\n", more)
	}
	if len(r.kinds) > 0 {
		names := slices.SortedFunc(maps.Keys(r.kinds), func(a, b string) int {
			return cmp.Or(cmp.Compare(r.kinds[b].count, r.kinds[a].count), cmp.Compare(a, b))
		})
		w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "\nrequests\twhat differs\tfor example")
		for _, name := range names {
			fmt.Fprintf(w, "%d\t%s\t%s\n", r.kinds[name].count, name, r.kinds[name].example)
		}
		w.Flush()
		fmt.Fprintln(r.out)
	}
	fmt.Fprintf(r.out, "%d requests listed: %d alike, %d differ, %d without a response", r.listed, r.same, r.different, r.failed)
	if r.skipped > 0 {
		fmt.Fprintf(r.out, ", %d skipped (no request to this site)", r.skipped)
	}
	if r.repeated > 0 {
		fmt.Fprintf(r.out, ", %d repeated", r.repeated)
	}
	if r.leftOut > 0 {
		fmt.Fprintf(r.out, ", %d left out because they may change data (-unsafe sends them)", r.leftOut)
	}
	fmt.Fprintln(r.out)
}

// status returns the exit status.
func (r *report) status() int {
	switch {
	case r.failed > 0:
		return exitError
	case r.different > 0:
		return exitDiffer
	}
	return exitEqual
}
