package apidoc_test

import (
	"context"
	"reflect"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// The error of a refused field says where the field is. Its value stays.
func TestRefusedFields(t *testing.T) {
	type search struct {
		House string `path:"house"`
		Name  string `query:"name"`
	}
	app := routing.New()
	app.Get("/:house", func(c routing.Context) (routing.Result, error) {
		form, err := apidoc.NewFormReader[search]().Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		form.Refuse("house", "is full")
		form.Refuse("name", "is taken")
		form.Refuse("", "is late")
		want := []apidoc.InputError{
			{In: apidoc.InPath, Name: "house", Detail: "is full"}, {In: apidoc.InQuery, Name: "name", Detail: "is taken"}, {In: apidoc.InForm, Detail: "is late"},
		}
		if !reflect.DeepEqual(form.Errors, want) {
			t.Errorf("got %+v, want %+v", form.Errors, want)
		}
		if form.Value != (search{"rose", "Ann"}) {
			t.Errorf("the value is %+v", form.Value)
		}
		return routing.Text("read"), nil
	})
	if w := call(app, "GET", "/rose?name=Ann", "", ""); w.Body.String() != "read" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// The letter case of a file's Content-Type does not matter.
func TestLetterCaseOfFileTypes(t *testing.T) {
	type input struct {
		File apidoc.File `form:"file,required" accept:"image/png,Text/Markdown"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in input) (string, error) { return in.File.ContentType, nil })
	for _, c := range []struct{ contentType, content, want string }{
		{"Application/Octet-Stream", pngStart, "image/png"},
		{"TEXT/Markdown", "<html># Oak", "TEXT/Markdown"},
	} {
		contentType, body := multipartBody(part{"file", c.contentType, c.content})
		if w := call(app, "POST", "/", contentType, body); w.Body.String() != c.want {
			t.Errorf("%s: got %d %s, want %s", c.contentType, w.Code, w.Body, c.want)
		}
	}
}
