package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/autopatch"
	jsonpatch "github.com/evanphx/json-patch/v5"
	"go.yaml.in/yaml/v3"

	"example.com/flowercafe/apidoc"
)

// This file has the features of request bodies other than JSON.

// sheet is a body in huma with its media type.
type sheet struct {
	Type    string `header:"Content-Type"`
	RawBody []byte
}

// sought is the body of a QUERY, and found the response.
type (
	sought struct {
		Names []string `json:"names"`
	}
	found struct {
		Tag  string `header:"ETag"`
		Body open   `body:"application/json"`
	}
)

var requestBodies = []feature{
	{
		key: "raw", name: "Raw bodies of several media types",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/photo", "Put", func(_ context.Context, in struct {
				Bytes []byte `body:"image/png,image/gif"`
			}) (string, error) {
				return fmt.Sprint(len(in.Bytes)), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			content := map[string]*huma.MediaType{"image/png": {}, "image/gif": {}}
			operation := put("/photo")
			operation.RequestBody = &huma.RequestBody{Required: true, Content: content}
			huma.Register(api, operation, func(_ context.Context, in *sheet) (*text, error) {
				if content[in.Type] == nil {
					return nil, huma.Error415UnsupportedMediaType("Send a PNG or a GIF")
				}
				return &text{fmt.Sprint(len(in.RawBody))}, nil
			})
		}),
		probes: []probe{
			responds("PUT /photo\nContent-Type: image/png\n\nabc", 200, "3"),
			responds("PUT /photo\nContent-Type: image/gif\n\nabc", 200, "3"),
			responds("PUT /photo\nContent-Type: image/png\n\n", anyRefusal),
			responds("PUT /photo\nContent-Type: text/html\n\nabc", 415),
			describes("paths /photo put requestBody content", "image/gif"),
			describes("paths /photo put requestBody content", "image/png"),
		},
	},
	{
		key: "media", name: "Another media type than JSON refused with 415",
		apidoc: apidocAPI(func(api *apidoc.API) { apidoc.Put(api, "/tree", "Put", echo[open]) }),
		huma:   humaAPI(func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[open]) }),
		probes: []probe{
			responds("PUT /tree\nContent-Type: text/plain\n\n"+`{"name":"oak"}`, 415),
			responds("PUT /tree\nContent-Type: application/xml\n\n<name/>", 415),
			responds("PUT /tree\nContent-Type: application/json; charset=utf-8\n\n"+`{"name":"oak"}`, 200),
		},
	},
	{
		key: "suffix", name: "JSON of a media type of one's own: application/tree+json",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", func(_ context.Context, in struct {
				Tree open `body:"application/tree+json"`
			}) (string, error) {
				return in.Tree.Name, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, put("/tree"), func(_ context.Context, in *struct {
				Body open `contentType:"application/tree+json"`
			}) (*text, error) {
				return &text{in.Body.Name}, nil
			})
		}),
		probes: []probe{
			responds("PUT /tree\nContent-Type: application/tree+json\n\n"+`{"name":"oak"}`, 200, "oak"),
			responds("PUT /tree\nContent-Type: application/tree+json\n\n"+`{"name":1}`, anyRefusal),
			describes("paths /tree put requestBody content", "application/tree+json"),
		},
	},
	{
		key: "optional_body", name: "A body that may be absent",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", func(_ context.Context, in *open) (string, error) { return fmt.Sprint(in != nil), nil })
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, put("/tree"), func(_ context.Context, in *body[*open]) (*text, error) {
				return &text{fmt.Sprint(in.Body != nil)}, nil
			})
		}),
		probes: []probe{
			responds("PUT /tree", 200, "false"),
			responds(tree(`{"name":"oak"}`), 200, "true"),
			responds(tree(`{"name":7}`), anyRefusal),
		},
	},
	{
		key: "forms", name: "Forms, urlencoded, with rules",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Post(api, "/login", "Log in", func(_ context.Context, in struct {
				Name  string `form:"name,required" minLength:"2"`
				Pages []int  `form:"page"`
			}) (string, error) {
				return fmt.Sprint(in.Name, in.Pages), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			type login struct {
				Name  string `json:"name" minLength:"2"`
				Pages []int  `json:"page,omitempty"`
			}
			schema := api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[login](), true, "Login")
			huma.Register(api, huma.Operation{Method: "POST", Path: "/login", OperationID: "login", RequestBody: &huma.RequestBody{
				Required: true, Content: map[string]*huma.MediaType{"application/x-www-form-urlencoded": {Schema: schema}},
			}}, func(_ context.Context, in *struct {
				RawBody []byte `contentType:"application/x-www-form-urlencoded"`
			}) (*text, error) {
				form, err := url.ParseQuery(string(in.RawBody)) // huma does not read such forms
				if err != nil || form.Get("name") == "" {
					return nil, huma.Error422UnprocessableEntity("A name is required")
				}
				return &text{fmt.Sprint(form.Get("name"), form["page"])}, nil
			})
		}),
		probes: []probe{
			responds("POST /login\nContent-Type: application/x-www-form-urlencoded\n\nname=ann&page=1&page=2", 200, "ann[1 2]"),
			responds("POST /login\nContent-Type: application/x-www-form-urlencoded\n\npage=1", anyRefusal, "name"),
			responds("POST /login\nContent-Type: application/x-www-form-urlencoded\n\nname=a", anyRefusal),
			responds("POST /login\nContent-Type: application/x-www-form-urlencoded\n\nname=ann&page=x", anyRefusal),
			describes("paths /login post requestBody content application/x-www-form-urlencoded schema properties name", "minLength"),
		},
	},
	{
		key: "uploads", name: "Uploads: files with types and limits, and fields beside them",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Post(api, "/photos", "Upload", func(_ context.Context, in struct {
				Title string        `form:"title,required" minLength:"2"`
				Photo apidoc.File   `form:"photo,required" accept:"image/png"`
				More  []apidoc.File `form:"more"`
			}) (string, error) {
				return fmt.Sprint(in.Title, " ", in.Photo.Name, " ", in.Photo.Size, " ", len(in.More)), nil
			}, apidoc.BodyLimit(4096))
		}),
		huma: humaAPI(func(api huma.API) {
			type form struct {
				Title string          `form:"title" required:"true" minLength:"2"`
				Photo huma.FormFile   `form:"photo" required:"true" contentType:"image/png"`
				More  []huma.FormFile `form:"more"`
			}
			huma.Register(api, huma.Operation{Method: "POST", Path: "/photos", OperationID: "upload", MaxBodyBytes: 4096},
				func(_ context.Context, in *struct{ RawBody huma.MultipartFormFiles[form] }) (*text, error) {
					f := in.RawBody.Data()
					return &text{fmt.Sprint(f.Title, " ", f.Photo.Filename, " ", f.Photo.Size, " ", len(f.More))}, nil
				})
		}),
		probes: []probe{
			responds(multipartForm("title=Rose", file{"photo", "rose.png", "image/png", png}, file{"more", "a.txt", "text/plain", "a"}, file{"more", "b.txt", "text/plain", "b"}), 200, "Rose rose.png 12 2"),
			responds(multipartForm("title=Rose"), anyRefusal, "photo"),
			responds(multipartForm("title=R", file{"photo", "rose.png", "image/png", png}), anyRefusal, "title"),
			responds(multipartForm("title=Rose", file{"photo", "rose.png", "text/html", "<html>"}), anyRefusal),
			responds(multipartForm("title=Rose", file{"photo", "rose.png", "image/png", png + strings.Repeat("x", 5000)}), 413),
			describes("paths /photos post requestBody content multipart/form-data schema properties photo", `"string"`),
		},
	},
	{
		key: "json_parts", name: "Multipart with a part of JSON",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Post(api, "/photos", "Upload", func(_ context.Context, in struct {
				Tree  open        `form:"tree,required"`
				Photo apidoc.File `form:"photo"`
			}) (string, error) {
				return fmt.Sprint(in.Tree.Name, " ", in.Photo.Size), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, huma.Operation{Method: "POST", Path: "/photos", OperationID: "upload"}, func(_ context.Context, in *struct {
				RawBody huma.MultipartFormFiles[struct {
					Tree  open          `form:"tree"`
					Photo huma.FormFile `form:"photo"`
				}]
			}) (*text, error) {
				f := in.RawBody.Data()
				return &text{fmt.Sprint(f.Tree.Name, " ", f.Photo.Size)}, nil
			})
		}),
		probes: []probe{
			responds(multipartForm(`tree={"name":"oak"}`, file{"photo", "a.txt", "text/plain", "a"}), 200, "oak 1"),
			responds(multipartForm(`tree={"name":7}`, file{"photo", "a.txt", "text/plain", "a"}), anyRefusal),
			responds(multipartForm(`tree={`, file{"photo", "a.txt", "text/plain", "a"}), anyRefusal),
		},
	},
	{
		key: "limit", name: "A limit for the size of bodies, per operation",
		apidoc: apidocAPI(func(api *apidoc.API) { apidoc.Put(api, "/tree", "Put", echo[open], apidoc.BodyLimit(64)) }),
		huma: humaAPI(func(api huma.API) {
			operation := put("/tree")
			operation.MaxBodyBytes = 64
			huma.Register(api, operation, humaEcho[open])
		}),
		probes: []probe{
			responds(tree(`{"name":"oak"}`), 200),
			responds(tree(`{"name":"`+strings.Repeat("x", 100)+`"}`), 413),
		},
	},
	{
		key: "stream_in", name: "A body that is read as a stream, larger than memory should hold",
		apidoc: apidocAPI(func(api *apidoc.API) {
			var seen atomic.Value
			apidoc.Get(api, "/seen", "Seen", func(context.Context, nothing) (string, error) { return fmt.Sprint(seen.Load()), nil })
			apidoc.Put(api, "/log", "Put", func(_ context.Context, in struct {
				Log io.Reader `body:"text/plain"`
			}) (string, error) {
				return count(in.Log, &seen)
			}, apidoc.BodyLimit(1<<30))
		}),
		huma: humaAPI(func(api huma.API) {
			var seen atomic.Value
			huma.Get(api, "/seen", func(context.Context, *nothing) (*text, error) { return &text{fmt.Sprint(seen.Load())}, nil })
			operation := put("/log")
			operation.MaxBodyBytes = 1 << 30
			huma.Register(api, operation, func(_ context.Context, in *struct {
				RawBody []byte `contentType:"text/plain"`
			}) (*text, error) {
				size, err := count(bytes.NewReader(in.RawBody), &seen)
				return &text{size}, err
			})
		}),
		probes: []probe{
			responds("PUT /log\nContent-Type: text/plain\n\none\ntwo", 200, "7"),
			readsEarly,
		},
	},
	{
		key: "lines_in", name: "JSON Lines in a request, each checked as it comes",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/log", "Put", func(_ context.Context, in iter.Seq2[open, error]) (string, error) {
				var names []string
				for tree, err := range in {
					if err != nil {
						return "", err
					}
					names = append(names, tree.Name)
				}
				return strings.Join(names, " "), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, put("/log"), func(_ context.Context, in *struct {
				RawBody []byte `contentType:"application/jsonl"`
			}) (*text, error) {
				var names []string
				for line := range bytes.Lines(in.RawBody) {
					var tree open
					if err := json.Unmarshal(line, &tree); err != nil {
						return nil, huma.Error422UnprocessableEntity("A line is not a tree", err)
					}
					names = append(names, tree.Name)
				}
				return &text{strings.Join(names, " ")}, nil
			})
		}),
		probes: []probe{
			responds("PUT /log\nContent-Type: application/jsonl\n\n"+`{"name":"oak"}`+"\n"+`{"name":"ash"}`+"\n", 200, "oak ash"),
			responds("PUT /log\nContent-Type: application/jsonl\n\n"+`{"name":"oak"}`+"\n"+`{"name":7}`+"\n", anyRefusal),
		},
	},
	{
		key: "query", name: "QUERY: a safe search with a checked body, and its 304 (RFC 10008)",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Query(api, "/trees", "Find trees", func(_ context.Context, in sought) (found, error) { return found{`"7"`, open{in.Names[0]}}, nil })
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, huma.Operation{Method: "QUERY", Path: "/trees", OperationID: "find"},
				func(_ context.Context, in *body[sought]) (*found, error) {
					return &found{`"7"`, open{in.Body.Names[0]}}, nil
				})
		}),
		probes: []probe{
			responds("QUERY /trees\n\n"+`{"names":["oak"]}`, 200, "oak"),
			responds("QUERY /trees\n\n"+`{"names":7}`, anyRefusal),
			responds("QUERY /trees\nContent-Type: \n\n"+`{"names":["oak"]}`, anyRefusal),
			responds("QUERY /trees\nIf-None-Match: \"7\"\n\n"+`{"names":["oak"]}`, 304),
			describesIn32("paths /trees query body names", "array"),
		},
	},
	{
		key: "json_patch", name: "JSON Patch (RFC 6902), with a library for it",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Patch(api, "/tree", "Change", func(_ context.Context, in struct {
				Patch json.RawMessage `body:"application/json-patch+json"`
			}) (garden, error) {
				var changed garden
				patch, err := jsonpatch.DecodePatch(in.Patch)
				if err != nil {
					return changed, apidoc.NewProblem(422, "The patch is invalid")
				}
				whole, err := patch.Apply([]byte(`{"name":"Oak","note":"old"}`))
				if err != nil {
					return changed, apidoc.NewProblem(422, "The patch does not apply")
				}
				return changed, json.Unmarshal(whole, &changed)
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/tree", func(context.Context, *struct{}) (*body[garden], error) {
				return &body[garden]{garden{Name: "Oak", Note: "old"}}, nil
			})
			huma.Put(api, "/tree", humaEcho[garden])
			autopatch.AutoPatch(api)
		}),
		probes: []probe{
			responds("PATCH /tree\nContent-Type: application/json-patch+json\n\n"+`[{"op":"replace","path":"/name","value":"Ash"}]`, 200, `"name":"Ash"`, `"note":"old"`),
			responds("PATCH /tree\nContent-Type: application/json-patch+json\n\n"+`[{"op":"replace","path":"/none","value":"Ash"}]`, anyRefusal),
			describes("paths /tree patch requestBody content", "application/json-patch+json"),
		},
	},
	{
		key: "yaml", name: "Bodies in YAML, with a library for it",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", func(_ context.Context, in struct {
				Text []byte `body:"application/yaml"`
			}) (string, error) {
				var t open
				if err := yaml.Unmarshal(in.Text, &t); err != nil {
					return "", apidoc.NewProblem(422, "The body is not YAML of a tree")
				}
				return t.Name, nil
			})
		}),
		huma: humaAPIWith(func(c *huma.Config) {
			c.Formats["application/yaml"] = huma.Format{Unmarshal: yaml.Unmarshal}
		}, func(api huma.API) {
			huma.Register(api, put("/tree"), func(_ context.Context, in *body[open]) (*text, error) { return &text{in.Body.Name}, nil })
		}),
		probes: []probe{
			responds("PUT /tree\nContent-Type: application/yaml\n\nname: oak\n", 200, "oak"),
			responds("PUT /tree\nContent-Type: application/yaml\n\nname: [\n", anyRefusal),
		},
	},
}

