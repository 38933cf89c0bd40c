package trees

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/go-faster/jx"
	"github.com/ogen-go/ogen/ogenerrors"
	"github.com/ogen-go/ogen/validate"

	"example.com/flowercafe/benchmarks/trees/oas"
)

// This file has the functions that the generated server calls.

// Ogen returns the API with the server that ogen generates.
func Ogen() (http.Handler, error) {
	var s ogenHandler
	for _, t := range sample() {
		s.store = append(s.store, oas.Tree{Name: t.Name, Kind: oas.TreeKind(t.Kind), Height: t.Height, Tags: t.Tags})
	}
	return oas.NewServer(s, oas.WithErrorHandler(writeOgenError))
}

type ogenHandler struct{ store[oas.Tree] }

func (h ogenHandler) GetTree(_ context.Context, in oas.GetTreeParams) (oas.GetTreeRes, error) {
	t, err := h.find(int(in.ID))
	if err != nil {
		return &oas.GetTreeNotFound{Type: "about:blank", Title: "No such tree", Status: http.StatusNotFound}, nil
	}
	tag := h.version(int(in.ID))
	if in.IfNoneMatch.Value == tag {
		return &oas.GetTreeNotModified{ETag: oas.NewOptString(tag)}, nil
	}
	return &oas.TreeHeaders{ETag: oas.NewOptString(tag), Response: t}, nil
}

func (h ogenHandler) AddTree(_ context.Context, t *oas.Tree) (oas.AddTreeRes, error) {
	return t, nil
}

func (h ogenHandler) ListTrees(_ context.Context, in oas.ListTreesParams) (oas.ListTreesRes, error) {
	list := oas.ListTreesOKApplicationJSON(h.list(int(in.Limit.Value)))
	return &list, nil
}

// writeOgenError writes the problem that typed operations send. Ogen's own response has another
// status and one text.
func writeOgenError(_ context.Context, w http.ResponseWriter, _ *http.Request, err error) {
	p := oas.Problem{Type: "about:blank", Status: int64(ogenerrors.ErrorCode(err))}
	p.Title = http.StatusText(int(p.Status))
	if invalid := (*validate.Error)(nil); errors.As(err, &invalid) {
		list := make([]violation, len(invalid.Fields))
		for i, f := range invalid.Fields {
			list[i] = ogenViolation(f)
		}
		p = ogenProblem(refuse(list...))
	}
	e := jx.GetEncoder()
	defer jx.PutEncoder(e)
	p.Encode(e)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(int(p.Status))
	w.Write(e.Bytes())
}

func ogenViolation(f validate.FieldError) violation {
	tooLong := (*validate.MaxLengthError)(nil)
	switch {
	case f.Name == "name" && errors.As(f.Error, &tooLong):
		return longName
	case f.Name == "name":
		return shortName
	case f.Name == "kind":
		return unknownKind
	case f.Name == "height" && strings.Contains(f.Error.Error(), "greater"): // the error of a number is a text
		return largeHeight
	case f.Name == "height":
		return lowHeight
	default:
		return manyTags
	}
}

func ogenProblem(p problem) oas.Problem {
	out := oas.Problem{
		Type: p.Type, Title: p.Title, Status: int64(p.Status),
		Code: oas.NewOptString(p.Code), Detail: oas.NewOptString(p.Detail), Errors: make([]oas.InputError, len(p.Errors)),
	}
	for i, v := range p.Errors {
		limit, _ := json.Marshal(v.Limit)
		out.Errors[i] = oas.InputError{
			In: v.In, Pointer: oas.NewOptString(v.Pointer), Detail: v.Detail, Code: oas.NewOptString(v.Code), Limit: limit,
		}
	}
	return out
}
