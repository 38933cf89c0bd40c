// This program calls both versions of the depot with clients made by oapi-codegen.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"

	"generated/one"
	"generated/two"
)

func with(name, value string) func(context.Context, *http.Request) error {
	return func(_ context.Context, r *http.Request) error {
		r.Header.Set(name, value)
		return nil
	}
}

func main() {
	client := must(one.NewClientWithResponses(os.Args[1]))
	photo := must(os.ReadFile(os.Args[3]))
	ctx := context.Background()
	reader, writer := with("Authorization", "Bearer reader"), with("Authorization", "Bearer writer")

	fmt.Println("works", string(must(client.GetHealthWithResponse(ctx)).Body))

	denied := must(client.ListPartsWithResponse(ctx, nil))
	fmt.Println("denied", denied.StatusCode(), denied.HTTPResponse.Header.Get("WWW-Authenticate"))

	limit := int64(2)
	page := must(client.ListPartsWithResponse(ctx, &one.ListPartsParams{Limit: &limit}, reader)).JSON200
	rest := must(client.ListPartsWithResponse(ctx, &one.ListPartsParams{After: page.Next}, reader)).JSON200
	fmt.Println("listed", len(page.Parts), "and", len(rest.Parts))

	created := must(client.PostPartsWithResponse(ctx, one.NewPart{Name: "Spring"}, writer)).JSON201
	fmt.Println("created", created.Name, "by", *created.By)
	refused := must(client.PostPartsWithResponse(ctx, one.NewPart{}, writer)).ApplicationproblemJSON422
	fmt.Println("refused", *(*refused.Errors)[0].Pointer)
	forbidden := must(client.PostPartsWithResponse(ctx, one.NewPart{Name: "Spring"}, reader))
	fmt.Println("forbidden", forbidden.StatusCode(), forbidden.HTTPResponse.Header.Get("WWW-Authenticate"))

	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("title", "Spring")
	part := must(form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="drawing"; filename="spring.png"`}, "Content-Type": {"image/png"},
	}))
	part.Write(photo)
	form.Close()
	stored := must(client.StoreDrawingWithBodyWithResponse(ctx, created.Id, form.FormDataContentType(), &body, writer)).JSON200
	fmt.Println("stored", stored.Title, stored.Bytes == int64(len(photo)), "by", stored.By)

	fmt.Println("lacking", must(client.RemovePartWithResponse(ctx, created.Id, writer)).StatusCode())
	fmt.Println("removed", must(client.RemovePartWithResponse(ctx, created.Id, with("X-Key", "open-sesame"))).StatusCode())
	fmt.Println("missing", must(client.GetPartsIdWithResponse(ctx, created.Id, reader)).ApplicationproblemJSON404.Title)

	company := must(must(two.NewClientWithResponses(os.Args[2])).ListPartsOfWithResponse(ctx, nil, two.RequestEditorFn(reader))).JSON200
	fmt.Println("company", company.Tenant, len(company.Page.Parts))
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
