/** Stands where the pages would be: no page is measured. */
export default { fetch: () => new Response("", { status: 404 }) };
