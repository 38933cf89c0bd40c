// Package garden is a server with one operation of every kind for the viewer: reading, writing
// JSON, a form, an upload and an image.
package garden

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/flowercatalog"
)

// The description is written by hand, with features that the catalog's does not have.
var (
	//go:embed garden.openapi.json
	openAPI []byte
	//go:embed garden.swagger.json
	swagger []byte
	//go:embed photo.png
	photo []byte
)

// New returns the server below a base path.
func New(base string, options ...flowercafe.Option) (*flowercafe.App, error) {
	app, err := flowercafe.New(append([]flowercafe.Option{
		flowercafe.WithBasePath(base),
		flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New(viewer.WithMoreFormats(viewer.Format{Name: "Spec 2.0", URL: "../spec.json"})))),
	}, options...)...)
	if err != nil {
		return nil, err
	}
	routes := app.Catalog().Routes()
	routes.Handle("GET", "/api-docs/openapi.json", document(openAPI))
	routes.Handle("GET", "/api-docs/swagger.json", document(swagger))
	routes.Handle("POST", "/flowers/", http.HandlerFunc(plant))
	routes.Handle("POST", "/flowers/:slug/notes", http.HandlerFunc(note))
	routes.Handle("POST", "/flowers/:slug/photo", http.HandlerFunc(upload))
	routes.Handle("GET", "/flowers/:slug/photo", http.HandlerFunc(show))
	return app, nil
}

func document(text []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	})
}

func plant(w http.ResponseWriter, r *http.Request) {
	var flower flowercatalog.Flower
	if err := json.NewDecoder(r.Body).Decode(&flower); err != nil {
		http.Error(w, "not a flower", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	json.NewEncoder(w).Encode(flower)
}

func note(w http.ResponseWriter, r *http.Request) {
	fmt.Fprintf(w, "noted %q of %s", r.FormValue("text"), r.PathValue("slug"))
}

func upload(w http.ResponseWriter, r *http.Request) {
	file, header, err := r.FormFile("photo")
	if err != nil {
		http.Error(w, "no photo", http.StatusBadRequest)
		return
	}
	size, err := io.Copy(io.Discard, file)
	if err != nil {
		http.Error(w, "no photo", http.StatusBadRequest)
		return
	}
	fmt.Fprintf(w, "%d bytes of %s for %s", size, header.Filename, r.PathValue("slug"))
}

func show(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	w.Write(photo)
}
