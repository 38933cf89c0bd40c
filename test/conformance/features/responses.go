package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/conditional"
	"github.com/danielgtaylor/huma/v2/sse"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/routing"
)

// This file has the features of responses.

type nothing = struct{}

type created struct {
	Location string `header:"Location"`
	Tree     open   `body:""`
}

type humaCreated struct {
	Location string `header:"Location"`
	Body     open
}

type page struct {
	Type string `header:"Content-Type"`
	Body []byte
}

var responses = []feature{
	{
		key: "statuses", name: "Statuses: 200 and 204 by default, 201 chosen, one of several",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/tree", "Read", func(context.Context, nothing) (open, error) { return open{"oak"}, nil })
			apidoc.Delete(api, "/tree", "Delete", func(context.Context, nothing) (nothing, error) { return nothing{}, nil })
			apidoc.Post(api, "/tree", "Add", func(_ context.Context, in open) (created, error) { return created{"/tree", in}, nil }, apidoc.Status(201))
			apidoc.Put(api, "/tree", "Put", func(_ context.Context, in open) (out struct {
				Status int  `status:"200,201"`
				Tree   open `body:""`
			}, err error) {
				out.Tree, out.Status = in, 201
				return out, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/tree", func(context.Context, *nothing) (*body[open], error) { return &body[open]{open{"oak"}}, nil })
			huma.Delete(api, "/tree", func(context.Context, *nothing) (*nothing, error) { return nil, nil })
			huma.Register(api, huma.Operation{Method: "POST", Path: "/tree", OperationID: "add", DefaultStatus: 201},
				func(_ context.Context, in *body[open]) (*humaCreated, error) {
					return &humaCreated{"/tree", in.Body}, nil
				})
			operation := put("/tree")
			operation.Responses = map[string]*huma.Response{"201": {Description: "Created"}}
			huma.Register(api, operation, func(_ context.Context, in *body[open]) (*struct {
				Status int
				Body   open
			}, error) {
				return &struct {
					Status int
					Body   open
				}{201, in.Body}, nil
			})
		}),
		probes: []probe{
			responds("GET /tree", 200, `"name":"oak"`),
			responds("DELETE /tree", 204),
			responds("POST /tree\n\n"+`{"name":"oak"}`, 201, "Location: /tree"),
			responds(tree(`{"name":"oak"}`), 201),
			describes("paths /tree post responses 201 description", `"`),
			describes("paths /tree put responses 201 description", `"`),
		},
	},
	{
		key: "headers", name: "Headers and cookies of responses",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(context.Context, nothing) (out struct {
				Total   int         `header:"X-Total"`
				Changed time.Time   `header:"Last-Modified"`
				Session http.Cookie `header:"Set-Cookie"`
				Trees   []string    `body:""`
			}, err error) {
				out.Total, out.Changed, out.Session = 7, opened, http.Cookie{Name: "session", Value: "abc", HttpOnly: true}
				return out, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			type listed struct {
				Total   int         `header:"X-Total"`
				Changed time.Time   `header:"Last-Modified"`
				Session http.Cookie `header:"Set-Cookie"`
				Body    []string
			}
			huma.Get(api, "/trees", func(context.Context, *nothing) (*listed, error) {
				return &listed{7, opened, http.Cookie{Name: "session", Value: "abc", HttpOnly: true}, []string{}}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees", 200, "X-Total: 7"),
			responds("GET /trees", 200, "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT"),
			responds("GET /trees", 200, "Set-Cookie: session=abc; HttpOnly"),
			describes("paths /trees get responses 200 headers", "X-Total"),
		},
	},
	{
		key: "nil_slices", name: "A list that is nil is sent as []",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(context.Context, nothing) (out struct {
				Trees []open `json:"trees"`
			}, err error) {
				return out, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(context.Context, *nothing) (*body[struct {
				Trees []open `json:"trees"`
			}], error) {
				return &body[struct {
					Trees []open `json:"trees"`
				}]{}, nil
			})
		}),
		probes: []probe{responds("GET /trees", 200, `"trees":[]`)},
	},
	{
		key: "other_bodies", name: "Text, HTML and binary bodies of responses",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/text", "Text", func(context.Context, nothing) (string, error) { return "oak", nil })
			apidoc.Get(api, "/page", "Page", func(context.Context, nothing) (out struct {
				Page string `body:"text/html"`
			}, err error) {
				out.Page = "<p>oak"
				return out, nil
			})
			apidoc.Get(api, "/photo", "Photo", func(context.Context, nothing) (out struct {
				Bytes []byte `body:"image/png"`
			}, err error) {
				out.Bytes = []byte(png)
				return out, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			send := func(media, content string) func(context.Context, *nothing) (*page, error) {
				return func(context.Context, *nothing) (*page, error) { return &page{media, []byte(content)}, nil }
			}
			sends := func(path, media string) huma.Operation {
				return huma.Operation{Method: "GET", Path: path, OperationID: path[1:], Responses: map[string]*huma.Response{
					"200": {Description: "OK", Content: map[string]*huma.MediaType{media: {}}},
				}}
			}
			huma.Register(api, sends("/text", "text/plain"), send("text/plain", "oak"))
			huma.Register(api, sends("/page", "text/html"), send("text/html", "<p>oak"))
			huma.Register(api, sends("/photo", "image/png"), send("image/png", png))
		}),
		probes: []probe{
			responds("GET /text", 200, "Content-Type: text/plain", "oak"),
			responds("GET /page", 200, "Content-Type: text/html", "<p>oak"),
			responds("GET /photo", 200, "Content-Type: image/png", png),
			describes("paths /photo get responses 200 content", "image/png"),
		},
	},
	{
		key: "accept", name: "Content negotiation: JSON or CSV by the Accept header",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Accept string `header:"Accept"`
			}) (out struct {
				Type string `header:"Content-Type"`
				Body []byte `body:"application/json,text/csv"`
			}, err error) {
				out.Type, out.Body = "application/json", []byte(`["oak"]`)
				if strings.HasPrefix(in.Accept, "text/csv") {
					out.Type, out.Body = "text/csv", []byte("oak\n")
				}
				return out, nil
			})
		}),
		huma: humaAPIWith(func(c *huma.Config) {
			c.Formats["text/csv"] = huma.Format{Marshal: func(w io.Writer, v any) error {
				_, err := fmt.Fprintln(w, strings.Join(v.([]string), ","))
				return err
			}}
		}, func(api huma.API) {
			huma.Get(api, "/trees", func(context.Context, *nothing) (*body[[]string], error) { return &body[[]string]{[]string{"oak"}}, nil })
		}),
		probes: []probe{
			responds("GET /trees", 200, "Content-Type: application/json", `["oak"]`),
			responds("GET /trees\nAccept: text/csv", 200, "Content-Type: text/csv", "oak"),
			describes("paths /trees get responses 200 content", "text/csv"),
		},
	},
	{
		key: "stream_out", name: "Streaming responses, sent as they are made",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/log", "Log", func(ctx context.Context, in Holding) (out struct {
				Log io.Reader `body:"text/plain"`
			}, err error) {
				reader, writer := io.Pipe()
				go in.stream(ctx, writer)
				out.Log = reader
				return out, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/log", func(ctx context.Context, in *Holding) (*huma.StreamResponse, error) {
				return &huma.StreamResponse{Body: func(c huma.Context) {
					c.SetHeader("Content-Type", "text/plain")
					in.stream(ctx, flushing{c.BodyWriter()})
				}}, nil
			})
		}),
		probes: []probe{
			responds("GET /log", 200, "one\ntwo\n", "Content-Type: text/plain"),
			arrivesEarly("GET /log?hold=true", "one\n"),
		},
	},
	{
		key: "events", name: "Server-sent events with names and IDs, described, from where the client was",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/events", "Watch", func(ctx context.Context, in struct {
				Holding
				After string `header:"Last-Event-ID"`
			}) (iter.Seq[apidoc.Event[open]], error) {
				return func(yield func(apidoc.Event[open]) bool) {
					if in.After == "" && !yield(apidoc.Event[open]{ID: "1", Name: "grown", Data: open{"oak"}}) {
						return
					}
					in.wait(ctx)
					yield(apidoc.Event[open]{ID: "2", Name: "grown", Data: open{"ash"}})
				}, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			sse.Register(api, huma.Operation{Method: "GET", Path: "/events", OperationID: "watch"}, map[string]any{"grown": open{}},
				func(ctx context.Context, in *struct {
					Holding
					After string `header:"Last-Event-ID"`
				}, send sse.Sender) {
					if in.After == "" {
						send(sse.Message{ID: 1, Data: open{"oak"}})
					}
					in.wait(ctx)
					send(sse.Message{ID: 2, Data: open{"ash"}})
				})
		}),
		probes: []probe{
			responds("GET /events", 200, "Content-Type: text/event-stream", "event: grown", "id: 1", `data: {"name":"oak"}`, `data: {"name":"ash"}`),
			lacks("GET /events\nLast-Event-ID: 1", "oak"),
			arrivesEarly("GET /events?hold=true", "oak"),
			describes("paths /events get responses 200 content", "text/event-stream"),
			describes("components schemas", `"name"`),
		},
	},
	{
		key: "retry", name: "Server-sent events: the time to reconnect",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/events", "Watch", func(context.Context, nothing) (iter.Seq[apidoc.Event[open]], error) {
				return func(yield func(apidoc.Event[open]) bool) {
					yield(apidoc.Event[open]{ID: "1", Retry: 1500 * time.Millisecond, Data: open{"oak"}})
				}, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			sse.Register(api, huma.Operation{Method: "GET", Path: "/events", OperationID: "watch"}, map[string]any{"grown": open{}},
				func(_ context.Context, _ *nothing, send sse.Sender) {
					send(sse.Message{ID: 1, Retry: 1500, Data: open{"oak"}})
				})
		}),
		probes: []probe{
			responds("GET /events", 200, "retry: 1500"),
		},
	},
	{
		key: "lines_out", name: "JSON Lines in a response, sent as they are made",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/lines", "Lines", func(ctx context.Context, in Holding) (out struct {
				Lines iter.Seq[open] `body:"application/jsonl"`
			}, err error) {
				out.Lines = func(yield func(open) bool) {
					if yield(open{"oak"}) {
						in.wait(ctx)
						yield(open{"ash"})
					}
				}
				return out, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, huma.Operation{Method: "GET", Path: "/lines", OperationID: "lines", Responses: map[string]*huma.Response{
				"200": {Description: "OK", Content: map[string]*huma.MediaType{"application/jsonl": {}}},
			}}, func(ctx context.Context, in *Holding) (*huma.StreamResponse, error) {
				return &huma.StreamResponse{Body: func(c huma.Context) {
					c.SetHeader("Content-Type", "application/jsonl")
					lines := json.NewEncoder(flushing{c.BodyWriter()})
					lines.Encode(open{"oak"})
					in.wait(ctx)
					lines.Encode(open{"ash"})
				}}, nil
			})
		}),
		probes: []probe{
			responds("GET /lines", 200, `{"name":"oak"}`+"\n"+`{"name":"ash"}`+"\n"),
			arrivesEarly("GET /lines?hold=true", "oak"),
			describes("paths /lines get responses 200 content", "jsonl"),
		},
	},
	{
		key: "conditions", name: "Conditional requests: 304, 412 and 428",
		apidoc: apidocAPI(func(api *apidoc.API) {
			version := apidoc.Versioned(func(context.Context, nothing) (apidoc.Version, error) {
				return apidoc.Version{Tag: "a", Time: opened}, nil
			})
			apidoc.Get(api, "/tree", "Read", func(context.Context, nothing) (open, error) { return open{"oak"}, nil }, version)
			apidoc.Delete(api, "/tree", "Delete", func(context.Context, nothing) (nothing, error) { return nothing{}, nil }, version, apidoc.RequireIfMatch())
		}),
		huma: humaAPI(func(api huma.API) {
			type tagged struct {
				Tag     string    `header:"ETag"`
				Changed time.Time `header:"Last-Modified"`
				Body    open
			}
			huma.Register(api, huma.Operation{Method: "GET", Path: "/tree", OperationID: "read", Responses: map[string]*huma.Response{
				"304": {Description: "Not Modified"},
			}}, func(_ context.Context, in *struct{ conditional.Params }) (*tagged, error) {
				if in.HasConditionalParams() {
					if err := in.PreconditionFailed("a", opened); err != nil {
						return nil, err
					}
				}
				return &tagged{`"a"`, opened, open{"oak"}}, nil
			})
			huma.Register(api, huma.Operation{Method: "DELETE", Path: "/tree", OperationID: "delete", Errors: []int{412, 428}},
				func(_ context.Context, in *struct{ conditional.Params }) (*nothing, error) {
					if !in.HasConditionalParams() {
						return nil, huma.NewError(428, "Send If-Match")
					}
					if err := in.PreconditionFailed("a", opened); err != nil {
						return nil, err
					}
					return nil, nil
				})
		}),
		probes: []probe{
			responds("GET /tree", 200, `ETag: "a"`, "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT"),
			responds("GET /tree\nIf-None-Match: \"a\"", 304, `ETag: "a"`),
			responds("GET /tree\nIf-None-Match: W/\"a\", \"b\"", 304),
			responds("GET /tree\nIf-None-Match: \"b\"", 200),
			responds("GET /tree\nIf-Modified-Since: Sat, 21 Nov 2026 10:00:00 GMT", 304),
			responds("DELETE /tree", 428),
			responds("DELETE /tree\nIf-Match: \"b\"", 412),
			responds("DELETE /tree\nIf-Match: \"a\"", 204),
			responds("DELETE /tree\nIf-Match: *", 204),
			describes("paths /tree get responses 304 description", `"`),
			describes("paths /tree delete responses 412 description", `"`),
			describes("paths /tree get parameters", `If-None-Match`),
		},
	},
	{
		key: "ranges", name: "Ranges of files and other bodies that can seek",
		apidoc: func() http.Handler { // by a route that is described
			type film struct {
				Film []byte `body:"video/mp4"`
			}
			app := routing.New(routing.WithProblemDetails(), routing.WithLogger(quiet))
			app.Get("/film", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "video/mp4")
				http.ServeContent(w, r, "", time.Time{}, strings.NewReader("0123456789"))
			})), apidoc.Describe(apidoc.NewOperation[nothing, film]("film", "Watch",
				apidoc.Response[film](http.StatusPartialContent, "A range of the film"))))
			if _, err := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"}).Serve(viewer.New()); err != nil {
				panic(err)
			}
			return app
		},
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/film", func(context.Context, *nothing) (*page, error) { return &page{"video/mp4", []byte("0123456789")}, nil })
		}),
		probes: []probe{
			responds("GET /film\nRange: bytes=2-4", 206, "234", "Content-Range: bytes 2-4/10"),
			responds("GET /film", 200, "0123456789"),
			responds("GET /film\nRange: bytes=20-", 416),
		},
	},
	{
		key: "redirects", name: "Redirects",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/old", "Old", func(context.Context, nothing) (out struct {
				Location string `header:"Location"`
			}, err error) {
				out.Location = "/new"
				return out, nil
			}, apidoc.Status(307))
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, huma.Operation{Method: "GET", Path: "/old", OperationID: "old", DefaultStatus: 307},
				func(context.Context, *nothing) (*struct {
					Location string `header:"Location"`
				}, error) {
					return &struct {
						Location string `header:"Location"`
					}{"/new"}, nil
				})
		}),
		probes: []probe{
			responds("GET /old", 307, "Location: /new"),
			describes("paths /old get responses", "307"),
		},
	},
	{
		key: "head", name: "HEAD of a GET",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/tree", "Read", func(context.Context, nothing) (open, error) { return open{"oak"}, nil })
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/tree", func(context.Context, *nothing) (*body[open], error) { return &body[open]{open{"oak"}}, nil })
		}),
		probes: []probe{responds("HEAD /tree", 200, "Content-Type: application/json")},
	},
	{
		key: "next_page", name: "A Link header with the next page",
		apidoc: apidocAPI(func(api *apidoc.API) {
			type listed struct {
				Next  string   `header:"Link"`
				Trees []string `body:""`
			}
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in Paging) (listed, error) {
				return listed{fmt.Sprintf(`<?limit=%d&offset=%d>; rel="next"`, in.Limit, in.Offset+in.Limit), nil}, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			type listed struct {
				Next string `header:"Link"`
				Body []string
			}
			huma.Get(api, "/trees", func(_ context.Context, in *HumaPaging) (*listed, error) {
				return &listed{fmt.Sprintf(`<?limit=%d&offset=%d>; rel="next"`, in.Limit, in.Offset+in.Limit), []string{}}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees?limit=5", 200, "Link: offset=5", `Link: rel="next"`),
			describes("paths /trees get responses 200 headers", "Link"),
		},
	},
	{
		key: "filtered", name: "Members of a type that clients never see",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/user", "Read", func(context.Context, nothing) (hidden, error) { return hidden{"ann", "secret"}, nil })
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/user", func(context.Context, *nothing) (*body[hidden], error) {
				return &body[hidden]{hidden{"ann", "secret"}}, nil
			})
		}),
		probes: []probe{
			responds("GET /user", 200, `"name":"ann"`),
			lacks("GET /user", "secret"),
			describes("paths /user get responses 200 response name type", "string"),
		},
	},
	{
		key: "durations", name: "Times, and durations of ISO 8601",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", echo[struct {
				At   time.Time     `json:"at"`
				Wait time.Duration `json:"wait" format:"duration"`
			}])
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, put("/tree"), humaEcho[struct {
				At   time.Time     `json:"at"`
				Wait time.Duration `json:"wait" format:"duration"`
			}])
		}),
		probes: []probe{
			responds(tree(`{"at":"2026-11-21T10:00:00Z","wait":"PT1M30S"}`), 200, `"at":"2026-11-21T10:00:00Z"`, `"wait":"PT1M30S"`),
			responds(tree(`{"at":"2026-11-21","wait":"PT1M30S"}`), anyRefusal),
			describes(member+"at format", "date-time"),
			describes(member+"wait format", "duration"),
		},
	},
}

