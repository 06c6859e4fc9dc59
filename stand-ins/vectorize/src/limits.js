/** What the real binding refuses before it looks at the index, with its codes where they are known. */

const MAX_ID_BYTES = 64;
const MAX_NAMESPACE_BYTES = 64;
const MAX_BATCH = 1000;
const MAX_METADATA_BYTES = 10 * 1024;
const MAX_TOP_K = 100;
/** With values or whole metadata. */
const MAX_TOP_K_FULL = 50;
const DEFAULT_TOP_K = 5;
const MAX_FILTER_BYTES = 2048;

export const OPERATORS = ["$eq", "$ne", "$in", "$nin", "$lt", "$lte", "$gt", "$gte"];

/** The real binding's error text. */
export function refusal(operation, code, message) {
  return `${operation}_ERROR (code = ${code}): ${message}`;
}

function refuse(operation, code, message) {
  throw new Error(refusal(operation, code, message));
}

const bytes = (text) => new TextEncoder().encode(text).length;

export const check = {
  id(operation, id) {
    if (typeof id !== "string" || id === "") refuse(operation, 40008, "id must be a non-empty string");
    if (bytes(id) > MAX_ID_BYTES) {
      refuse(operation, 40008, `id too long; max is ${MAX_ID_BYTES} bytes, got ${bytes(id)} bytes`);
    }
    return id;
  },

  ids(operation, ids, most) {
    if (!Array.isArray(ids)) throw new TypeError(`${operation}: ids must be an array`);
    if (ids.length > most) {
      refuse(operation, 40007, `too many ids in payload; max id count is ${most}, got ${ids.length}`);
    }
    return ids.map((id) => check.id(operation, id));
  },

  /** A query's vector, as plain numbers. */
  values(vector) {
    const values = Array.isArray(vector) || ArrayBuffer.isView(vector) ? Array.from(vector) : [];
    if (!values.every((value) => typeof value === "number" && Number.isFinite(value))) {
      refuse("VECTOR_QUERY", 40026, "Failed to parse the request body as JSON: vector: expected a number");
    }
    return values;
  },

  vectors(operation, vectors) {
    if (!Array.isArray(vectors)) throw new TypeError(`${operation}: vectors must be an array`);
    if (vectors.length === 0) refuse(operation, 40023, "failed to parse vectors request: no vectors");
    if (vectors.length > MAX_BATCH) {
      refuse(operation, 40009, `too many vectors in payload; max vector count is ${MAX_BATCH}, got ${vectors.length}`);
    }
    return vectors.map((vector) => ({
      id: check.id(operation, vector?.id),
      values: vectorValues(operation, vector),
      namespace: namespace(operation, vector.namespace),
      metadata: metadata(operation, vector),
    }));
  },

  /** A query's options, with defaults filled in. */
  options(options) {
    // A Map is what a careless serializer makes of an object; the real binding would drop every field of it.
    const given = options === undefined || options === null || options instanceof Map ? {} : { ...options };
    let level = given.returnMetadata;
    if (level === true) level = "all";
    // The real binding turns `true` into "all" but lets `false` through, and the server then refuses it.
    if (level === false) {
      refuse("VECTOR_QUERY", 40026, "Failed to parse the request body as JSON: returnMetadata: expected value");
    }
    level ??= "none";
    if (!["none", "indexed", "all"].includes(level)) {
      throw new Error(
        `Invalid returnMetadata option. Expected: true, false, "none", "indexed" or "all"; got: ${level}`,
      );
    }
    const topK = given.topK ?? DEFAULT_TOP_K;
    if (!Number.isInteger(topK) || topK < 1) {
      refuse("VECTOR_QUERY", 40026, "Failed to parse the request body as JSON: topK: expected a positive integer");
    }
    const returnValues = given.returnValues === true;
    if ((returnValues || level === "all") && topK > MAX_TOP_K_FULL) {
      refuse(
        "VECTOR_QUERY",
        40025,
        `with returnValues=true or returnMetadata=all, max top K is ${MAX_TOP_K_FULL}, but got ${topK}`,
      );
    }
    if (topK > MAX_TOP_K) refuse("VECTOR_QUERY", 40025, `max top K is ${MAX_TOP_K}, but got ${topK}`);
    return {
      topK,
      returnValues,
      returnMetadata: level,
      namespace: namespace("VECTOR_QUERY", given.namespace),
      filter: filter(given.filter),
    };
  },
};

function vectorValues(operation, { id, values }) {
  if (!Array.isArray(values) && !ArrayBuffer.isView(values)) {
    refuse(operation, 40023, `failed to parse vectors request: vector "${id}" has no values`);
  }
  const plain = Array.from(values);
  if (!plain.every((value) => typeof value === "number" && Number.isFinite(value))) {
    refuse(operation, 40023, `failed to parse vectors request: vector "${id}" has a value that is not a number`);
  }
  return plain;
}

function namespace(operation, value) {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || bytes(value) > MAX_NAMESPACE_BYTES) {
    refuse(operation, 40010, `invalid namespace; must be a string of at most ${MAX_NAMESPACE_BYTES} bytes`);
  }
  return value;
}

function metadata(operation, { id, metadata }) {
  if (metadata === undefined || metadata === null) return undefined;
  if (typeof metadata !== "object" || Array.isArray(metadata) || metadata instanceof Map) {
    refuse(operation, 40011, `invalid metadata for id="${id}", expected an object`);
  }
  const text = JSON.stringify(metadata);
  if (bytes(text) > MAX_METADATA_BYTES) {
    refuse(operation, 40011, `metadata too large for id="${id}"; max is ${MAX_METADATA_BYTES} bytes, got ${bytes(text)}`);
  }
  for (const key of Object.keys(metadata)) {
    if (key === "" || key.startsWith("$") || key.includes(".") || key.includes('"')) {
      refuse(operation, 40011, `invalid metadata key ${JSON.stringify(key)} for id="${id}"`);
    }
  }
  return JSON.parse(text);
}

/** The filter as a list of `[property, operator, operand]`, all of which must hold. */
function filter(given) {
  if (given === undefined || given === null) return [];
  const wrong = (what) => refuse("VECTOR_QUERY", 40026, `Failed to parse the request body as JSON: filter: ${what}`);
  if (typeof given !== "object" || Array.isArray(given) || given instanceof Map) wrong("expected an object");
  if (bytes(JSON.stringify(given)) >= MAX_FILTER_BYTES) wrong(`must be below ${MAX_FILTER_BYTES} bytes`);
  const conditions = [];
  for (const [property, condition] of Object.entries(given)) {
    if (property === "" || property.startsWith("$")) wrong(`invalid property ${JSON.stringify(property)}`);
    if (condition === null || typeof condition !== "object") {
      conditions.push([property, "$eq", scalar(condition, wrong)]);
      continue;
    }
    for (const [operator, operand] of Object.entries(condition)) {
      if (!OPERATORS.includes(operator)) wrong(`unknown operator ${JSON.stringify(operator)}`);
      if (operator === "$in" || operator === "$nin") {
        if (!Array.isArray(operand)) wrong(`${operator} takes a list`);
        conditions.push([property, operator, operand.map((item) => scalar(item, wrong))]);
      } else {
        conditions.push([property, operator, scalar(operand, wrong)]);
      }
    }
  }
  return conditions;
}

function scalar(value, wrong) {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  return wrong("a value must be a string, a number, a boolean or null");
}
