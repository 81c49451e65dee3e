// One call through the generated types; what they do not allow does not compile.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { env: Record<string, string> };

const client = createClient<paths>({
  baseUrl: `${process.env.TRILHA_URL}/v1`,
  headers: { Authorization: `Bearer ${process.env.TRILHA_KEY}` },
});

const person: components["schemas"]["UserCreate"] = { email: "typed@example.com", name: "Tipada", role: "gestor" };
const made = await client.POST("/users", { body: person });
if (made.error) throw new Error(made.error.error.code);
const read = await client.GET("/users/{user_id}", { params: { path: { user_id: made.data.data.id } } });
if (read.error) throw new Error(read.error.error.code);
console.log(read.data.data.email);
