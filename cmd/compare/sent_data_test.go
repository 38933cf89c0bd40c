package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// pair runs the program for two handlers.
func pair(t *testing.T, old, new http.HandlerFunc, list string, flags ...string) (status int, printed string, err error) {
	t.Helper()
	a, b := httptest.NewServer(old), httptest.NewServer(new)
	t.Cleanup(a.Close)
	t.Cleanup(b.Close)
	var out strings.Builder
	args := append(append([]string{"-quiet"}, flags...), a.URL, b.URL)
	status, err = run(context.Background(), args, strings.NewReader(list), &out, &out)
	return status, out.String(), err
}

// What a client wrote into a log is never sent as a request: the request is the first quoted field.
func TestOnlyRequestLinesOfALogAreSent(t *testing.T) {
	for name, line := range map[string]string{
		"the user agent":               `::1 - - [x] "-" 400 0 "-" "DELETE /all"`,
		"the referrer":                 `::1 - - [x] "\x16\x03\x01" 400 0 "DELETE /all HTTP/1.1" "-"`,
		"an escaped quote":             `::1 - - [x] "\"DELETE /all HTTP/1.1\"" 400 0`,
		"a user":                       `::1 - \"DELETE /all\" [x] "-" 400 0`,
		"the request of nginx in JSON": `{"request":"- \"DELETE /all HTTP/1.1\"","status":400}`,
		"after another text":           `::1 - - [x] "x DELETE /all HTTP/1.1" 400 0`,
	} {
		t.Run(name, func(t *testing.T) {
			var mutex sync.Mutex
			var got []string
			note := func(w http.ResponseWriter, r *http.Request) {
				mutex.Lock()
				defer mutex.Unlock()
				got = append(got, r.Method+" "+r.URL.Path)
			}
			other := `::1 - - [x] "GET /a HTTP/1.1" 200 0`
			if line[0] == '{' {
				other = `{"request":"GET /a HTTP/1.1"}`
			}
			status, printed, err := pair(t, note, note, line+"\n"+other+"\n", "-unsafe", "-H", "Authorization: Bearer secret")
			if status != exitEqual || err != nil || !strings.Contains(printed, "1 requests listed: 1 alike, 0 differ, 0 without a response, 1 skipped") {
				t.Errorf("got status %d, error %v and:\n%s", status, err, printed)
			}
			if want := "[GET /a GET /a]"; fmt.Sprint(got) != want {
				t.Errorf("the servers got %v, want %s", got, want)
			}
		})
	}
}

