/**
 * A Worker made of Node, for states that a real one can hardly be brought into: gaps, dropped sockets, failures, ten
 * thousand facts. It speaks the same contract; what it does next is told by its `world`.
 *
 * `node tests/browser/fake-server.mjs [PORT]` runs it alone, to look at the pages.
 */

import { createServer } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebSocketServer } from 'ws';

const GOLDEN = new URL('../golden/frames/', import.meta.url);
const DIST = fileURLToPath(new URL('../../web/dist', import.meta.url));
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };

export const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

let serial = 0;
const id = (prefix) => `${prefix}${String(++serial).padStart(5, '0')}`;

export function fact(text, over = {}) {
  const at = over.observed_at ?? new Date(Date.now() - 3 * 86_400_000).toISOString();
  return {
    id: id('f_'), text, kind: 'other', scope: 'global', status: 'current', pinned: false, observed_at: at, valid_from: null,
    valid_until: null, supersedes: [], superseded_by: null, source: { message: null, thread: 'main', quote: text, said_at: at },
    created_at: at, updated_at: at, version: 1, mirrors: { d1: 'synced', vectorize: 'synced' }, ...over,
  };
}

/** The fields of each client frame and their types, by the files that the Worker's own tests read. */
const CLIENT_FRAMES = new Map(['send', 'stop', 'retry', 'resume'].map((type) =>
  [type, shape(JSON.parse(readFileSync(new URL(`${type}.json`, GOLDEN), 'utf8')))]));

function shape(frame) {
  return Object.keys(frame).sort().map((key) => `${key}:${typeof frame[key]}`).join();
}

export class World {
  user = null;
  settings = { memory_mode: 'on', timezone: 'Asia/Tokyo', locale: '', retention_days: null, never_remember: [] };
  provider = 'embedded';
  threads = [{ id: 'main', title: '', temporary: false, created_at: new Date().toISOString(), updated_at: new Date().toISOString() }];
  /** thread → messages, oldest first. */
  messages = new Map([['main', []]]);
  summaries = new Map();
  facts = [];
  /** What is left of a forgotten fact. */
  receipts = new Map();
  changes = [];
  turns = new Map();
  sockets = new Set();
  /** Sends that reached the server, in order. */
  sends = [];
  /** What imports asked for. */
  imports = [];
  resumes = [];
  /** Frames that no golden file has the form of. */
  strange = [];
  /** Routes that answer 501, as `GET /api/memory/facts`. */
  missing = new Set();
  /** What happens with the next turns; see `run`. */
  plan = { reply: 'Hello.', pace: 5, fail: null, cutAfter: 0, loseAccepted: 0, skip: 0, recalled: null, changes: [] };

  say(thread, role, text, turn, at = new Date()) {
    const message = { id: id('m_'), role, text, created_at: at.toISOString(), turn };
    const log = this.messages.get(thread) ?? [];
    log.push(message);
    this.messages.set(thread, log);
    return message;
  }

  tell(thread, frame, except = null) {
    for (const socket of this.sockets) {
      if (socket.thread === thread && socket !== except && socket.readyState === 1) socket.send(JSON.stringify(frame));
    }
  }

