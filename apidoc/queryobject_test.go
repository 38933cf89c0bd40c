package apidoc_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests structs in queries: embedded ones, named ones, and deepObject.

// codes are the codes and limits of errors.
var codes = regexp.MustCompile(`,"code":"\w+"(,"limit":("[^"]*"|\[[^]]*\]|[^]"}]*))?`)

// Filter is what trees must be like.
type Filter struct {
	Min  float64  `json:"min,omitempty" min:"0" doc:"In metres"`
	Kind string   `json:"kind" enum:"oak,ash"`
	Tags []string `json:"tag,omitempty" maxLength:"2" unique:"true"`
}

// The members of a struct are read from names with brackets.
func ExampleGet_deepObject() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "Find trees", func(_ context.Context, in struct {
		Filter Filter `query:"filter,deepObject"`
	}) (Filter, error) {
		return in.Filter, nil
	})
	send(app, "GET", "/trees?filter[min]=1.5&filter[kind]=oak&filter[tag]=old&filter[tag]=tall", "")
	send(app, "GET", "/trees?filter[min]=-1&filter[tag]=old&filter[tag]=old", "")
	// Output:
	// 200 {"min":1.5,"kind":"oak","tag":["old","tall"]}
	// 422 {"type":"about:blank","title":"The request is not as described","status":422,"code":"unprocessable_entity","detail":"query \"filter[min]\" must be at least 0; query \"filter[tag]\" must not occur twice; query \"filter[kind]\" is required","errors":[{"in":"query","name":"filter[min]","detail":"must be at least 0","code":"minimum","limit":0},{"in":"query","name":"filter[tag]","detail":"must not occur twice","code":"uniqueItems"},{"in":"query","name":"filter[kind]","detail":"is required","code":"required"}]}
}

type paging struct {
	Limit int `query:"limit" default:"10" max:"50"`
}

type interval struct {
	From  time.Time `json:"from,omitzero"`
	Until time.Time `json:"until,omitzero"`
	Zone  string    `json:"zone,omitempty" default:"UTC"`
	_     struct{}  `additionalProperties:"false"`
}

func (s *interval) CheckInput(context.Context) ([]apidoc.InputError, error) {
	if s.Until.Before(s.From) {
		return []apidoc.InputError{{Pointer: "/until", Detail: "must be after from"}, {Detail: "is too short"}}, nil
	}
	return nil, nil
}

type deepQuery struct {
	Paging paging   // named, with places
	Must   Filter   `query:"must,deepObject,required"`
	May    *Filter  `query:"may,deepObject"`
	Span   interval `query:"span,deepObject"`
	Word   string   `query:"word"`
	_      struct{} `additionalProperties:"false"`
}

func findDeep(_ context.Context, in deepQuery) (string, error) {
	may, err := json.Marshal(in.May)
	return fmt.Sprintf("%d %v %s %s %s", in.Paging.Limit, in.Must, may, in.Span.Zone, in.Word), err
}

