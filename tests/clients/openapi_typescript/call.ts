// A list, a create and a refused call through the types that openapi-typescript made; what they do not allow does
// not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

const client = createClient<paths>({
  baseUrl: `${process.env.TRILHA_URL}/v1`,
  headers: { Authorization: `Bearer ${process.env.TRILHA_KEY}` },
});

const listed = await client.GET("/users", { params: { query: { department: "Logística", limit: 2, status: "ACTIVE" } } });
if (listed.error) throw new Error(listed.error.error.code);
const [first] = listed.data.data;
console.log("list", listed.data.data.length, first?.email, first?.cnh?.numero, listed.data.next_cursor === null);

const person: components["schemas"]["UserCreate"] = {
  email: "openapi.typescript@example.com",
  name: "Criada",
  role: "learner",
  cnh: null,
};
const made = await client.POST("/users", { body: person });
if (made.error) throw new Error(made.error.error.code);
console.log("create", made.data.data.email, made.data.data.role, made.data.data.cnh === null);

const body = { email: "refused@example.com", name: "Recusada", role: "learner", cpf: "529.982.247-26" } as const;
const { error, response } = await client.POST("/users", { body });
console.log("refused", response.status, error?.error.type, error?.error.code, error?.error.field);
