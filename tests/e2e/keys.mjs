/** Keys and signed tokens, made by the test that uses them. */
import { webcrypto } from "node:crypto";

const ALGORITHMS = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  RS512: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  RS256_1024: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) },
};

/** A key pair: `jwk` to publish, `sign` to make tokens. */
export async function makeKey(algorithm, kid) {
  const parameters = ALGORITHMS[algorithm];
  const pair = await webcrypto.subtle.generateKey(parameters, true, ["sign", "verify"]);
  const { kty, n, e, crv, x, y } = await webcrypto.subtle.exportKey("jwk", pair.publicKey);
  const alg = algorithm.slice(0, 5);
  return {
    kid,
    alg,
    jwk: Object.fromEntries(Object.entries({ kty, n, e, crv, x, y, kid, alg, use: "sig" }).filter(([, v]) => v !== undefined)),
    publicKey: await webcrypto.subtle.exportKey("spki", pair.publicKey),
    signature: async (text) => Buffer.from(await webcrypto.subtle.sign(parameters, pair.privateKey, Buffer.from(text))),
  };
}

/** Text of base64url, as tokens are made of. */
export const encode = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token: header and claims as objects, or as JSON text where an object can't say it. */
export async function token(key, claims, header = {}) {
  const head = typeof header === "string" ? header : { alg: key.alg, kid: key.kid, typ: "JWT", ...header };
  const signed = `${encode(head)}.${encode(claims)}`;
  return `${signed}.${(await key.signature(signed)).toString("base64url")}`;
}
