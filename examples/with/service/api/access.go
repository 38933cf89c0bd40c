package api

import (
	"context"
	"crypto/sha256"
	"slices"

	"example.com/flowercafe/apidoc"
)

// Access has the scopes of each token by the token's SHA-256, so that neither this map nor the time
// to search it reveals a token.
type Access map[[sha256.Size]byte][]string

// Allow adds a token.
func (a Access) Allow(token string, scopes ...string) { a[sha256.Sum256([]byte(token))] = scopes }

// Token is the security of operations that require one of these tokens.
func (a Access) Token() *apidoc.Security { return apidoc.Bearer("token", a.check) }

func (a Access) check(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	scopes, known := a[sha256.Sum256([]byte(c.Token))]
	if !known {
		return nil, apidoc.ErrUnauthorized
	}
	for _, needed := range c.Scopes {
		if !slices.Contains(scopes, needed) {
			return nil, apidoc.ErrForbidden
		}
	}
	return ctx, nil
}
