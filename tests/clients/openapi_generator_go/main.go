// A list, a create and a refused call through the client that openapi-generator made.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	. "trilha/call/client"
)

func main() {
	configuration := NewConfiguration()
	configuration.Servers = ServerConfigurations{{URL: os.Getenv("TRILHA_URL") + "/v1"}}
	trilha := NewAPIClient(configuration)
	with := context.WithValue(context.Background(), ContextAccessToken, os.Getenv("TRILHA_KEY"))
	list(with, trilha)
	create(with, trilha)
	refuse(with, trilha)
}

func list(with context.Context, trilha *APIClient) {
	asked := trilha.UsersAPI.ListUsers(with).Department("Logística").Limit(2).Status("ACTIVE")
	page, _, err := asked.Execute()
	must(err)
	first := page.Data[0]
	fmt.Println("list", len(page.Data), *first.Email, first.Cnh.Get().Numero, page.NextCursor.Get() == nil)
}

func create(with context.Context, trilha *APIClient) {
	person := NewUserCreate("openapi.generator.go@example.com", "Criada")
	person.SetCnhNil()
	made, _, err := trilha.UsersAPI.CreateUser(with).UserCreate(*person).Execute()
	must(err)
	fmt.Println("create", *made.Data.Email, *made.Data.Role, made.Data.Cnh.Get() == nil)
}

func refuse(with context.Context, trilha *APIClient) {
	person := NewUserCreate("refused@example.com", "Recusada")
	person.SetCpf("529.982.247-26")
	_, answer, err := trilha.UsersAPI.CreateUser(with).UserCreate(*person).Execute()
	var failure *GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(err)
	}
	refused := failure.Model().(ErrorEnvelope).Error
	fmt.Println("refused", answer.StatusCode, refused.Type, refused.Code, *refused.Field)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