const (
	boundary = "boundary" // of the parts of multi
	png      = "\x89PNG\r\n\x1a\n1234"
)

// file is a part of a form.
type file struct{ field, name, media, content string }

// multipartForm makes a request with a form of files, and of fields as "name=text".
func multipartForm(parts ...any) string {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.SetBoundary(boundary)
	for _, p := range parts {
		f, isFile := p.(file)
		if !isFile {
			name, value, _ := strings.Cut(p.(string), "=")
			w.WriteField(name, value)
			continue
		}
		part, _ := w.CreatePart(map[string][]string{
			"Content-Disposition": {fmt.Sprintf(`form-data; name="%s"; filename="%s"`, f.field, f.name)}, "Content-Type": {f.media},
		})
		io.WriteString(part, f.content)
	}
	w.Close()
	return "POST /photos\nContent-Type: multipart/form-data; boundary=" + boundary + "\n\n" + b.String()
}

// count stores the first three bytes of r in seen, and returns the number of all bytes.
func count(r io.Reader, seen *atomic.Value) (string, error) {
	start := make([]byte, 3)
	n, err := io.ReadFull(r, start)
	if err != nil {
		return "", err
	}
	seen.Store(string(start))
	rest, err := io.Copy(io.Discard, r)
	return fmt.Sprint(int64(n) + rest), err
}

// readsEarly is a probe that sends the end of a body only after the operation has read its start.
func readsEarly(s service) string {
	body, end := io.Pipe()
	r, err := http.NewRequest("PUT", s.origin+"/log", body)
	if err != nil {
		return err.Error()
	}
	r.Header.Set("Content-Type", "text/plain")
	done := make(chan struct{})
	go func() {
		defer close(done)
		if response, err := client.Do(r); err == nil {
			response.Body.Close()
		}
	}()
	defer func() {
		end.Close()
		<-done
	}()
	if _, err := io.WriteString(end, "two\n"); err != nil {
		return "`PUT /log` with a body that goes on: refused"
	}
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(10 * time.Millisecond) {
		if a, err := s.send("GET /seen"); err == nil && strings.Contains(a.body, "two") {
			return ""
		}
	}
	return "`PUT /log`: the operation starts only when the whole body was read"
}
