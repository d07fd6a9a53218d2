/** Most bytes of a response body that are stored. */
const textBytesMax = 1_024;
/** So much of a body is read: a secret across the cut is found whole. */
export const startBytesMax = textBytesMax + 256;

const secretPrefix = 'whsec_';
const redacted = '[secret]';

/**
 * The start of a response body as text: invalid bytes are replaced, secrets of the endpoint are
 * removed, a character across the cut is left out.
 */
export function responseText(start: Buffer, secrets: readonly string[]): string {
  if (start.length === 0) return '';
  let text = decodeStart(start);
  for (const secret of secrets) text = text.replace(keyPattern(secret), redacted);
  const bytes = Buffer.from(text.replaceAll(/whsec_[\w+/=\\-]+/g, redacted));
  return bytes.length > textBytesMax ? decodeStart(bytes.subarray(0, textBytesMax)) : String(bytes);
}

/** Without the bytes of a last character that is not complete. */
function decodeStart(bytes: Buffer): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
}

/** The key of a secret in base64, also where JSON escapes its slashes. */
function keyPattern(secret: string): RegExp {
  const key = secret.slice(secretPrefix.length).replace(/=+$/, '');
  const pattern = key.replaceAll('+', '\\+').replaceAll('/', '\\\\?/');
  return new RegExp(`(${secretPrefix})?${pattern}=*`, 'g');
}
