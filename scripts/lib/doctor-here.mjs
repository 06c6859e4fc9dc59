/** This machine: what `npm start` needs and has made. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, run } from "./run.mjs";

const MIN_SECRET_BYTES = 32;

export async function lookHere(report, version) {
  const cargo = readFileSync(join(ROOT, "Cargo.toml"), "utf8").match(/^version = "([^"]+)"/m)?.[1];
  if (cargo === version) report.good("versions", version);
  else report.bad("versions", `package.json has ${version}, Cargo.toml ${cargo}`, "make them the same");
  await programs(report);
  secrets(report);
  await migrations(report);
}

async function programs(report) {
  if (!existsSync(join(ROOT, "node_modules/.bin/wrangler"))) {
    return report.bad("programs", "npm packages are missing", "npm start (installs what is missing)");
  }
  const rust = await run("rustc", ["--version"], { quiet: true, may_fail: true }).catch(() => ({ code: 1 }));
  if (rust.code !== 0) return report.bad("programs", "Rust is missing", "install rustup (rustup.rs), then npm start");
  if (!existsSync(join(ROOT, "build/local/index.js"))) return report.bad("programs", "nothing is built", "npm start");
  report.good("programs", rust.stdout.trim());
}

function secrets(report) {
  const path = join(ROOT, ".dev.vars");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const secret = text.match(/^\s*SESSION_SECRET\s*=\s*"?([^"\n]*)/m)?.[1] ?? "";
  if (secret.length >= MIN_SECRET_BYTES) return report.good(".dev.vars", "SESSION_SECRET");
  const what = secret === "" ? "no SESSION_SECRET" : `SESSION_SECRET has fewer than ${MIN_SECRET_BYTES} bytes`;
  report.bad(".dev.vars", what, secret === "" ? "npm start makes one" : "take the line out; npm start makes a new one");
}

async function migrations(report) {
  if (!existsSync(join(ROOT, ".wrangler/state/v3/d1"))) {
    return report.skip("local D1", "npm start makes it (or it is where --persist-to says)");
  }
  const { code, stdout } = await run("wrangler", ["d1", "migrations", "list", "DB", "--local", "-c", "wrangler.toml"], {
    quiet: true, may_fail: true, env: { CI: "true" },
  });
  if (code !== 0) return report.bad("local D1", "can't be read", "rm -r .wrangler/state/v3/d1 && npm start (it is filled again from the objects by Rebuild on the memory page)");
  if (/No migrations to apply/.test(stdout)) return report.good("local D1", "all migrations applied");
  report.bad("local D1", "migrations are missing", "npm start applies them");
}
