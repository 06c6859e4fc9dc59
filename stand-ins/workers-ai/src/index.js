/**
 * A stand-in for the `AI` binding, bound as an RPC service where there is no account.
 *
 * `run` takes the same three arguments, answers in the same shapes (an object, or a byte stream of server-sent events
 * where `stream` is asked for), and throws errors whose messages begin with the same codes. It thinks nothing: it
 * repeats what it was asked, or says what a test scripted. The default entrypoint holds the script; production code
 * has no binding to it.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import { Refusal, validated } from "./limits.js";
import { embedding, modelOf } from "./models.js";
import { complete, stream } from "./answers.js";

/** Every call, and what was scripted; one isolate, so one state. */
const state = { calls: [], scripts: [], stopped: 0, dimensions: 1024 };

/** What `env.AI` is in the main Worker. */
export class Ai extends WorkerEntrypoint {
  async run(name, inputs, options = {}) {
    const call = { model: name, inputs, options };
    state.calls.push(call);
    try {
      const model = modelOf(name);
      validated(model, inputs);
      if (model.task === "embeddings") return embedding(inputs, next("embeddings", inputs) ?? {}, state.dimensions);
      const script = next(kindOf(inputs), inputs) ?? {};
      if (script.error) throw new Refusal(script.error.code, script.error.text);
      if (!inputs.stream) return complete(model, inputs, script);
      return stream(model, inputs, script, () => { state.stopped += 1; });
    } catch (error) {
      // Across RPC an error keeps its message, and that is all that the real one is told apart by.
      if (error instanceof Refusal) throw new Error(error.message);
      throw error;
    }
  }
}

/**
 * `GET /` tells calls and counts · `POST /` adds scripts, `{for: KIND, …}` · `DELETE /` begins anew. Kinds: `chat` is streamed,
 * `json` has a response format, `words` has neither, `embeddings`. */
export default class Control extends WorkerEntrypoint {
  async fetch(request) {
    if (request.method === "POST") {
      const { dimensions, scripts = [] } = await request.json();
      if (dimensions) state.dimensions = dimensions;
      state.scripts.push(...scripts);
    }
    if (request.method === "DELETE") Object.assign(state, { calls: [], scripts: [], stopped: 0, dimensions: 1024 });
    return Response.json(state);
  }
}

/** The next script of a kind; one for a document waits for a schema that has its fields, one `about` something for it. */
function next(kind, inputs) {
  const fields = inputs.response_format?.json_schema?.properties;
  const fits = ({ object, about }) => (!object || !fields || Object.keys(object).every((name) => name in fields))
    && (!about || JSON.stringify(inputs).includes(about));
  const at = state.scripts.findIndex((script) => script.for === kind && fits(script));
  return at < 0 ? undefined : state.scripts.splice(at, 1)[0];
}

function kindOf(inputs) {
  if (inputs.stream) return "chat";
  return inputs.response_format ? "json" : "words";
}