func TestQueryObjects(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", findDeep)
	const must = "must[kind]=oak"
	for _, c := range []struct{ query, want string }{
		{must, `10 {0 oak []} null UTC `},
		{must + "&may[kind]=ash&limit=2", `2 {0 oak []} {"kind":"ash"} UTC `},
		{"%6dust%5Bkind%5D=oak&must[tag]=a+b&must[tag]=c&word=x", `10 {0 oak [a b c]} null UTC x`},
		{must + "&may[min]=&may[kind]=&span[from]=", `10 {0 oak []} null UTC `}, // as a form that nobody has filled in
		{must + "&span[zone]=CET", `10 {0 oak []} null CET `},
		{"", `{"in":"query","name":"must","detail":"is required, with members such as must[min]"}]`},
		{"must[min]=1", `{"in":"query","name":"must[kind]","detail":"is required"}]`},
		{must + "&limit=99&may[min]=x&may[tag]=1&may[tag]=2&may[tag]=3", `"limit","detail":"must be at most 50"},` +
			`{"in":"query","name":"may[min]","detail":"must be a number"},` +
			`{"in":"query","name":"may[tag]","detail":"must have at most 2 items"},{"in":"query","name":"may[kind]","detail":"is required"}]`},
		{must + "&span[zone]=a&span[zoen]=b&span[zoen]=c&span[]=d", `"name":"span[]","detail":"is not a described member"},` +
			`{"in":"query","name":"span[zoen]","detail":"is not a described member"}]`},
		{must + "&may[kind]=ash&may[other]=1", `"kind":"ash"`}, // Filter allows other members
		{must + "&wrod=1&wrod=2&must=1&must[x=1", `"name":"must","detail":"is not a described parameter"},` +
			`{"in":"query","name":"must[x","detail":"is not a described parameter"},{"in":"query","name":"wrod","detail":"is not a described parameter"}]`},
		{must + "&span[from]=2026-01-02T00:00:00Z&span[until]=2026-01-01T00:00:00Z", `{"in":"query","name":"span[until]","detail":"must be after from"},` +
			`{"in":"query","name":"span","detail":"is too short"}]`},
		{must + "&may[kind]=ash&may[tag][1]=b&may[tag][0]=a", `{"kind":"ash","tag":["a","b"]}`}, // as generated clients write lists
		{must + "&may[kind]=ash&may[tag][]=a&may[tag][]=b", `{"kind":"ash","tag":["a","b"]}`},
		{must + "&may[kind][0]=ash", `{"in":"query","name":"may[kind]","detail":"must be a string"}`},
		{must + "&may[kind]=ash&may[tag]=%ff", `"name":"may[tag]","detail":"must be text in UTF-8`},
		{must + "&span[from]=2026-01-02", `"name":"span[from]","detail":"must be a time`},
	} {
		w := call(app, "GET", "/?"+c.query, "", "")
		if got := codes.ReplaceAllString(w.Body.String(), ""); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %d %s, want %s", c.query, w.Code, got, c.want)
		}
	}
}

