import java.io.IOException;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.UsersApi;
import org.openapitools.client.model.ErrorBody;
import org.openapitools.client.model.ErrorEnvelope;
import org.openapitools.client.model.User;
import org.openapitools.client.model.UserCreate;
import org.openapitools.client.model.UserList;

/** A list, a create and a refused call through the client that openapi-generator made. */
public class Call {
    public static void main(String[] arguments) throws ApiException, IOException {
        ApiClient client = new ApiClient();
        client.setBasePath(System.getenv("TRILHA_URL") + "/v1");
        client.setBearerToken(System.getenv("TRILHA_KEY"));
        UsersApi users = new UsersApi(client);
        list(users);
        create(users);
        refuse(users);
        client.getHttpClient().connectionPool().evictAll();
    }

    static void list(UsersApi users) throws ApiException {
        UserList page = users.listUsers().department("Logística").limit(2).status("ACTIVE").execute();
        List<User> people = page.getData();
        User first = people.get(0);
        System.out.println("list " + people.size() + " " + first.getEmail() + " " + first.getCnh().getNumero()
            + " " + (page.getNextCursor() == null));
    }

    static void create(UsersApi users) throws ApiException {
        UserCreate person = new UserCreate().email("openapi.generator.java@example.com").name("Criada").cnh(null);
        User made = users.createUser(person).execute().getData();
        System.out.println("create " + made.getEmail() + " " + made.getRole() + " " + (made.getCnh() == null));
    }

    static void refuse(UsersApi users) throws IOException {
        UserCreate person = new UserCreate().email("refused@example.com").name("Recusada").cpf("529.982.247-26");
        try {
            users.createUser(person).execute();
        } catch (ApiException refusal) {
            ErrorBody refused = ErrorEnvelope.fromJson(refusal.getResponseBody()).getError();
            System.out.println("refused " + refusal.getCode() + " " + refused.getType() + " " + refused.getCode()
                + " " + refused.getField());
        }
    }
}
