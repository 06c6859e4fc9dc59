/** `npm run build`: the release build, what `wrangler deploy --env production` uploads. */
import { buildWasm, buildWeb } from "./lib/build.mjs";
import { conduct } from "./lib/run.mjs";
import { setUp } from "./lib/setup.mjs";

await conduct(async () => {
  await setUp();
  await buildWeb();
  await buildWasm("release");
});
