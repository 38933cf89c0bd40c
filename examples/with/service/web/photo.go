package web

import (
	"context"
	"net/http"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file has the page of a room, on which users upload its photo. The API has the download.

type photo struct {
	Photo apidoc.File `form:"photo,required" accept:"image/png,image/jpeg" maxLength:"2000000"`
}

var photoForm = apidoc.NewFormReader[photo](apidoc.BodyLimit(3 << 20))

func (s *Site) room(c routing.Context, form *apidoc.Form[photo]) (routing.Result, error) {
	room, err := s.Store.Room(c.Request().Context(), houseOf(c).ID, c.Params().GetOr("room", ""))
	if err != nil {
		return routing.Result{}, err
	}
	return s.page(c, "room", room.Name, map[string]any{"Form": form, "Room": room})
}

func (s *Site) upload(c routing.Context) (routing.Result, error) {
	if s.user(c) == "" {
		return routing.Result{}, &routing.Problem{Status: http.StatusForbidden, Detail: "Log in first."}
	}
	form, err := photoForm.Read(c)
	if err != nil {
		return routing.Result{}, err
	}
	if !form.Valid() {
		c.SetStatus(http.StatusUnprocessableEntity)
		return s.room(c, form)
	}
	content, err := form.Value.Photo.Bytes()
	if err != nil {
		return routing.Result{}, err
	}
	ctx, house, room := c.Request().Context(), houseOf(c).ID, c.Params().GetOr("room", "")
	err = s.Store.Change(ctx, house, func(ctx context.Context) error {
		if _, err := s.Store.Room(ctx, house, room); err != nil {
			return err
		}
		return s.Store.SetPhoto(ctx, house, room, content)
	})
	if err != nil {
		return routing.Result{}, err
	}
	return routing.Result{}, routing.SeeOther(c.Path("/rooms/" + room))
}