type hidden struct {
	Name string `json:"name"`
	Hash string `json:"-"`
}

var opened = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)

// patience is the maximum time to wait for a response.
const patience = 10 * time.Second

// Holding is the input of a stream. With hold, the stream waits after its first part until the
// client disconnects.
type Holding struct {
	Hold bool `query:"hold"`
}

func (h Holding) wait(ctx context.Context) {
	if h.Hold {
		select {
		case <-ctx.Done():
		case <-time.After(2 * patience):
		}
	}
}

// stream writes two lines.
func (h Holding) stream(ctx context.Context, w io.Writer) {
	io.WriteString(w, "one\n")
	h.wait(ctx)
	io.WriteString(w, "two\n")
	if c, ok := w.(io.Closer); ok {
		c.Close()
	}
}

// flushing is a writer that flushes after each Write.
type flushing struct{ io.Writer }

func (f flushing) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if w, ok := f.Writer.(http.Flusher); ok {
		w.Flush()
	}
	return n, err
}

// arrivesEarly is a probe that wants the first part of a stream, with the text, before the stream
// ends.
func arrivesEarly(request, text string) probe {
	return func(s service) string {
		r, err := s.request(request)
		if err != nil {
			return err.Error()
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		response, err := client.Do(r.WithContext(ctx))
		if err != nil {
			return request + ": nothing arrives before the end"
		}
		defer response.Body.Close()
		lines := bufio.NewReader(response.Body)
		for line := ""; !strings.Contains(line, text); {
			if line, err = lines.ReadString('\n'); err != nil {
				return fmt.Sprintf("%s: %d, and nothing arrives before the end", request, response.StatusCode)
			}
		}
		return ""
	}
}