// Each pair of responses differs in one thing.
func TestComparedParts(t *testing.T) {
	type header = map[string][]string
	type answer struct {
		header header
		body   string
	}
	serve := func(a answer) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header()["Date"] = []string{"Mon, 02 Jan 2006 15:04:05 GMT"}
			w.Header()["Content-Type"] = []string{"application/json"}
			for name, values := range a.header {
				w.Header()[name] = values
			}
			fmt.Fprint(w, a.body)
		}
	}
	cookie := func(line ...string) answer { return answer{header{"Set-Cookie": line}, ""} }
	long := strings.Repeat("long ", 100)
	huge := strings.Repeat("x", maxBody)
	for name, c := range map[string]struct {
		old, new answer
		flags    []string
		want     string // empty if they are alike
	}{
		"CORS":                        {answer{header{"Access-Control-Allow-Origin": {"*"}}, ""}, answer{}, nil, "header Access-Control-Allow-Origin: `*`, now none"},
		"CORS, spelled otherwise":     {answer{header{"Access-Control-Allow-Headers": {"X-A, x-b"}}, ""}, answer{header{"Access-Control-Allow-Headers": {"X-B", "x-a"}}, ""}, nil, ""},
		"CSP":                         {answer{header{"Content-Security-Policy": {"default-src 'self'"}}, ""}, answer{}, nil, "header Content-Security-Policy"},
		"the order and nonces of CSP": {answer{header{"Content-Security-Policy": {"a b; script-src 'nonce-1'"}}, ""}, answer{header{"Content-Security-Policy": {"script-src 'nonce-2';  a b;"}}, ""}, nil, ""},
		"Retry-After":                 {answer{header{"Retry-After": {"60"}}, ""}, answer{header{"Retry-After": {"120"}}, ""}, nil, "header Retry-After: `60`, now `120`"},
		"a date of Retry-After":       {answer{header{"Retry-After": {"Mon, 02 Jan 2006 15:05:05 GMT"}}, ""}, answer{header{"Retry-After": {"Mon, 02 Jan 2006 15:05:05 GMT"}, "Date": {"Mon, 02 Jan 2006 15:03:05 GMT"}}, ""}, nil, "`in 60 seconds`, now `in 120 seconds`"},
		"another header":              {answer{header{"X-Shop": {"a"}}, ""}, answer{}, []string{"-headers", "x-shop"}, "header X-Shop: `a`, now none"},
		"-headers adds":               {answer{header{"Location": {"/a"}}, ""}, answer{}, []string{"-headers", "X-Shop"}, "header Location: `/a`, now none"},
		"-headers with a minus":       {answer{header{"Location": {"/a"}, "Vary": {"a"}}, ""}, answer{}, []string{"-headers", "-vary"}, "header Location: `/a`, now none"},
		"a header that is left out":   {answer{header{"Vary": {"a"}}, ""}, answer{}, []string{"-headers", "-vary"}, ""},
		"names in Vary":               {answer{header{"Vary": {"Accept"}}, ""}, answer{header{"Vary": {"accept"}}, ""}, nil, ""},
		"a header twice":              {answer{header{"Content-Type": {"text/plain"}}, ""}, answer{header{"Content-Type": {"text/plain", "text/html"}}, ""}, nil, "header Content-Type: `text/plain`, now `text/plain, text/html`"},

		"a value of a cookie":       {cookie("a=1; Path=/"), cookie("a=2; path=/"), nil, ""},
		"a deleted cookie":          {cookie("a=1; Path=/"), cookie("a=; Path=/; Max-Age=0"), nil, "header Set-Cookie: `a; Path=/`, now `a; deleted; Path=/`"},
		"both ways to delete":       {cookie("a=; Max-Age=0"), cookie("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"), nil, ""},
		"both ways to last":         {cookie("a=1; Max-Age=60"), cookie("a=1; Expires=Mon, 02 Jan 2006 15:05:05 GMT"), nil, ""},
		"how long it lasts":         {cookie("a=1; Max-Age=60"), cookie("a=1"), nil, "`a; for 60 seconds`, now `a`"},
		"attributes":                {cookie("a=1; HttpOnly; SameSite=Lax; Secure"), cookie("a=1; SameSite=None"), nil, "`a; Secure; HttpOnly; SameSite=Lax`, now `a; SameSite=None`"},
		"the domain of a cookie":    {cookie("a=1; Domain=.127.0.0.1"), cookie("a=1; Domain=example.com"), nil, "`a; Domain=its own`, now `a; Domain=example.com`"},
		"a name with brackets":      {cookie("prefs[theme]=dark; Path=/"), cookie(), nil, "`prefs[theme]; Path=/`, now none"},
		"a cookie twice":            {cookie("a=1"), cookie("a=1", "a=2"), nil, "`a`, now `a, a`"},
		"a cookie that is no token": {cookie("a b=1"), cookie(), nil, "`a b`, now none"},

		"JSON that is not UTF-8":    {answer{nil, "{\"a\":\"\xff\"}"}, answer{nil, "{\"a\":\"\xfe\"}"}, nil, `body (not JSON): "{\"a\":\"\xff\"}", now "{\"a\":\"\xfe\"}"`},
		"one that is not JSON":      {answer{nil, `{"a":1}`}, answer{nil, `{"a":1`}, nil, "body (not JSON): `{\"a\":1}`, now `{\"a\":1`"},
		"a member twice":            {answer{nil, `{"a":1,"b":2}`}, answer{nil, `{"b":2,"a":3,"a":1}`}, nil, "body/a: `1`, now `3`\n   body/a (number 2 of this name): none, now `1`\n"},
		"all differences of JSON":   {answer{nil, `{"a":1,"b":[1,2],"c":{"d":null}}`}, answer{nil, `{"a":2,"b":[1],"c":{"d":""}}`}, nil, "body/a: `1`, now `2`\n   body/b/1: `2`, now none\n   body/c/d: `null`, now `\"\"`\n"},
		"one row for all of them":   {answer{nil, `{"a":1,"b":1}`}, answer{nil, `{"a":2,"b":2}`}, nil, "1         body          GET /"},
		"other values":              {answer{nil, `{"a":[1, {"b": 2}]}`}, answer{nil, `{"a":"x"}`}, nil, "body/a: `[1,{\"b\":2}]`, now `\"x\"`"},
		"the end of a long text":    {answer{nil, `"` + long + `é1"`}, answer{nil, `"` + long + `é2"`}, nil, "long é1\"`, now …`"},
		"the end of a long body":    {answer{nil, huge + "a"}, answer{nil, huge + "b"}, nil, "body after 16 MiB: `1 bytes, SHA-256 ca978112ca1bbdca`, now `1 bytes, SHA-256 3e23e8160039594a`"},
		"a body that is longer":     {answer{nil, huge}, answer{nil, huge + "b"}, nil, "body after 16 MiB: none, now `1 bytes"},
		"long bodies that are same": {answer{nil, huge + "a"}, answer{nil, huge + "a"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			status, printed, err := pair(t, serve(c.old), serve(c.new), "/\n", c.flags...)
			if want := map[bool]int{true: exitEqual, false: exitDiffer}[c.want == ""]; status != want || err != nil || !strings.Contains(printed, c.want) {
				t.Errorf("got status %d, error %v and:\n%swant status %d and %q", status, err, printed, want, c.want)
			}
		})
	}
}

