// A list, a create and a refused call through the client that openapi-generator made for axios.
import { isAxiosError } from "axios";
import { Configuration, type ErrorEnvelope, ListUsersStatusEnum, type UserCreate, UsersApi } from "./client/index.js";

const users = new UsersApi(
  new Configuration({ basePath: `${process.env.TRILHA_URL}/v1`, accessToken: process.env.TRILHA_KEY }),
);

const page = (await users.listUsers({ department: "Logística", limit: 2, status: ListUsersStatusEnum.Active })).data;
const first = page.data[0];
console.log("list", page.data.length, first.email, first.cnh?.numero, page.next_cursor === null);

const person: UserCreate = { email: "openapi.generator.typescript@example.com", name: "Criada", cnh: null };
const made = (await users.createUser({ userCreate: person })).data.data;
console.log("create", made.email, made.role, made.cnh === null);

try {
  await users.createUser({ userCreate: { email: "refused@example.com", name: "Recusada", cpf: "529.982.247-26" } });
} catch (failure) {
  if (!isAxiosError<ErrorEnvelope>(failure)) throw failure;
  const refused = failure.response?.data.error;
  console.log("refused", failure.response?.status, refused?.type, refused?.code, refused?.field);
}
