/** Path and query of a request line. */
export interface RequestTarget {
  /** As sent, but for percent-encoded characters that need no encoding. */
  readonly path: string;
  readonly query: string;
}

/** The scheme and authority of the absolute form, which a server has to serve (RFC 9112, 3.2.2). */
const origin = /^https?:\/\/[^/?#]+/i;
/** Equivalent to the character itself (RFC 3986, 2.3): letters, digits and `-._~`. */
const encodedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|5[\daf]|7[\dae])/gi;

export function targetOf(url: string | undefined): RequestTarget {
  const text = url ?? '';
  const mark = text.indexOf('?');
  return mark < 0
    ? { path: pathIn(text), query: '' }
    : { path: pathIn(text.slice(0, mark)), query: text.slice(mark + 1) };
}

function pathIn(text: string): string {
  const path = text.startsWith('/') ? text : text.replace(origin, '') || '/';
  return path.replaceAll(encodedUnreserved, decodeURIComponent);
}
