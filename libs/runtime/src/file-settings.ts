import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { text } from './settings.ts';

const fileBytesMax = 1024 * 1024;
const secretCharactersMax = 1_024;
const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A setting that names a file; its value is the file's content, read once. */
function fileContent() {
  return text().transform((path, context) => {
    try {
      const { size } = statSync(path);
      if (size <= fileBytesMax) return readFileSync(path, 'utf8');
      context.addIssue(`the file is larger than ${fileBytesMax} bytes`);
    } catch (error) {
      context.addIssue(`the file cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
    return z.NEVER;
  });
}

/** A file with one or more X.509 certificates in PEM. */
export const certificatesFile = () =>
  fileContent().refine(holdsCertificates, 'the file has no readable PEM certificates');

/** A file with a private key in PEM without a passphrase. */
export const privateKeyFile = () =>
  fileContent().refine(
    (pem) => succeeds(() => createPrivateKey(pem)),
    'the file has no PEM private key without a passphrase',
  );

/** A file with a secret as its only line. */
export const secretFile = () =>
  fileContent()
    .transform((content) => content.replace(/\r?\n$/, ''))
    .refine(
      (secret) => secret !== '' && secret.length <= secretCharactersMax && !/[\r\n]/.test(secret),
      'the file does not have a secret as its only line',
    );

function holdsCertificates(pem: string): boolean {
  const certificates = pem.match(certificatePattern) ?? [];
  return (
    certificates.length > 0 && certificates.every((one) => succeeds(() => new X509Certificate(one)))
  );
}

/** Whether the first certificate belongs to the key. Both are readable PEM. */
export function belongTogether(certificate: string, privateKey: string): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
}

function succeeds(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}
