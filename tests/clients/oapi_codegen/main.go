// A list, a create and a refused call through the client that oapi-codegen made.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/oapi-codegen/nullable"

	. "trilha/call/client"
)

func main() {
	key := WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TRILHA_KEY"))
		return nil
	})
	trilha, err := NewClientWithResponses(os.Getenv("TRILHA_URL")+"/v1", key)
	must(err)
	list(trilha)
	create(trilha)
	refuse(trilha)
}

func list(trilha *ClientWithResponses) {
	department, limit, status := "Logística", 2, ListUsersParamsStatusACTIVE
	parameters := ListUsersParams{Department: &department, Limit: &limit, Status: &status}
	answer, err := trilha.ListUsersWithResponse(context.Background(), &parameters)
	must(err)
	page := answer.JSON200
	first := page.Data[0]
	fmt.Println("list", len(page.Data), *first.Email, first.Cnh.MustGet().Numero, page.NextCursor.IsNull())
}

func create(trilha *ClientWithResponses) {
	person := UserCreate{
		Email: "oapi.codegen@example.com",
		Name:  "Criada",
		Cnh:   nullable.NewNullNullable[CnhCreate](),
	}
	answer, err := trilha.CreateUserWithResponse(context.Background(), &CreateUserParams{}, person)
	must(err)
	made := answer.JSON201
	fmt.Println("create", *made.Data.Email, *made.Data.Role, made.Data.Cnh.IsNull())
}

func refuse(trilha *ClientWithResponses) {
	person := UserCreate{
		Email: "refused@example.com",
		Name:  "Recusada",
		Cpf:   nullable.NewNullableWithValue("529.982.247-26"),
	}
	answer, err := trilha.CreateUserWithResponse(context.Background(), &CreateUserParams{}, person)
	must(err)
	refused := answer.JSON400.Error
	fmt.Println("refused", answer.StatusCode(), refused.Type, refused.Code, *refused.Field)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
