/**
 * A stand-in for the Vectorize binding (V2), bound as an RPC service where there is no account.
 *
 * It takes the same arguments, answers in the same shapes, refuses with the same codes, and shows a mutation
 * only after a while, as the real index does. It is exact where the real one is approximate: a query compares
 * every vector. The default entrypoint holds the switches that make it late, broken or full; production code
 * has no binding to it.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { check } from "./limits.js";

export { IndexStore } from "./store.js";

/** What `env.VECTORIZE` is in the main Worker. */
export class VectorizeIndex extends WorkerEntrypoint {
  async insert(vectors) {
    return this.#call("VECTOR_INSERT", "mutate", check.vectors("VECTOR_INSERT", vectors), "insert");
  }

  async upsert(vectors) {
    return this.#call("VECTOR_UPSERT", "mutate", check.vectors("VECTOR_UPSERT", vectors), "upsert");
  }

  async query(vector, options) {
    return this.#call("VECTOR_QUERY", "query", { vector: check.values(vector) }, check.options(options));
  }

  async queryById(vectorId, options) {
    return this.#call("VECTOR_QUERY", "query", { vectorId: check.id("VECTOR_QUERY", vectorId) }, check.options(options));
  }

  async getByIds(ids) {
    return this.#call("VECTOR_GET", "get", check.ids("VECTOR_GET", ids, 20));
  }

  async deleteByIds(ids) {
    return this.#call("VECTOR_DELETE", "mutate", check.ids("VECTOR_DELETE", ids, 100), "delete");
  }

  async describe() {
    return this.#call("INDEX_GET", "describe");
  }

  /** The object answers with a value or a refusal, never by throwing, so that the error keeps its text on the way. */
  async #call(operation, method, ...args) {
    const answer = await store(this.env).run(operation, method, args);
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  }
}

/**
 * The switches, for tests: `POST /` merges a JSON object into them, `DELETE /` resets them, `POST /release` makes
 * every held mutation visible, `GET /` tells switches and counts. See `DEFAULTS` in store.js.
 */
export default class Control extends WorkerEntrypoint {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    const index = store(this.env);
    if (request.method === "GET") return Response.json(await index.state());
    if (request.method === "DELETE") return Response.json(await index.reset());
    if (pathname === "/release") return Response.json(await index.release());
    return Response.json(await index.set(await request.json()));
  }
}

function store(env) {
  return env.INDEX.get(env.INDEX.idFromName("index"));
}