// Each rule holds for a member as for a parameter.
func TestQueryObjectsAreDescribed(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", findDeep)
	app.Get("/hand", nothing, apidoc.Describe(apidoc.NewOperation[struct {
		Filter Filter `query:"filter,deepObject"`
	}, struct{}]("byHand", "")))
	d := build(t, app, "")
	for _, text := range [][]byte{d.OpenAPI30(), d.OpenAPI(), d.OpenAPI32()} {
		list := fmt.Sprint(decode(t, text).at("paths", "/", "get")["parameters"], decode(t, text).at("paths", "/hand", "get")["parameters"])
		for _, want := range []string{
			"map[explode:true in:query name:must required:true schema:map[$ref:#/components/schemas/Filter] style:deepObject]",
			"map[explode:true in:query name:may required:false schema:map[$ref:#/components/schemas/Filter] style:deepObject]",
			"map[explode:true in:query name:filter required:false schema:map[$ref:#/components/schemas/Filter] style:deepObject]",
		} {
			if !strings.Contains(list, want) {
				t.Errorf("%s is not in %s", want, list)
			}
		}
	}
	apidoc.Get(api, "/one-way", "", func(context.Context, struct {
		Of struct {
			ID   int    `json:"id" readOnly:"true"`
			Name string `json:"name,omitempty" doc:"A name"`
			Zone string `json:"zone,omitempty" dependentRequired:"name"`
		} `query:"of,deepObject"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("oneWay"))
	if list := fmt.Sprint(decode(t, build(t, app, "").Swagger()).at("paths", "/one-way", "get")["parameters"]); strings.Contains(list, "of[id]") ||
		!strings.Contains(list, "description:A name\n\nRequired with of[zone].") {
		t.Errorf("members of one direction: got %s", list)
	}
	list := fmt.Sprint(decode(t, d.Swagger()).at("paths", "/", "get")["parameters"])
	for _, want := range []string{
		"map[enum:[oak ash] in:query name:must[kind] required:true type:string]",
		"map[enum:[oak ash] in:query name:may[kind] required:false type:string]",
		"map[description:In metres format:double in:query minimum:0 name:must[min] required:false type:number]",
		"collectionFormat:multi in:query items:map[type:string] maxItems:2 name:may[tag] required:false type:array uniqueItems:true",
	} {
		if !strings.Contains(list, want) {
			t.Errorf("%s is not in %s", want, list)
		}
	}
}

// The members of a map have any names that its keys allow.
func TestMapsInQueries(t *testing.T) {
	type labels map[string]string
	type query struct {
		Labels labels           `query:"label,deepObject" maxLength:"2" doc:"What is written on it"`
		Counts map[uint8]int    `query:"count,deepObject"`
		Lists  map[string][]int `query:"list,deepObject,required"`
		_      struct{}         `additionalProperties:"false"`
	}
	app, api := newTyped()
	find := func(_ context.Context, in query) (string, error) {
		return fmt.Sprint(in.Labels, in.Counts, in.Lists), nil
	}
	apidoc.Get(api, "/", "", find, apidoc.ID("find"))
	const list = "list[a]=1&list[a]=2"
	for _, c := range []struct{ query, want string }{
		{list, "map[] map[] map[a:[1 2]]"},
		{list + "&label[b%5D]=x&label[]=&count[7]=3&count[8]=", "map[: b]:x] map[7:3] map[a:[1 2]]"},
		{"", `{"in":"query","name":"list","detail":"is required, with members such as list[name]"}]`},
		{list + "&label[a]=1&label[b]=2&label[c]=3", `[{"in":"query","name":"label","detail":"must have at most 2 members"}]`},
		{list + "&count[x]=1&count[300]=1&count[1]=y&labels[a]=1", `{"in":"query","name":"count[1]","detail":"must be an integer"},` +
			`{"in":"query","name":"count[300]","detail":"the name must be at most 255"},{"in":"query","name":"count[x]","detail":"the name must be an integer"},` +
			`{"in":"query","name":"labels[a]","detail":"is not a described parameter"}]`},
		{list + "&count[-0]=1&count[3e2]=1", `[{"in":"query","name":"count[-0]","detail":"the name must be at least 0"},` +
			`{"in":"query","name":"count[3e2]","detail":"the name must be an integer"}]`},
	} {
		w := call(app, "GET", "/?"+c.query, "", "")
		if got := codes.ReplaceAllString(w.Body.String(), ""); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %d %s, want %s", c.query, w.Code, got, c.want)
		}
	}
	d := build(t, app, "")
	for _, text := range [][]byte{d.OpenAPI30(), d.OpenAPI(), d.OpenAPI32()} {
		list := fmt.Sprint(decode(t, text).at("paths", "/", "get")["parameters"])
		for _, want := range []string{
			"map[description:What is written on it explode:true in:query name:label required:false schema:map[additionalProperties:map[type:string] maxProperties:2 type:object] style:deepObject]",
			"explode:true in:query name:list required:true schema:map[additionalProperties:map[items:map[format:int64 type:integer] type:array]",
		} {
			if !strings.Contains(list, want) {
				t.Errorf("%s is not in %s", want, list)
			}
		}
	}
	if list := fmt.Sprint(decode(t, d.Swagger()).at("paths", "/", "get")["parameters"]); list != "[]" {
		t.Errorf("Swagger 2.0, which has no such values, describes %s", list)
	}
}

// A query is only in requests, so a member that is not in responses is an ordinary one.
func TestWriteOnlyMembersInQueries(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		A struct {
			ID  int    `json:"id,omitempty" readOnly:"true"`
			Key string `json:"key,omitempty" writeOnly:"true"`
		} `query:"a,deepObject"`
	}) (string, error) {
		return fmt.Sprint(in.A.ID, in.A.Key), nil
	}, apidoc.ID("find"))
	if w := call(app, "GET", "/?a[key]=x&a[id]=1", "", ""); w.Body.String() != "0x" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	d := build(t, app, "")
	if texts := string(d.OpenAPI()) + string(d.Swagger()); !strings.Contains(texts, `"key"`) || !strings.Contains(texts, `"a[key]"`) {
		t.Errorf("described as %s", texts)
	}
}

// A page's form with GET has the names of the members.
func TestQueryObjectsOfForms(t *testing.T) {
	reader := apidoc.NewFormReader[struct {
		May *Filter `query:"may,deepObject"`
	}]()
	var got string
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		form, err := reader.Read(c)
		got = fmt.Sprint(form.Text("may[kind]"), form.Error("may[kind]"), form.Has("may[tag]", "b"), form.Value.May != nil)
		return routing.Result{}, err
	})
	for query, want := range map[string]string{
		"":                         "false false",
		"may[kind]=elm&may[tag]=b": `elmmust be one of "oak", "ash"true true`,
		"may[kind]=oak":            "oakfalse true",
	} {
		if call(app, "GET", "/?"+query, "", ""); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
	form, err := reader.Fill(struct {
		May *Filter `query:"may,deepObject"`
	}{&Filter{Kind: "ash"}})
	if blank, _ := reader.Fill(struct {
		May *Filter `query:"may,deepObject"`
	}{}); err != nil || form.Text("may[kind]") != "ash" || blank.Text("may[kind]") != "" {
		t.Errorf("filled with %q and %q, %v", form.Text("may[kind]"), blank.Text("may[kind]"), err)
	}
}

// words decodes itself from one text.
// Members have the option ",string" of their json tags in a query too.
func TestQuotedMembers(t *testing.T) {
	type input struct {
		Of struct {
			Size int   `json:"size,string,omitempty" min:"2"`
			Open *bool `json:"open,string,omitempty"`
		} `query:"of,deepObject"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in input) (input, error) { return in, nil }, apidoc.ID("read"))
	for target, want := range map[string]string{
		"/?of[size]=5&of[open]=true": `"size":"5","open":"true"`,
		"/?of[size]=1&of[open]=on":   `query \"of[size]\" must be at least 2 in a string; query \"of[open]\" must be a boolean in a string`,
	} {
		if w := call(app, "GET", target, "", ""); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", target, w.Code, w.Body, want)
		}
	}
}

