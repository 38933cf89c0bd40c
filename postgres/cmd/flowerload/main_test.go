package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

const roses = `[{"slug":"rose","name":"Rose, red"},{"slug":"lily","name":"Lily"}]`

func TestFlowerload(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	for _, test := range []struct {
		name, text string
		args       []string
		want       string // the list afterwards
		says       string // an error; the list stays
	}{
		{"a.json", roses, nil, "rose=Rose, red lily=Lily", ""},
		{"b.csv", "slug,name\ntulip,\"Tulip \"\"black\"\"\"\n", nil, `tulip=Tulip "black"`, ""},
		{"c.csv", "daisy,Daisy", nil, "daisy=Daisy", ""},
		{"d", roses, []string{"-format", "json", "-quiet"}, "rose=Rose, red lily=Lily", ""},
		{"e", roses, nil, "", "write -format"},
		{"f.json", `[{"slug":"a","name":"A"},{"slug":"a","name":"A"}]`, nil, "", "a slug occurs twice"},
		{"g.json", `[{"slug":"a","name":"A"},{"slug":"b"}]`, nil, "", `flower 2: the member "name" is missing`},
		{"h.csv", "a,A\nb,B,C\n", nil, "", "line 2"},
	} {
		file := filepath.Join(t.TempDir(), test.name)
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		err := run(t.Context(), append(test.args, "-dsn", dsn, file), nil, &stdout, &stderr)
		if test.says != "" {
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("%s: got %v, want %q", test.name, err, test.says)
			}
			continue
		}
		if err != nil || !strings.HasPrefix(stdout.String(), "loaded ") {
			t.Errorf("%s: got %v, %q", test.name, err, stdout.String())
		}
		if got := list(t, dsn); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	err := run(t.Context(), []string{"-dsn", dsn, "-format", "json", "-"}, strings.NewReader("[]"), io.Discard, io.Discard)
	if got := list(t, dsn); err != nil || got != "" {
		t.Errorf("nothing from standard input: got %v and %q, want no flowers", err, got)
	}
}

func list(t *testing.T, dsn string) string {
	t.Helper()
	store, err := flowers.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var all []string
	err = store.List(t.Context(), flowercatalog.Page{}, func(f flowercatalog.Flower) error {
		all = append(all, f.Slug+"="+f.Name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}