// TestSent checks the requests that the servers get.
func TestSent(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "plain", Value: "1"})
		w.Header().Add("Set-Cookie", `prefs[theme]="dark"; Path=/`)
		w.WriteHeader(299)
	}
	for name, c := range map[string]struct {
		list  string
		flags []string
		want  string // the last request
	}{
		"a query":              {"QUERY /a {\"b\":1}\n", nil, `QUERY /a, application/json: {"b":1}`},
		"a form":               {"POST /a name=a+b&user[name]=c d\n", []string{"-unsafe"}, `POST /a, application/x-www-form-urlencoded: name=a+b&user[name]=c d`},
		"JSON":                 {`PUT /a {"a": 1}`, []string{"-unsafe"}, `PUT /a, application/json: {"a": 1}`},
		"a type of its own":    {`PUT /a <a>`, []string{"-unsafe", "-H", "Content-Type: text/xml"}, `PUT /a, text/xml: <a>`},
		"a request line":       {"GET /a?user[name]=b HTTP/1.1", nil, "GET /a?user[name]=b, : "},
		"a body that is long":  {"POST /a a=" + strings.Repeat("x", 2<<20), []string{"-unsafe"}, "POST /a, application/x-www-form-urlencoded: a=" + strings.Repeat("x", 2<<20)},
		"a line that is long":  {`::1 - - [x] "GET /a HTTP/1.1" 200 0 "-" "` + strings.Repeat("x", 2<<20) + `"`, nil, "GET /a, : "},
		"a first line of TLS":  {`::1 - - [x] "\x16\x03\x01" 400 0` + "\n" + `::1 - - [x] "GET /b HTTP/1.1" 200 0`, nil, "GET /b, : "},
		"a space in a target":  {`{"method":"GET","uri":"/a b?c d"}`, nil, "GET /a%20b?c%20d, : "},
		"Host":                 {"/host", []string{"-H", "host: shop.example"}, "GET /host, : , host shop.example"},
		"cookies of before":    {"/a\n/b", []string{"-unsafe"}, `GET /b, : , cookies plain=1; prefs[theme]="dark"`},
		"cookies of before, H": {"/a\n/b", []string{"-unsafe", "-H", "Cookie: mine=1"}, `GET /b, : , cookies mine=1; plain=1; prefs[theme]="dark"`},
	} {
		t.Run(name, func(t *testing.T) {
			last := ""
			status, printed, err := pair(t, func(w http.ResponseWriter, r *http.Request) {
				body := new(strings.Builder)
				fmt.Fprintf(body, "%s %s, %s: ", r.Method, r.RequestURI, r.Header.Get("Content-Type"))
				r.Body = http.MaxBytesReader(w, r.Body, 4<<20)
				buffer := make([]byte, 32<<10)
				for {
					n, err := r.Body.Read(buffer)
					body.Write(buffer[:n])
					if err != nil {
						break
					}
				}
				if r.Host != r.Context().Value(http.LocalAddrContextKey).(fmt.Stringer).String() {
					body.WriteString(", host " + r.Host)
				}
				if cookies := r.Header.Get("Cookie"); cookies != "" {
					body.WriteString(", cookies " + cookies)
				}
				last = body.String()
				echo(w, r)
			}, echo, c.list, c.flags...)
			if status != exitEqual || err != nil || last != c.want {
				t.Errorf("got status %d, error %v and:\n%sthe server got %.300q, want %.300q", status, err, printed, last, c.want)
			}
		})
	}
}

// URLs with the Host of -H count as the server's own.
func TestHost(t *testing.T) {
	status, printed, err := pair(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://"+r.Host+"/a")
		w.Header().Add("Set-Cookie", "a=1; Domain=shop.example")
	}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "/a")
		w.Header().Add("Set-Cookie", "a=2; Domain=.shop.example")
	}, "/", "-H", "Host: shop.example:81")
	if status != exitEqual || err != nil {
		t.Errorf("got status %d, error %v and:\n%s", status, err, printed)
	}
}

// With -status, only the statuses are compared.
func TestStatusAlone(t *testing.T) {
	send := func(page string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", page)
			status := 404
			if page == "new" && r.URL.Path == "/b" {
				status = 403
			}
			w.WriteHeader(status)
			fmt.Fprint(w, page)
			if page == "old" {
				http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
		}
	}
	status, printed, err := pair(t, send("old"), send("new"), "/a\n", "-status")
	if status != exitEqual || err != nil {
		t.Errorf("got status %d, error %v and:\n%s", status, err, printed)
	}
	status, printed, err = pair(t, send("old"), send("new"), "/b\n", "-status")
	if status != exitDiffer || err != nil || !strings.Contains(printed, "status: `404`, now `403`") {
		t.Errorf("got status %d, error %v and:\n%s", status, err, printed)
	}
}

// A run that compares nothing is an error.
func TestNothingCompared(t *testing.T) {
	none := func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") }
	status, printed, err := pair(t, none, none, "POST /a\nDELETE /b\n")
	if status != exitError || err == nil || !strings.Contains(err.Error(), "nothing was compared") || !strings.Contains(printed, "2 left out") {
		t.Errorf("got status %d, error %v and:\n%s", status, err, printed)
	}
}