type words map[string]bool

func (w *words) UnmarshalText(text []byte) error {
	*w = words{string(text): true}
	return nil
}

func TestMisusedQueryObjects(t *testing.T) {
	type void = struct{}
	type deep struct{ Filter Filter }
	for _, c := range []struct{ got, want string }{
		{refusal[struct {
			A Filter `query:"a"`
		}, void]("GET"), `field A: type apidoc_test.Filter: a query has no such value: write ",deepObject" behind the name, or embed the struct`},
		{refusal[struct {
			A []Filter `query:"a"`
		}, void]("GET"), "or embed the struct"},
		{refusal[struct {
			A Filter `header:"A,deepObject"`
		}, void]("GET"), `tag header:"A,deepObject": deepObject is for structs in a query`},
		{refusal[struct {
			A Filter `query:"a,deepObject,commas"`
		}, void]("GET"), "commas is for lists, and deepObject for structs: write one of the two"},
		{refusal[struct {
			A Filter `query:"a,explode"`
		}, void]("GET"), `tag query:"a,explode": write a name`},
		{refusal[struct {
			A int `query:"a,deepObject"`
		}, void]("GET"), "a deepObject is a struct or a map, not a int"},
		{refusal[struct {
			A words `query:"a,deepObject"`
		}, void]("GET"), "a deepObject is a struct or a map, not a apidoc_test.words"},
		{refusal[struct {
			A map[string]Filter `query:"a,deepObject"`
		}, void]("GET"), "field A: type apidoc_test.Filter: parameters are text"},
		{refusal[struct {
			A *[]int `query:"a"`
		}, void]("GET"), "field A: type *[]int: parameters are text"},
		{refusal[struct {
			A [2]int `query:"a"`
		}, void]("GET"), "field A: type [2]int: parameters are text"},
		{refusal[struct {
			A []sql.NullInt64 `query:"a"`
		}, void]("GET"), "field A: type sql.NullInt64: parameters are text"},
		{refusal[struct {
			A map[string]string `query:"a"`
		}, void]("GET"), `type map[string]string: a query has no such value: write ",deepObject" behind the name`},
		{refusal[struct {
			A struct {
				ID int `json:"id" readOnly:"true"`
			} `query:"a,deepObject"`
		}, void]("GET"), "all its members are readOnly"},
		{refusal[struct {
			A Filter `query:"a,deepObject"`
			B string `query:"a[other]"`
		}, void]("GET"), `query parameter "a[other]" has the name of a member of the object "a": give it another name`},
		{refusal[struct {
			B string            `query:"a[b]"`
			A map[string]string `query:"a,deepObject"`
		}, void]("GET"), `query parameter "a[b]" has the name of a member of the object "a"`},
		{panicOf(func() {
			apidoc.NewFormReader[struct {
				A map[string]string `query:"a,deepObject"`
			}]()
		}), `field "a": a page has a field for each name: write a struct`},
		{refusal[struct {
			A time.Time `query:"a,deepObject"`
		}, void]("GET"), "a deepObject is a struct or a map, not a time.Time"},
		{refusal[struct {
			A void `query:"a,deepObject"`
		}, void]("GET"), "a deepObject is a struct or a map, not a struct {}: write members in it"},
		{refusal[struct {
			A Filter `query:"a,deepObject" default:"{}"`
		}, void]("GET"), "a deepObject has no default: write it on its members"},
		{refusal[struct {
			A deep `query:"a,deepObject"`
		}, void]("GET"), "field A: member Filter: type apidoc_test.Filter: parameters are text"},
		{refusal[struct {
			A struct{ *Filter } `query:"a,deepObject"`
		}, void]("GET"), "outside of an embedded pointer"},
		{refusal[struct {
			A struct{ B string }
			C int `query:"c"`
		}, void]("GET"), "field A: it has no place, but other fields have one"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// What a body refuses says nothing about the query, also if it is embedded.
func TestClosedBodiesAndQueries(t *testing.T) {
	type Closed struct {
		Name string   `json:"name" query:"name"`
		_    struct{} `additionalProperties:"false"`
	}
	type input struct {
		paging
		Closed `body:""`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in input) (string, error) { return fmt.Sprint(in.Limit, in.Name), nil }, apidoc.ID("post"))
	for body, want := range map[string]string{`{"name":"a"}`: "2a", `{"name":"a","other":1}`: "/other is not a described member"} {
		if w := call(app, "POST", "/?limit=2&other=1&name=b", "application/json", body); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", body, w.Code, w.Body, want)
		}
	}
}

// Other values of the tag leave the input open.
func TestOpenInputs(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct {
		A int      `query:"a"`
		_ struct{} `additionalProperties:"true"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("get"))
	if w := call(app, "GET", "/?b=1", "", ""); w.Code != 200 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// Named structs share places, for input and output.
func TestNamedStructs(t *testing.T) {
	type meta struct {
		Total int `header:"X-Total"`
	}
	type output struct {
		Meta meta
		Body []int `body:""`
	}
	type input struct {
		First paging
		More  struct {
			Session string `cookie:"session"`
			Deeper  struct {
				Trace string `header:"X-Trace"`
			}
		}
	}
	app, api := newTyped()
	var got input
	apidoc.Get(api, "/", "", func(_ context.Context, in input) (output, error) {
		got = in
		return output{meta{7}, []int{1}}, nil
	}, apidoc.ID("get"))
	w := call(app, "GET", "/?limit=3", "", "", "Cookie", "session=s", "X-Trace", "t")
	var want input
	want.First.Limit, want.More.Session, want.More.Deeper.Trace = 3, "s", "t"
	if !reflect.DeepEqual(got, want) || w.Header().Get("X-Total") != "7" || w.Body.String() != "[1]" {
		t.Errorf("got %+v %v %s", got, w.Header(), w.Body)
	}
}

// A closed input knows the key of the API, and the name with which browsers override the method.
func TestClosedInputsKnowTheAPIsNames(t *testing.T) {
	app, api := newTyped()
	key := apidoc.APIKey("key", apidoc.InQuery, "api_key", func(ctx context.Context, _ apidoc.Credentials) (context.Context, error) { return ctx, nil })
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Page int      `query:"page"`
		O    Counted  `query:"o,deepObject"`
		Name string   `form:"name"`
		_    struct{} `additionalProperties:"false"`
	}) (string, error) {
		return in.Name, nil
	}, key)
	for _, c := range []struct{ query, body, want string }{
		{"page=1", "name=a&_method=put", ""},
		{"page=1", "name=a&nmae=b", `form "nmae" is not a described field`},
		{"page=1&name=a", "name=a", `query "name" is not a described parameter`},
		{"page=1&_method=put", "name=a", `query "_method" is not a described parameter`},
		{"page=1&o[n]=2", "name=a", ""},
		{"page=1", "name=a&o[n]=2", `form "o[n]" is not a described field`},
		{"page=1", "name=a&page=1&api_key=x", `form "api_key" is not a described field; form "page" is not a described field`},
	} {
		w := call(app, "POST", "/?api_key=x&"+c.query, "application/x-www-form-urlencoded", c.body)
		var got struct{ Detail string }
		if w.Code != 200 {
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
		}
		if got.Detail != c.want {
			t.Errorf("%s and %s: got %d %s, want %s", c.query, c.body, w.Code, w.Body, c.want)
		}
	}
}
