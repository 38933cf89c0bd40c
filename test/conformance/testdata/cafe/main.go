// This program uses a client that was generated from swagger.json. It requests a flower that exists
// and one that does not, from the given host with the base path of the description.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	"generated/client"
	"generated/client/flowers"
)

func main() {
	api := client.NewHTTPClientWithConfig(nil, client.DefaultTransportConfig().WithHost(os.Args[1]))

	list, err := api.Flowers.GetFlowers(flowers.NewGetFlowersParams().WithName(&os.Args[2]))
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range list.Payload {
		fmt.Println("listed", *f.Slug)
	}

	found, err := api.Flowers.FindBySlug(flowers.NewFindBySlugParams().WithSlug("rose"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("found", *found.Payload.Slug, *found.Payload.Name)

	_, err = api.Flowers.FindBySlug(flowers.NewFindBySlugParams().WithSlug("no such flower"))
	var missing *flowers.FindBySlugNotFound
	if !errors.As(err, &missing) {
		log.Fatalf("the flower that is not there gives %v", err)
	}
	fmt.Println("not found")
}
