/** A running Kioku, from outside: alive, ready, and, for somebody who is let in, its model, embedding and mirrors. */
import { get } from "./probe.mjs";

const ANSWER_WITHIN_MS = 90_000;
/** Mirrors are behind for seconds; this long is a fault. */
const MAX_LAG_MS = 10 * 60_000;

const REMEDIES = {
  AUTH_MODE: "npm run deploy -- --auth access (or oidc); `local` is for this machine only",
  SESSION_SECRET: "npm run deploy -- --rotate SESSION_SECRET (everybody signs in again)",
  AGENT: "the Durable Object is not bound: npm run deploy",
  DB: "D1 is not bound: npm run deploy",
  ASSETS: "the pages are not bound: npm run deploy",
  AI: "Workers AI is not bound: npm run deploy, or another MODEL_PROVIDER and EMBEDDING_PROVIDER",
};

export async function lookAtAddress(report, address, version) {
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(new URL(address).hostname);
  const start = isLocal ? "npm start" : "npm run deploy; npx wrangler tail -c deployment/wrangler.json shows what it says";
  let health;
  try {
    health = await get(address, "/healthz");
  } catch (error) {
    const why = error.cause?.code ?? error.name;
    return isLocal ? report.skip(`${address} (${why})`, "npm start, or --url ADDRESS") : report.bad(address, why, start);
  }
  if (health.guarded) {
    report.good(address, "a sign-in page stands in front");
    return report.skip("what is behind it", "CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET of an Access service token");
  }
  if (health.status !== 200) return report.bad(`${address}/healthz`, `status ${health.status}`, start);
  if (health.body?.version === version) report.good("runs", `${version} at ${address}`);
  else report.bad("runs", `version ${health.body?.version} at ${address}, ${version} is here`, start);
  if (!(await ready(report, address))) return;
  const headers = await letIn(report, address, isLocal);
  if (!headers) return;
  const ask = (method, path, body) => call(address, headers, method, path, body);
  await model(report, address, headers, ask);
  await memory(report, ask);
}

async function ready(report, address) {
  const { status, body } = await get(address, "/readyz");
  if (status === 200) {
    report.good("configuration");
    return true;
  }
  const names = Array.isArray(body?.missing) ? body.missing : [];
  for (const name of names) {
    report.bad("configuration", `${name} is missing or unusable`, REMEDIES[name] ?? `npm run deploy -- --var ${name}:VALUE (locally: npm start -- --var ${name}:VALUE)`);
  }
  if (names.length === 0) report.bad("configuration", `/readyz answers ${status}`, "npm run deploy");
  return false;
}

/** Headers of somebody who may ask: a token's, or, on this machine, those of a user named `doctor`. */
async function letIn(report, address, isLocal) {
  const token = process.env.KIOKU_TOKEN;
  if (token) return { authorization: `Bearer ${token}` };
  if (!isLocal) {
    report.skip("model, embedding and mirrors", "set KIOKU_TOKEN to a personal access token with the scopes chat and memory:read");
    return null;
  }
  const response = await fetch(new URL("/auth/local", address), {
    method: "POST",
    headers: { "content-type": "application/json", origin: new URL(address).origin },
    body: JSON.stringify({ name: "doctor" }),
  });
  if (!response.ok) {
    report.skip("model, embedding and mirrors", "AUTH_MODE isn't local here: set KIOKU_TOKEN to a personal access token");
    return null;
  }
  return { cookie: response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; "), origin: new URL(address).origin };
}

/** One sentence in a thread that remembers nothing and is deleted again. */
async function model(report, address, headers, ask) {
  const me = await ask("GET", "/api/me");
  const name = me.body?.providers?.chat_model ?? me.body?.providers?.model;
  const made = await ask("POST", "/api/threads", { title: "doctor", temporary: true });
  if (made.status !== 201) return report.bad("model", `a thread can't be made: status ${made.status}`, "is the token allowed to chat?");
  try {
    const end = await say(address, headers, made.body.id, "Hello. Answer with one word.");
    if (end.type === "done") report.good("model answers", `${end.timing.total_ms} ms${name && ` (${name})`}`);
    else report.bad("model", `${end.code ?? end.type}`, remedyOf(end.code));
  } catch (error) {
    report.bad("model", error.message, "what the Worker says: npx wrangler tail -c deployment/wrangler.json");
  } finally {
    await ask("DELETE", `/api/threads/${made.body.id}`);
  }
}

function remedyOf(code) {
  switch (code) {
    case "model_refused": return "the provider refuses: check CHAT_MODEL, the key (--rotate MODEL_API_KEY) and MODEL_BASE_URL";
    case "model_busy": return "the provider's limit is reached: wait, or raise it (Workers AI: 10,000 neurons a day on the free plan)";
    case "model_unavailable": return "the provider can't be reached: check MODEL_BASE_URL and the provider's status page";
    case "model_stalled": return "the model is silent for longer than MODEL_STALL_MS: a smaller model, or a larger MODEL_STALL_MS";
    default: return "docs/operations.md, Incidents";
  }
}

async function say(address, headers, thread, text) {
  const { WebSocket } = await import("ws");
  const socket = new WebSocket(`${address.replace(/^http/, "ws").replace(/\/$/, "")}/api/chat?thread=${thread}`, { headers });
  try {
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer within ${ANSWER_WITHIN_MS / 1000} s`)), ANSWER_WITHIN_MS);
      const end = (settle, value) => {
        clearTimeout(timer);
        settle(value);
      };
      socket.on("open", () => socket.send(JSON.stringify({ type: "send", id: `doctor-${Date.now()}`, text })));
      socket.on("message", (data) => {
        const frame = String(data).startsWith("{") ? JSON.parse(String(data)) : {};
        if (["done", "failed", "stopped", "error"].includes(frame.type)) end(resolve, frame);
      });
      socket.on("error", (error) => end(reject, error));
      socket.on("close", () => end(reject, new Error("the connection was closed")));
    });
  } finally {
    socket.terminate();
  }
}

async function memory(report, ask) {
  const mirrors = await ask("GET", "/api/memory/mirrors");
  if (mirrors.status !== 200) return report.bad("mirrors", `status ${mirrors.status}`, "is the token allowed to read memory?");
  for (const name of ["d1", "vectorize"]) {
    const state = mirrors.body[name];
    if (!state?.bound) report.skip(name, "not bound: npm run deploy binds it");
    else if (state.last_error && state.pending + state.parked > 0) report.bad(name, state.last_error, "docs/operations.md, Incidents; then Rebuild on the memory page");
    else if ((state.lag_ms ?? 0) > MAX_LAG_MS) report.bad(name, `${Math.round(state.lag_ms / 1000)} s behind`, "docs/operations.md, Incidents");
    else report.good(name, `${state.pending} waiting, ${Math.round((state.lag_ms ?? 0) / 1000)} s behind`);
  }
  const failing = (mirrors.body.jobs ?? []).filter(({ error }) => error);
  for (const { kind, error } of failing) report.bad(`memory work (${kind})`, error, "MEMORY_MODEL must give JSON; it is tried again by itself");
  if (!mirrors.body.vectorize?.bound) return;
  const found = await ask("GET", "/api/memory/facts?match=semantic&q=doctor&limit=1");
  if (found.body?.source === "vectorize") report.good("embedding answers");
  else report.bad("embedding", "a search by meaning fell back to words", "check EMBEDDING_PROVIDER, EMBEDDING_MODEL and that the index has its length");
}

async function call(address, headers, method, path, body) {
  const response = await fetch(new URL(path, address), {
    method,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : null };
}
