// A list, a create and a refused call through the client that ogen made.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/ogen-go/ogen/ogenerrors"

	. "trilha/call/client"
)

// An API key, and no access token.
type credential struct{}

func (credential) ApiKey(context.Context, OperationName) (ApiKey, error) {
	return ApiKey{Token: os.Getenv("TRILHA_KEY")}, nil
}

func (credential) OAuth(context.Context, OperationName) (OAuth, error) {
	return OAuth{}, ogenerrors.ErrSkipClientSecurity
}

func main() {
	trilha, err := NewClient(os.Getenv("TRILHA_URL")+"/v1", credential{})
	must(err)
	list(trilha)
	create(trilha)
	refuse(trilha)
}

func list(trilha *Client) {
	answer, err := trilha.ListUsers(context.Background(), ListUsersParams{
		Department: NewOptString("Logística"),
		Limit:      NewOptInt(2),
		Status:     NewOptListUsersStatus(ListUsersStatusACTIVE),
	})
	must(err)
	page := answer.(*UserListHeaders).Response
	first := page.Data[0]
	fmt.Println("list", len(page.Data), first.Email.Value, first.Cnh.Value.Numero, page.NextCursor.Null)
}

func create(trilha *Client) {
	person := UserCreate{Email: "ogen@example.com", Name: "Criada"}
	person.Cnh.SetToNull()
	answer, err := trilha.CreateUser(context.Background(), &person, CreateUserParams{})
	must(err)
	made := answer.(*CreatedUserHeaders).Response.Data
	fmt.Println("create", made.Email.Value, made.Role.Value, made.Cnh.Null)
}

func refuse(trilha *Client) {
	person := UserCreate{Email: "refused@example.com", Name: "Recusada", Cpf: NewOptNilString("529.982.247-26")}
	answer, err := trilha.CreateUser(context.Background(), &person, CreateUserParams{})
	must(err)
	refused := answer.(*CreateUserBadRequest).Response.Error
	fmt.Println("refused", 400, refused.Type, refused.Code, refused.Field.Value)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