  async run(turn) {
    const { plan } = this;
    turn.state = 'running';
    if (plan.recalled) this.tell(turn.thread, { type: 'recalled', turn: turn.id, ...plan.recalled });
    const pieces = plan.reply.match(/[\s\S]{1,12}/g) ?? [];
    for (const piece of pieces) {
      await delay(plan.pace);
      if (turn.stopped) break;
      turn.deltas.push(piece);
      const seq = turn.deltas.length;
      if (plan.skip === seq) {
        plan.skip = 0;
        continue;
      }
      this.tell(turn.thread, { type: 'delta', turn: turn.id, seq, text: piece });
      if (plan.cutAfter === seq) {
        plan.cutAfter = 0;
        for (const socket of this.sockets) socket.terminate();
      }
      if (plan.fail && seq >= 2) break;
    }
    const text = turn.deltas.join('');
    const end = plan.fail && !turn.stopped ? { ...plan.fail } : null;
    if (end) plan.fail = null;
    turn.state = end ? 'failed' : turn.stopped ? 'stopped' : 'done';
    const message = text === '' ? null : { ...this.say(turn.thread, 'assistant', text, turn.id), status: turn.state };
    turn.end = end ? { type: 'failed', turn: turn.id, message: '', retryable: true, reply: message, ...end }
      : turn.stopped ? { type: 'stopped', turn: turn.id, message }
        : {
          type: 'done', turn: turn.id, message, usage: { prompt_tokens: 812, completion_tokens: 64, estimated: true },
          timing: { queued_ms: 2, recall_ms: 14, first_token_ms: 230, total_ms: 1840 },
        };
    this.tell(turn.thread, turn.end);
    if (turn.state === 'done' && plan.changes.length > 0) {
      this.tell(turn.thread, { type: 'remembered', turn: turn.id, changes: plan.changes });
      plan.changes = [];
    }
  }

  #queue = Promise.resolve();
  #waiting = 0;

  receive(socket, frame) {
    if (CLIENT_FRAMES.get(frame.type) !== shape(frame)) this.strange.push(frame);
    if (frame.type === 'send') {
      this.sends.push(frame);
      if (this.plan.refuse) {
        socket.send(JSON.stringify({ type: 'error', code: this.plan.refuse, message: 'No.', id: frame.id }));
        return;
      }
      const old = [...this.turns.values()].find((turn) => turn.client === frame.id);
      const turn = old ?? { id: id('t_'), client: frame.id, thread: socket.thread, state: 'queued', deltas: [], stopped: false };
      if (!old) {
        this.turns.set(turn.id, turn);
        turn.message = this.say(socket.thread, 'user', frame.text, turn.id);
      }
      if (this.plan.loseAccepted > 0) {
        this.plan.loseAccepted -= 1;
        socket.terminate();
      } else {
        socket.send(JSON.stringify({
          type: 'accepted', id: frame.id, turn: turn.id, thread: socket.thread, position: this.#waiting, repeated: Boolean(old),
        }));
      }
      if (!old) {
        this.tell(socket.thread, { type: 'user', turn: turn.id, message: turn.message }, socket);
        this.#start(turn);
      } else if (turn.end) socket.send(JSON.stringify(turn.end));
      return;
    }
    const turn = this.turns.get(frame.turn);
    if (!turn) {
      socket.send(JSON.stringify({ type: 'error', code: 'not_found', message: 'No such turn.' }));
    } else if (frame.type === 'stop') {
      turn.stopped = true;
    } else if (frame.type === 'retry') {
      Object.assign(turn, { deltas: [], end: null, state: 'queued', stopped: false });
      const log = this.messages.get(turn.thread);
      this.messages.set(turn.thread, log.filter((message) => message.turn !== turn.id || message.role === 'user'));
      this.#start(turn);
    } else if (frame.type === 'resume') {
      this.resumes.push(frame);
      turn.deltas.forEach((text, index) => {
        if (index + 1 > frame.after) socket.send(JSON.stringify({ type: 'delta', turn: turn.id, seq: index + 1, text }));
      });
      if (turn.end) socket.send(JSON.stringify(turn.end));
    }
  }

