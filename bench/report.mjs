/** The figures of a run as tables. */
import { median } from "./machine.mjs";

const CLOSED = ["u1", "u10", "u50", "paced"];

export function report(results) {
  const parts = [];
  for (const scenario of CLOSED.filter((name) => results[name])) parts.push(closed(scenario, results[scenario]));
  if (results.growth) parts.push(growth(results.growth));
  if (results.start) {
    parts.push(table("start of the process, ms", ["product", "first byte", "first connection ready"],
      rowsOf(results.start, (x) => [x.first_byte_ms, x.connected_ms])));
  }
  if (results.idle) {
    parts.push(table("300 users with open tabs", ["product", "KB a user after a turn", "KB a user asleep", "MB", "MB asleep", "CPU µs a ping", "turn after sleep, ms"],
      rowsOf(results.idle, (x) => [x.kb_a_user, x.kb_a_user_asleep, x.resident_mb, x.resident_mb_asleep, x.ping_cpu_us, x.woken_ms])));
  }
  if (results.rows) {
    const [rows] = results.rows.kioku;
    const names = {
      statements: "statements", transactions: "transactions", alarms: "alarms", read: "rows read", written: "rows written",
      d1_requests: "D1 requests", d1_statements: "D1 statements", d1_read: "D1 rows read", d1_written: "D1 rows written",
      vectorize_requests: "Vectorize requests", vectors: "vectors sent",
    };
    parts.push(table("SQLite and mirrors for one", ["of", ...Object.values(names)],
      Object.entries(rows).map(([of, counts]) => [of.replaceAll("_", " "), ...Object.keys(names).map((name) => counts[name])])));
  }
  if (results.wake) {
    const [{ facts, sizes }] = results.wake.kioku;
    parts.push(table(`an object that comes back (the largest with ${facts} facts)`,
      ["messages stored", "ready, ms", "next turn, added ms", "memory, MB", "recall p95, ms"],
      sizes.map((x) => [x.messages, x.connect_ms, x.next_turn_ms, x.memory_mb, x.recall_p95_ms])));
  }
  if (results.search) {
    parts.push(table("a question over vectors of 1,024 numbers",
      ["vectors", "the first, ms", "p50, ms", "p95, ms", "memory, MB"],
      results.search.kioku[0].sizes.map((x) => [x.vectors, x.first_ms, x.p50, x.p95, x.memory_mb])));
  }
  return parts.join("\n\n");
}

/** Medians over the rounds, and their ratios to `bare` where it took part. */
function closed(scenario, products) {
  const columns = {
    "turns/s": (x) => x.turns_per_second,
    "added p50 ms": (x) => x.added_ms.total?.p50,
    "added p95 ms": (x) => x.added_ms.total?.p95,
    "first token p50 ms": (x) => x.added_ms.first?.p50,
    "before model": (x) => x.added_ms.before?.p50,
    "after model": (x) => x.added_ms.after?.p50,
    "CPU ms": (x) => x.cpu_ms,
    "model calls": (x) => x.calls,
    "prompt bytes": (x) => x.added_ms.prompt?.p50,
    "frames": (x) => x.added_ms.frames?.p50,
    "RSS MB": (x) => x.resident_mb,
    "foreign cores": (x) => x.foreign_cores,
  };
  const rows = Object.entries(products).map(([name, rounds]) =>
    [name, ...Object.values(columns).map((column) => median(rounds.map(column)))]);
  const bare = rows.find(([name]) => name === "bare");
  const own = rows.find(([name]) => name === "kioku");
  if (bare && own) rows.push(["kioku ÷ bare", ...own.slice(1).map((value, at) => value / bare[at + 1])]);
  const lost = Object.entries(products).flatMap(([name, rounds]) => rounds.flatMap((x) => x.failures.map((why) => `${name}: ${why}`)));
  return table(`${scenario}: a turn`, ["product", ...Object.keys(columns)], rows) + (lost.length > 0 ? `\n\nFailed turns: ${lost.join("; ")}` : "");
}

function growth(products) {
  const rows = Object.entries(products).flatMap(([name, [{ places }]]) => places.map((x) => [
    `${name}, turn ${x.turn}`, x.added_ms.total?.p50, x.added_ms.first?.p50, x.cpu_ms, x.added_ms.prompt?.p50, x.added_ms.frames?.p50,
  ]));
  const calls = Object.entries(products).map(([name, [x]]) => `${name} ${x.calls.toFixed(2)}`).join(", ");
  return table("growth: one user, turn after turn", ["at", "added p50 ms", "first token ms", "CPU ms", "prompt bytes", "frames"], rows)
    + `\n\nModel calls a turn: ${calls}`;
}

function rowsOf(products, figures) {
  return Object.entries(products).map(([name, [first]]) => [name, ...figures(first)]);
}

function table(title, head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [`**${title}**`, "", line(head), line(head.map(() => "---")), ...rows.map((row) => line(row.map(shown)))].join("\n");
}

function shown(value) {
  if (typeof value !== "number") return value ?? "–";
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}
