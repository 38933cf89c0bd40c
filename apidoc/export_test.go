package apidoc

import "reflect"

// OperationOfTypes is NewOperation for types that a test makes while it runs.
func OperationOfTypes(id string, input, output reflect.Type) *Operation {
	return newOperation(id, "", input, output, []DescribeOption{Status(200)})
}
