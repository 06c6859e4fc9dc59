/** Asking a running Kioku whether it is alive and ready. */

const EACH_MS = 10_000;
const EVERY_MS = 2_000;

/**
 * One request: `{status, body, guarded}`; `guarded` when a sign-in page stands in front. Rejects when nothing answers.
 * CF_ACCESS_CLIENT_ID and CF_ACCESS_CLIENT_SECRET, an Access service token, let it through.
 */
export async function get(address, path, { headers = {} } = {}) {
  const { CF_ACCESS_CLIENT_ID: id, CF_ACCESS_CLIENT_SECRET: secret } = process.env;
  const pass = id && secret ? { "CF-Access-Client-Id": id, "CF-Access-Client-Secret": secret } : {};
  const response = await fetch(new URL(path, address), {
    headers: { ...pass, ...headers },
    redirect: "manual",
    signal: AbortSignal.timeout(EACH_MS),
  });
  const text = await response.text();
  const location = response.headers.get("location") ?? "";
  return {
    status: response.status,
    guarded: response.status >= 300 && response.status < 400 && /cloudflareaccess\.com|\/cdn-cgi\/access\//.test(location),
    body: parsed(text),
  };
}

/**
 * Waits until `address` runs `version`: a new address takes a while to be known everywhere. Resolves to
 * `{state: "alive" | "guarded" | "old" | "silent", detail}`.
 */
export async function waitForVersion(address, version, withinMs) {
  const deadline = Date.now() + withinMs;
  let last = { state: "silent", detail: "no answer" };
  do {
    try {
      const { status, body, guarded } = await get(address, "/healthz");
      if (guarded) return { state: "guarded", detail: "a sign-in page" };
      if (status === 200 && body?.version === version) return { state: "alive", detail: version };
      last = status === 200 && body?.version
        ? { state: "old", detail: `version ${body.version}` }
        : { state: "silent", detail: `status ${status}` };
    } catch (error) {
      last = { state: "silent", detail: error.cause?.code ?? error.name };
    }
    if (Date.now() + EVERY_MS < deadline) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  } while (Date.now() + EVERY_MS < deadline);
  return last;
}

/** Names of what an installation still lacks; empty when it is ready. */
export async function missing(address) {
  const { status, body } = await get(address, "/readyz");
  if (status === 200) return [];
  if (Array.isArray(body?.missing)) return body.missing;
  return [`/readyz answers ${status}`];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
