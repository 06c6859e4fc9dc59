import { once } from "node:events";
import { createServer } from "node:net";

/** A port of this machine that nobody has, for a server that is told where to listen. */
export async function freePort() {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address();
  listener.close();
  await once(listener, "close");
  return port;
}
