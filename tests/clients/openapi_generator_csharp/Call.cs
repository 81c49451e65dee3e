// A list, a create and a refused call through the client that openapi-generator made.
using System;
using System.Linq;
using Newtonsoft.Json;
using TrilhaClient.Api;
using TrilhaClient.Client;
using TrilhaClient.Model;

public static class Call
{
    public static void Main()
    {
        var configuration = new Configuration
        {
            BasePath = Environment.GetEnvironmentVariable("TRILHA_URL") + "/v1",
            AccessToken = Environment.GetEnvironmentVariable("TRILHA_KEY"),
        };
        var users = new UsersApi(configuration);
        List(users);
        Create(users);
        Refuse(users);
    }

    static void List(UsersApi users)
    {
        UserList page = users.ListUsers(department: "Logística", limit: 2, status: "ACTIVE");
        User first = page.Data[0];
        Told("list", page.Data.Count, first.Email, first.Cnh.Numero, page.NextCursor == null);
    }

    static void Create(UsersApi users)
    {
        var person = new UserCreate(email: "openapi.generator.csharp@example.com", name: "Criada", cnh: null);
        User made = users.CreateUser(person).Data;
        Told("create", made.Email, made.Role, made.Cnh == null);
    }

    static void Refuse(UsersApi users)
    {
        var person = new UserCreate(email: "refused@example.com", name: "Recusada", cpf: "529.982.247-26");
        try
        {
            users.CreateUser(person);
        }
        catch (ApiException refusal)
        {
            var text = (string)refusal.ErrorContent;
            var refused = JsonConvert.DeserializeObject<ErrorEnvelope>(text).Error;
            Told("refused", refusal.ErrorCode, refused.Type, refused.Code, refused.Field);
        }
    }

    static void Told(params object[] words) => Console.WriteLine(string.Join(" ", words.Select(OnTheWire)));

    static string OnTheWire(object word) => JsonConvert.SerializeObject(word).Trim('"');
}
