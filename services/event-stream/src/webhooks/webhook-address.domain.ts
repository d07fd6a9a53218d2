import ipaddr from 'ipaddr.js';

export interface AddressRules {
  /** Private networks and plain http: for local stacks and tests. */
  readonly allowPrivate: boolean;
}

/** Metadata services of clouds on addresses of public ranges. */
const metadataAddresses = ['168.63.129.16'];
/** Assigned for global use; all other IPv6 ranges are special. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an address is public. An IPv4 address written as IPv6 is judged as IPv4; a text that is
 * no address is not public.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast);
  return !metadataAddresses.includes(address.toString());
}

/** Resolves to this machine by definition (RFC 6761, 6.3). */
export function isLocalName(name: string): boolean {
  return /(^|\.)localhost\.?$/.test(name);
}

export type WebhookUrl =
  | {
      readonly result: 'valid';
      /** Normalised. */
      readonly url: string;
      readonly origin: string;
      readonly path: string;
    }
  | { readonly result: 'invalid'; readonly reason: string };

/** Whether nothing precedes the host but a scheme; a parsed URL does not show an empty user. */
const hasUser = /^[^/?#\\]*[/\\]*[^/?#\\]*@/;

/**
 * Reads the URL of an endpoint, when it is set and before each request, and before its name is
 * resolved.
 */
export function parseWebhookUrl(text: string, { allowPrivate }: AddressRules): WebhookUrl {
  const url = URL.parse(text);
  if (url === null) return invalid('must be a URL');
  const isHttps = url.protocol === 'https:' || (allowPrivate && url.protocol === 'http:');
  if (!isHttps) return invalid('must be an https URL');
  if (hasUser.test(text)) return invalid('must not hold a password');
  if (text.includes('#')) return invalid('must not have a fragment');
  if (url.port === '0') return invalid('must have a port from 1 to 65535');
  const host = parseHost(url.hostname);
  if (host === null) return invalid('must have a host that can be resolved');
  if (!allowPrivate && !host.mayBePublic) return invalid('must lead to a public address');
  const { href, origin, pathname, search } = url;
  return { result: 'valid', url: href, origin, path: pathname + search };
}

/** A host as a parsed URL has it. Null for a name that DNS cannot have (RFC 1035, 2.3.4). */
function parseHost(hostname: string): { readonly mayBePublic: boolean } | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (ipaddr.isValid(address)) return { mayBePublic: isPublicAddress(address) };
  const name = hostname.replace(/\.$/, '');
  const labels = name.split('.');
  if (name.length > 253 || !labels.every((label) => /^[\w-]{1,63}$/.test(label))) return null;
  return { mayBePublic: labels.length > 1 && !isLocalName(name) };
}

function invalid(reason: string): WebhookUrl {
  return { result: 'invalid', reason };
}
