/** A peer's address as an egress identity; IPv4 in IPv6 dress counts as IPv4. */
export function directIdentity(remoteAddress: string | undefined): string {
  const address = remoteAddress ?? 'unknown';
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
}

/**
 * The user name of a `Proxy-Authorization: Basic` header: the identity of everything that comes
 * through the proxy with it. Undefined when there is none, or one that no identity can be.
 */
export function proxyIdentity(proxyAuthorization: string | undefined): string | undefined {
  const match = /^Basic ([A-Za-z0-9+/=_-]{1,512})$/i.exec(proxyAuthorization ?? '');
  if (match === null) {
    return undefined;
  }
  const userName =
    Buffer.from(match[1] ?? '', 'base64')
      .toString()
      .split(':')[0] ?? '';
  return isProxyIdentity(userName) ? userName : undefined;
}

/** Whether a name can be an identity: 1 to 128 printable ASCII characters, no space, no colon. */
export function isProxyIdentity(name: string): boolean {
  return /^[\x21-\x39\x3b-\x7e]{1,128}$/.test(name);
}