  #start(turn) {
    this.#waiting += 1;
    this.#queue = this.#queue.then(() => this.run(turn)).finally(() => {
      this.#waiting -= 1;
    });
  }

  greet(socket) {
    const log = this.messages.get(socket.thread) ?? [];
    const open = [...this.turns.values()].filter((turn) => turn.thread === socket.thread && !turn.end);
    socket.send(JSON.stringify({
      type: 'ready', protocol: 1, thread: socket.thread, recent: log.slice(-10), summary: this.summaries.get(socket.thread) ?? '',
      open_turns: open.map((turn) => ({ turn: turn.id, id: turn.client, state: turn.state, seq: turn.deltas.length })),
      memory_mode: this.settings.memory_mode,
    }));
  }

  route(method, url, body) {
    const path = url.pathname;
    const parts = path.split('/').filter((part) => part !== '').map(decodeURIComponent);
    const problem = (status, code, title) => [status, { type: 'about:blank', title, status, detail: '', code }];
    if (this.missing.has(`${method} ${path}`)) return problem(501, 'not_implemented', 'Not built yet');
    if (path === '/auth/local') {
      this.user = { id: body.name, name: body.name };
      return [200, {}];
    }
    if (path === '/auth/logout') {
      this.user = null;
      return [204, null];
    }
    if (!this.user) return problem(401, 'unauthenticated', 'Not signed in');
    if (path === '/api/me') {
      return [200, {
        user: this.user, settings: this.settings, limits: { max_message_chars: 8000, daily_token_budget: 200000, facts_max: 10000 },
        usage: { day: '2026-11-30', prompt_tokens: 18230, completion_tokens: 3120, turns: 24, model_calls: 31 },
        providers: { model: this.provider, chat_model: 'built-in', embedding: this.provider },
      }];
    }
    if (path === '/api/me/settings') {
      Object.assign(this.settings, body);
      return [200, this.settings];
    }
    if (parts[1] === 'threads') return this.#threads(method, parts, url, body, problem);
    if (parts[1] === 'memory') return this.#memory(method, parts, url, body, problem);
    if (path === '/api/tokens') return [200, { tokens: [] }];
    if (path === '/api/export') return [200, { facts: this.facts }];
    if (path === '/api/import') {
      this.imports.push(Object.fromEntries(url.searchParams));
      return [200, {
        messages: 12, repeated: 3, facts: 0, broken_total: 1, broken: [{ line: 7, item: null, reason: 'created_at' }],
        complete: true, waiting: { to_index: 12, to_extract: 0 },
      }];
    }
    return problem(404, 'not_found', 'Not found');
  }

  #threads(method, parts, url, body, problem) {
    const [, , thread, what] = parts;
    if (!thread) {
      if (method === 'GET') return [200, { threads: this.threads, next_cursor: null }];
      const made = { id: id('th_'), title: '', temporary: false, created_at: new Date().toISOString(), updated_at: new Date().toISOString(), ...body };
      this.threads.unshift(made);
      this.messages.set(made.id, []);
      return [201, made];
    }
    const found = this.threads.find((it) => it.id === thread);
    if (!found) return problem(404, 'not_found', 'No such thread');
    if (what === 'messages') {
      const log = [...(this.messages.get(thread) ?? [])].reverse();
      const from = Number(url.searchParams.get('before') ?? 0);
      const limit = Number(url.searchParams.get('limit') ?? 50);
      return [200, { messages: log.slice(from, from + limit), next_cursor: from + limit < log.length ? String(from + limit) : null }];
    }
    if (what === 'summary') {
      if (method === 'PUT') this.summaries.set(thread, body.summary);
      if (method === 'DELETE') this.summaries.delete(thread);
      return [200, { thread, summary: this.summaries.get(thread) ?? '' }];
    }
    if (method === 'PATCH') Object.assign(found, body);
    if (method === 'DELETE') this.threads = this.threads.filter((it) => it !== found);
    return [200, found];
  }

  #memory(method, parts, url, body, problem) {
    const [, , what, name] = parts;
    if (!what && method === 'DELETE') {
      if (body?.confirm !== 'forget everything') return problem(400, 'bad_confirmation', 'Type the phrase');
      this.facts = [];
      return [200, { forgotten: 'everything', object: 'done', summary: 'done', d1: 'pending', vectorize: 'off' }];
    }
    if (what === 'mirrors') {
      return [200, {
        d1: { bound: true, pending: 0, parked: 0, lag_ms: null, last_error: null },
        vectorize: { bound: true, pending: 3, parked: 0, lag_ms: 4200, last_error: null },
        jobs: [{ kind: 'extract', key: 'main', due_at: '2026-11-30T00:00:00Z', attempts: 1, error: null, parked: false }],
        forgetting_everything: { d1: 'done', vectorize: 'off' },
      }];
    }
    if (what === 'changes') {
      if (method === 'POST') {
        const change = this.changes.find((it) => it.id === name);
        if (change) Object.assign(change, { undone_by: id('c_'), undoable: false });
        return [200, {}];
      }
      return [200, { changes: this.changes, next_cursor: null }];
    }
    if (what !== 'facts') return problem(404, 'not_found', 'Not found');
    if (!name) {
      if (method === 'POST') {
        const made = fact(body.text, { kind: body.kind ?? 'other', source: { message: null, thread: null, quote: '', said_at: new Date().toISOString() } });
        this.facts.unshift(made);
        return [201, made];
      }
      const get = (key) => url.searchParams.get(key) ?? '';
      const status = get('status') || 'current';
      const found = this.facts.filter((it) => (status === 'all' || it.status === status) && (!get('kind') || it.kind === get('kind'))
        && it.text.toLowerCase().includes(get('q').toLowerCase())
        && (!get('since') || it.source.said_at >= get('since')) && (!get('until') || it.source.said_at < get('until')));
      const from = Number(get('cursor') || 0);
      const limit = Number(get('limit') || 50);
      return [200, { facts: found.slice(from, from + limit), next_cursor: from + limit < found.length ? String(from + limit) : null, source: 'd1' }];
    }
    const found = this.facts.find((it) => it.id === name);
    if (!found && this.receipts.has(name)) return [200, { ...this.receipts.get(name), d1: 'done' }];
    if (!found) return problem(404, 'not_found', 'No such fact');
    if (method === 'PATCH') Object.assign(found, body, { version: found.version + 1 });
    if (method === 'DELETE') {
      this.facts = this.facts.filter((it) => it !== found);
      this.receipts.set(found.id, { forgotten: found.id, object: 'done', summary: 'clean', d1: 'pending', vectorize: 'off' });
      return [200, this.receipts.get(found.id)];
    }
    return [200, found];
  }
}

