/** What is measured of each product, one function a scenario: `(bench, product) => figures`. */
import { rmSync } from "node:fs";
import { added, connect, pause, summed } from "./load.mjs";
import { cpuMs, machineMs, median, residentMb } from "./machine.mjs";
import { countRows } from "./rows.mjs";
import { search, wake } from "./wake.mjs";
import { start } from "./runtime.mjs";
import { remembering } from "./stored.mjs";

/** Turns around a place of a long talk whose median stands for it. */
const WINDOW = 10;

export const SCENARIOS = {
  /** Nothing but the request that comes first after the process was started. */
  start: async (bench, product) => {
    const first = [];
    for (let round = 0; round < bench.rounds(7); round += 1) {
      const server = await bench.serve(product, `start${round}`);
      await (await fetch(`${server.url}/healthz`)).arrayBuffer();
      const answered = performance.now() - server.startedMs;
      const user = (await connect(product, server.url, ["first"]))[0];
      first.push({ answered, connected: performance.now() - server.startedMs });
      user.close();
      await server.stop();
    }
    return { first_byte_ms: median(first.map((x) => x.answered)), connected_ms: median(first.map((x) => x.connected)) };
  },
  u1: (bench, product) => closedLoop(bench, product, { users: 1, turns: 200 }),
  u10: (bench, product) => closedLoop(bench, product, { users: 10, turns: product.turns > 1_000 ? 80 : 20 }),
  u50: (bench, product) => closedLoop(bench, product, { users: 50, turns: product.turns > 1_000 ? 30 : 8 }),
  /** A real model's pace: what one event, one frame and one write a token cost is seen here. */
  paced: (bench, product) =>
    closedLoop(bench, product, { users: 10, turns: 8, thinkMs: 1_000, pace: { firstMs: 200, betweenMs: 10, memoryMs: 500 } }),
  growth: (bench, product) => growth(bench, product),
  idle: (bench, product) => idle(bench, product),
  rows: (bench, product) => (product.counted ? countRows(bench, product) : null),
  wake: (bench, product) => (product.counted ? wake(bench, product) : null),
  search: (bench, product) => (product.counted ? search(bench, product) : null),
};

/** Users that say the next thing as soon as they are answered. */
async function closedLoop(bench, product, { users: count, turns, thinkMs = 0, pace = {} }) {
  const names = Array.from({ length: count }, (_, at) => `user${at}`);
  const storage = await remembering(bench, product, names);
  const server = await start(product, { storage });
  try {
    await warm(bench, product, server);
    const users = await connect(product, server.url, names);
    bench.model.begin(pace);
    await pause(200);
    const before = { cpu: cpuMs(server.pid), machine: machineMs(), own: process.cpuUsage(), at: performance.now() };
    await Promise.all(users.map((user) => user.talk(turns, thinkMs)));
    const seconds = (performance.now() - before.at) / 1000;
    const busy = machineMs() - before.machine - (cpuMs(server.pid) - before.cpu) - ownMs(before.own);
    // What the object does when it has answered belongs to the turns; memory work gives way to turns for up to ten seconds.
    await pause(product.name === "kioku" ? 20_000 : 500);
    const cpu = cpuMs(server.pid) - before.cpu;
    const done = users.reduce((sum, user) => sum + user.records.length, 0);
    const figures = {
      turns: done,
      failures: users.flatMap((user) => user.failures).slice(0, 3),
      turns_per_second: done / seconds,
      added_ms: summed(added(users, bench.model.calls)),
      cpu_ms: cpu / done,
      calls: bench.model.calls.length / done,
      calls_by_kind: byKind(bench.model.calls, done),
      resident_mb: residentMb(server.pid),
      foreign_cores: busy / 1000 / seconds,
    };
    users.forEach((user) => user.close());
    return figures;
  } finally {
    await server.stop();
    rmSync(storage, { recursive: true, force: true });
  }
}

function ownMs(before) {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** One user's talk, turn after turn: what the last turns cost is compared with what the first ones did. */
async function growth(bench, product) {
  const turns = Math.min(product.turns, bench.longest);
  const places = [20, 100, 1_000, 10_000].filter((place) => place <= turns);
  const storage = await remembering(bench, product, ["talker"]);
  const server = await start(product, { storage });
  try {
    await warm(bench, product, server);
    const [user] = await connect(product, server.url, ["talker"]);
    bench.model.begin({});
    const cpu = [cpuMs(server.pid)];
    await user.talk(turns, 0, () => cpu.push(cpuMs(server.pid)));
    const all = added([user], bench.model.calls);
    const figures = {
      failures: user.failures,
      places: places.map((place) => {
        // The last place has no turns behind it.
        const from = Math.min(place - WINDOW, turns - 2 * WINDOW);
        const to = from + 2 * WINDOW;
        const near = all.filter(({ number }) => number > from && number <= to);
        return { turn: place, added_ms: summed(near), cpu_ms: (cpu[to] - cpu[from]) / (to - from) };
      }),
      calls: bench.model.calls.length / all.length,
      calls_by_kind: byKind(bench.model.calls, all.length),
      resident_mb: residentMb(server.pid),
    };
    user.close();
    return figures;
  } finally {
    await server.stop();
    rmSync(storage, { recursive: true, force: true });
  }
}

/** Users who have gone silent with their tabs open: what they hold, and what their pings cost. */
async function idle(bench, product) {
  const count = 300;
  const server = await bench.serve(product, "idle");
  await warm(bench, product, server);
  const before = residentMb(server.pid);
  const users = await connect(product, server.url, Array.from({ length: count }, (_, at) => `user${at}`));
  bench.model.begin({});
  for (let at = 0; at < count; at += 10) await Promise.all(users.slice(at, at + 10).map((user) => user.say(1)));
  const busy = residentMb(server.pid);
  // Memory work comes five seconds after the last turn, and an object leaves memory ten seconds after its last event.
  await pause(25_000);
  const asleep = residentMb(server.pid);
  const cpu = cpuMs(server.pid);
  const pongs = users.map((user) => new Promise((resolve) => user.socket.once("message", resolve)));
  users.forEach((user) => user.socket.send("ping"));
  if (product.name === "kioku") await Promise.all(pongs);
  await pause(5_000);
  const idleCpu = cpuMs(server.pid) - cpu;
  const woken = [];
  bench.model.begin({});
  for (const user of users.slice(0, 20)) {
    await user.say(2);
    woken.push(user);
  }
  const after = added(woken, bench.model.calls).filter(({ number }) => number === 2);
  users.forEach((user) => user.close());
  await server.stop();
  return {
    users: count,
    kb_a_user: ((busy - before) * 1024) / count,
    kb_a_user_asleep: ((asleep - before) * 1024) / count,
    resident_mb: busy,
    resident_mb_asleep: asleep,
    ping_cpu_us: (idleCpu * 1000) / count,
    woken_ms: median(after.map(({ total }) => total)),
  };
}

/** How many calls of each kind a turn made. */
function byKind(calls, turns) {
  const kinds = {};
  for (const { kind } of calls) kinds[kind] = (kinds[kind] ?? 0) + 1 / turns;
  return kinds;
}

/** Other users first: nobody measures the first execution of code. */
async function warm(bench, product, server) {
  bench.model.begin({});
  const users = await connect(product, server.url, ["warm0", "warm1", "warm2", "warm3"]);
  await Promise.all(users.map((user) => user.talk(40, 0)));
  users.forEach((user) => user.close());
  await pause(300);
}
