// Package respond makes responses: HTML templates, files, server-sent events, redirects of old
// URLs, and headers for conditional requests, caches and downloads. It also has a filter for
// multipart forms, and middleware that refuses ambiguous paths.
//
//	pages := template.Must(template.ParseFS(files, "pages/*.html"))
//
//	app.Get("/", func(c routing.Context) (routing.Result, error) {
//		return respond.Template(pages, "home.html", visitor)
//	})
//	app.Get("/assets/*", respond.Files(assets))
//	app.Get("/news", func(c routing.Context) (routing.Result, error) {
//		return respond.Events(news.Follow), nil
//	})
package respond
