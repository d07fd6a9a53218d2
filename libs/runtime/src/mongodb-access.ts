import { certificatesFile, privateKeyFile } from './file-settings.ts';
import { needing } from './setting-needs.ts';
import { flag, type readSettings, text } from './settings.ts';
import { type TlsIdentity, tlsIdentity } from './tls-identity.ts';

/** Options of a connection string that disable the verification of the server. */
const trustingOption =
  /[?&](tlsInsecure|tlsAllowInvalidCertificates|tlsAllowInvalidHostnames|sslValidate)=/i;

/** Address and TLS of a MongoDB server; the login is part of the connection string. */
export const mongodbSettings = {
  MONGODB_URI: text()
    .refine((uri) => !trustingOption.test(uri), 'must not disable the verification of the server')
    .describe("MongoDB connection string of this service's own database server"),
  MONGODB_TLS: flag()
    .default(false)
    .describe('Whether connections to MongoDB are encrypted; with mongodb+srv they always are'),
  MONGODB_TLS_CA_FILE: needing(
    certificatesFile()
      .optional()
      .describe(
        "PEM file of the authorities that sign MongoDB's certificates; Node's own by default",
      ),
    ['MONGODB_TLS'],
  ),
  MONGODB_TLS_CERT_FILE: needing(
    certificatesFile().optional().describe('PEM file of the client certificate'),
    ['MONGODB_TLS', 'MONGODB_TLS_KEY_FILE'],
  ),
  MONGODB_TLS_KEY_FILE: needing(
    privateKeyFile().optional().describe('PEM file of its private key, without a passphrase'),
    ['MONGODB_TLS_CERT_FILE'],
  ),
} as const;

export interface MongodbAccess {
  readonly uri: string;
  /** Without it, the TLS options of the connection string apply. */
  readonly tls?: TlsIdentity;
}

/** `parsed` comes from readSettings over a shape that includes {@link mongodbSettings}. */
export function mongodbAccess(
  parsed: ReturnType<typeof readSettings<typeof mongodbSettings>>,
): MongodbAccess {
  const tls = tlsIdentity({
    prefix: 'MONGODB_TLS',
    on: parsed.MONGODB_TLS,
    authorities: parsed.MONGODB_TLS_CA_FILE,
    certificate: parsed.MONGODB_TLS_CERT_FILE,
    privateKey: parsed.MONGODB_TLS_KEY_FILE,
  });
  return { uri: parsed.MONGODB_URI, ...(tls ? { tls } : {}) };
}
