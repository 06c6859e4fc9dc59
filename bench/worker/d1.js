/**
 * As much of D1's service as its binding asks for: batches of statements over one SQLite, in one transaction. workerd
 * has the binding; the service behind it is Cloudflare's. Only for measuring: the tests use Miniflare's whole D1.
 */
import { DurableObject } from "cloudflare:workers";
import schema from "schema.sql";

export class Database extends DurableObject {
  constructor(state, env) {
    super(state, env);
    const made = state.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'facts'").toArray().length > 0;
    if (!made) state.storage.sql.exec(schema);
  }

  async fetch(request) {
    const format = new URL(request.url).searchParams.get("resultsFormat");
    const asked = [await request.json()].flat();
    try {
      return Response.json(this.ctx.storage.transactionSync(() => asked.map((query) => this.#run(query, format))));
    } catch (error) {
      return Response.json({ success: false, error: String(error.message) }, { status: 500 });
    }
  }

  #run({ sql, params = [] }, format) {
    const cursor = this.ctx.storage.sql.exec(sql, ...params);
    const columns = cursor.columnNames;
    const rows = [...cursor.raw()];
    const results = format === "ROWS_AND_COLUMNS"
      ? { columns, rows }
      : rows.map((row) => Object.fromEntries(row.map((value, at) => [columns[at], value])));
    const { rowsRead: rows_read, rowsWritten: rows_written } = cursor;
    return { success: true, results, meta: { rows_read, rows_written, duration: 0, changes: 0, last_row_id: 0, size_after: 0 } };
  }
}

export default {
  fetch: (request, env) => env.DATABASE.get(env.DATABASE.idFromName("one")).fetch(request),
};
