package conformance

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-openapi/loads"
	"github.com/go-openapi/strfmt"
	"github.com/go-openapi/validate"
	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"go.yaml.in/yaml/v3"
)

// validateSwagger runs go-openapi's validator, which also checks rules beyond the schema: path
// parameters and unique IDs.
func validateSwagger(document []byte) error {
	loaded, err := loads.Analyzed(json.RawMessage(document), "")
	if err != nil {
		return err
	}
	return validate.Spec(loaded, strfmt.Default)
}

// validateOpenAPI runs pb33f's validator, which has the published schemas of OpenAPI 3.0, 3.1 and
// 3.2.
func validateOpenAPI(t *testing.T, document []byte) []string {
	t.Helper()
	loaded, err := libopenapi.NewDocument(document)
	if err != nil {
		return []string{err.Error()}
	}
	v, errs := validator.NewValidator(loaded)
	if len(errs) > 0 {
		return []string{errs[0].Error()}
	}
	var problems []string
	if valid, found := v.ValidateDocument(); !valid {
		for _, f := range found {
			problems = append(problems, f.Error())
		}
	}
	return problems
}

// validateWithKin runs kin-openapi, which also checks examples and defaults against their schemas.
// Of OpenAPI 3.2, it does not know the flow of devices and the new members of tags.
func validateWithKin(document []byte) error {
	loaded, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return err
	}
	unknown := openapi3.AllowExtraSiblingFields("deviceAuthorization", "summary", "parent", "kind")
	return loaded.Validate(context.Background(), openapi3.EnableExamplesValidation(), unknown)
}

func TestValidatorsAccept(t *testing.T) {
	for _, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			docs := serve(t, host.start(t)) + strings.ReplaceAll(host.base, " ", "%20") + "/api-docs"
			if err := validateSwagger(fetch(t, docs+"/swagger.json")); err != nil {
				t.Errorf("swagger.json: %v", err)
			}
			for _, form := range openAPIForms {
				document := fetch(t, docs+"/"+form)
				for _, problem := range validateOpenAPI(t, document) {
					t.Errorf("%s: libopenapi: %s", form, problem)
				}
				if err := validateWithKin(document); err != nil {
					t.Errorf("%s: kin-openapi: %v", form, err)
				}
			}
		})
	}
}

// The description in JSON is valid YAML too.
func TestJSONIsYAML(t *testing.T) {
	for _, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			docs := serve(t, host.start(t)) + strings.ReplaceAll(host.base, " ", "%20") + "/api-docs"
			for _, form := range openAPIForms {
				var fromJSON, fromYAML map[string]any
				document := fetch(t, docs+"/"+form)
				if err := json.Unmarshal(document, &fromJSON); err != nil {
					t.Fatal(err)
				}
				if err := yaml.Unmarshal(document, &fromYAML); err != nil {
					t.Fatal(err)
				}
				again, err := json.Marshal(fromYAML)
				if err != nil {
					t.Fatal(err)
				}
				fromYAML = nil
				if err := json.Unmarshal(again, &fromYAML); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
					t.Errorf("%s: read as JSON and as YAML it differs: %s", form, diff)
				}
			}
		})
	}
}

// The validators find known errors.
func TestValidatorsRefuse(t *testing.T) {
	docs := serve(t, newCafe("")(t)) + "/api-docs"
	swagger, openAPI := string(fetch(t, docs+"/swagger.json")), string(fetch(t, docs+"/openapi.json"))
	for _, c := range []struct{ name, old, new string }{
		{"both members", `"swagger": "2.0",`, `"swagger": "2.0", "spec": "2.0",`},
		{"security section null", `"securityDefinitions": {}`, `"securityDefinitions": null`},
		{"ID twice", `"findBySlug"`, `"getFlowers"`},
		{"parameter not in the path", `"/flowers/{slug}"`, `"/flowers/{other}"`},
		{"reference to nothing", `"$ref": "#/definitions/Flower"`, `"$ref": "#/definitions/Tree"`},
	} {
		if broken := strings.Replace(swagger, c.old, c.new, 1); broken == swagger {
			t.Errorf("%s: there is no %s in %s", c.name, c.old, swagger)
		} else if validateSwagger([]byte(broken)) == nil {
			t.Errorf("%s: swagger.json is accepted", c.name)
		}
	}
	for _, c := range []struct{ name, old, new string }{
		{"no title", `"title":`, `"x-title":`},
		{"type of Swagger 2.0", `"schema": {`, `"type": "string", "schema": {`},
		{"parameter in a form", `"in": "path"`, `"in": "formData"`},
	} {
		if broken := strings.Replace(openAPI, c.old, c.new, 1); broken == openAPI {
			t.Errorf("%s: there is no %s in %s", c.name, c.old, openAPI)
		} else if len(validateOpenAPI(t, []byte(broken))) == 0 {
			t.Errorf("%s: openapi.json is accepted", c.name)
		}
	}
}

// Validators of Swagger 2.0 refuse the format of the contract, because of its member "spec". That
// is why swagger.json exists.
func TestSpecIsNotSwagger(t *testing.T) {
	if validateSwagger(fetch(t, serve(t, newCafe("")(t))+"/api-docs/spec.json")) == nil {
		t.Error("spec.json is accepted as Swagger 2.0")
	}
}
