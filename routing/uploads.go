package routing

import "net/http"

// A handler or an action that parses a multipart form itself may leave files in the directory for temporary files. The server removes
// them when the request ends, but only those of the very request that it has made: where a host or the engine has copied the request,
// as http.StripPrefix does, they would stay for ever (golang/go#58809). So whoever gives a request on removes them.

// hasForm tells whether a request has a form by now. One that was parsed before is not ours to remove.
func hasForm(r *http.Request) bool { return r.MultipartForm != nil }

// removeFiles removes the files of a form that was parsed since had was asked for by hasForm.
func removeFiles(r *http.Request, had bool) {
	if !had && r.MultipartForm != nil {
		r.MultipartForm.RemoveAll() // a file that cannot be removed is the system's to clean up, as with the server's own
	}
}

// removeUploads removes the files of forms that were parsed during the request.
func (x *exchange) removeUploads() {
	if x.uploads {
		x.uploads = false
		removeFiles(x.received, false)
		removeFiles(x.r, false)
	}
}
