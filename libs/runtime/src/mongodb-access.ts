import { flag, type Parsed, text } from './settings.ts';
import { type TlsIdentity, tlsFiles, tlsIdentity } from './tls-identity.ts';

/** Options of a connection string that disable the verification of the server. */
const trustingOption =
  /[?&](tlsInsecure|tlsAllowInvalidCertificates|tlsAllowInvalidHostnames|sslValidate)=/i;

/** Every read decides something; a member that lags would decide it wrongly. */
const otherReadPreference = /[?&]readPreference=(?!primary(&|$))/i;

const files = tlsFiles('MONGODB_TLS', "MongoDB's");

/** Address and TLS of a MongoDB server; the login is part of the connection string. */
export const mongodbSettings = {
  MONGODB_URI: text()
    .refine((uri) => !trustingOption.test(uri), 'must not disable the verification of the server')
    .refine((uri) => !otherReadPreference.test(uri), 'must read from the primary')
    .describe("MongoDB connection string of this service's own database server"),
  MONGODB_TLS: flag()
    .default(false)
    .describe('Whether connections to MongoDB are encrypted; with mongodb+srv they always are'),
  MONGODB_TLS_CA_FILE: files.authorities,
  MONGODB_TLS_CERT_FILE: files.certificate,
  MONGODB_TLS_KEY_FILE: files.privateKey,
} as const;

export interface MongodbAccess {
  readonly uri: string;
  /** Without it, the TLS options of the connection string apply. */
  readonly tls?: TlsIdentity;
}

/** `parsed` comes from readSettings over a shape that includes {@link mongodbSettings}. */
export function mongodbAccess(parsed: Parsed<typeof mongodbSettings>): MongodbAccess {
  const tls = tlsIdentity('MONGODB_TLS', parsed);
  return { uri: parsed.MONGODB_URI, ...(tls ? { tls } : {}) };
}
