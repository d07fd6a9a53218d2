/** The common V2 envelope of a success, as JSON text. */
export function envelope(data: unknown, meta: unknown): Buffer {
  return Buffer.from(JSON.stringify({ success: true, data, meta }));
}