/** The headers that Cloudflare's static assets would set for every page. */
function headers() {
  const rules = readFileSync(join(DIST, '_headers'), 'utf8').split('\n\n')[0] ?? '';
  return Object.fromEntries([...rules.matchAll(/^ {2}([\w-]+): (.*)$/gm)].map(([, name, value]) => [name, value]));
}

export async function startFake(port = 0) {
  const world = new World();
  const fixed = headers();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://x');
    if (url.pathname.startsWith('/api/') || url.pathname.startsWith('/auth/')) {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      let body = null;
      try {
        body = JSON.parse(Buffer.concat(chunks).toString());
      } catch {
        // An import is no JSON, and most requests have no body.
      }
      const [status, answer] = world.route(request.method, url, body);
      response.writeHead(status, { 'content-type': status < 400 ? 'application/json' : 'application/problem+json' });
      response.end(answer === null ? '' : JSON.stringify(answer));
      return;
    }
    const name = url.pathname === '/' ? '/index.html' : url.pathname === '/memory' ? '/memory.html' : url.pathname;
    const path = join(DIST, name);
    if (!path.startsWith(DIST) || !existsSync(path)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { ...fixed, 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' });
    response.end(readFileSync(path));
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    if (!world.user) {
      socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.thread = new URL(request.url, 'http://x').searchParams.get('thread') ?? 'main';
      world.sockets.add(opened);
      opened.on('close', () => world.sockets.delete(opened));
      opened.on('message', (data) => {
        const text = String(data);
        if (text === 'ping') opened.send('pong');
        else world.receive(opened, JSON.parse(text));
      });
      world.greet(opened);
    });
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    world,
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => {
      for (const socket of world.sockets) socket.terminate();
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await startFake(Number(process.argv[2] ?? 8799));
  console.log(url);
}
