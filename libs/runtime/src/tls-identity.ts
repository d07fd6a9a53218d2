import net from 'node:net';
import tls from 'node:tls';
import { belongTogether, certificatesFile, privateKeyFile } from './file-settings.ts';
import { needing, SettingsError } from './settings.ts';

/** Certificates and key of a TLS client. Everything is PEM text. */
export interface TlsIdentity {
  /** Trusted instead of Node's own authorities. */
  readonly authorities?: string;
  /** The client certificate with its chain. */
  readonly certificate?: string;
  readonly privateKey?: string;
}

/** Options of `tls.connect`. The server's certificate is always verified. */
export function tlsConnectOptions(identity: TlsIdentity) {
  const { authorities, certificate, privateKey } = identity;
  return {
    ...(authorities === undefined ? {} : { ca: authorities }),
    ...(certificate === undefined ? {} : { cert: certificate }),
    ...(privateKey === undefined ? {} : { key: privateKey }),
  };
}

/** The server name to send (SNI), by which proxies route; none for an IP address. */
export function serverNameOf(host: string): { readonly servername?: string } {
  return net.isIP(host) ? {} : { servername: host };
}

/** Encrypted when an identity is given. Writes are buffered until it is connected. */
export function openSocket(
  { host, port }: { readonly host: string; readonly port: number },
  identity: TlsIdentity | undefined,
): net.Socket {
  if (identity === undefined) return net.connect({ host, port });
  return tls.connect({ host, port, ...serverNameOf(host), ...tlsConnectOptions(identity) });
}

type Prefix = 'KAFKA_TLS' | 'MONGODB_TLS';

/** The files of a client's TLS; `signed` names, as a possessive, what has the signed certificates. */
export function tlsFiles(prefix: Prefix, signed: string) {
  return {
    authorities: needing(
      certificatesFile()
        .optional()
        .describe(
          `PEM file of the authorities that sign ${signed} certificates; Node's own by default`,
        ),
      [prefix],
    ),
    certificate: needing(
      certificatesFile().optional().describe('PEM file of the client certificate'),
      [prefix, `${prefix}_KEY_FILE`],
    ),
    privateKey: needing(
      privateKeyFile().optional().describe('PEM file of its private key, without a passphrase'),
      [`${prefix}_CERT_FILE`],
    ),
  };
}

type Parsed<Name extends Prefix> = Readonly<Record<Name, boolean>> & {
  readonly [File in `${Name}_${'CA' | 'CERT' | 'KEY'}_FILE`]?: string | undefined;
};

/** Throws a {@link SettingsError} when the key does not belong to the certificate. */
export function tlsIdentity<Name extends Prefix>(
  prefix: Name,
  parsed: Parsed<Name>,
): TlsIdentity | undefined {
  if (!parsed[prefix]) return undefined;
  const authorities = parsed[`${prefix}_CA_FILE` as const];
  const certificate = parsed[`${prefix}_CERT_FILE` as const];
  const privateKey = parsed[`${prefix}_KEY_FILE` as const];
  if (certificate !== undefined && privateKey !== undefined) {
    if (!belongTogether(certificate, privateKey)) {
      throw new SettingsError([`${prefix}_KEY_FILE: is not the key of ${prefix}_CERT_FILE`]);
    }
  }
  return {
    ...(authorities === undefined ? {} : { authorities }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}
