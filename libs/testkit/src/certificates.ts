import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** PEM files of a certificate and its private key, which has no passphrase. */
export interface CertificateFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
}

export interface TestAuthority extends CertificateFiles {
  /** For `localhost` and 127.0.0.1, on either side of a connection. */
  issue(name: string): CertificateFiles;
}

export interface CertificateDirectory {
  /** For any other file of the test. */
  readonly path: string;
  /** A self-signed authority. */
  newAuthority(name: string): TestAuthority;
  remove(): void;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const validDays = '2';
/** The machine's own: present on every Linux and macOS. */
const program = 'openssl';

/** A temporary folder with certificates of one test, made by openssl. */
export function openCertificateDirectory(): CertificateDirectory {
  const path = mkdtempSync(join(tmpdir(), 'inventory-certificates-'));
  return {
    path,
    newAuthority: (name) => newAuthority(join(path, name), name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

function newAuthority(folder: string, name: string): TestAuthority {
  mkdirSync(folder);
  const own = filesOf(folder, 'authority');
  const made = [...newKey, '-keyout', own.keyFile, '-out', own.certificateFile];
  openssl('req', '-x509', ...made, '-days', validDays, '-subj', `/CN=${name}`);
  return { ...own, issue: (subject) => issue(folder, own, subject) };
}

function issue(folder: string, authority: CertificateFiles, subject: string): CertificateFiles {
  const files = filesOf(folder, subject);
  const request = join(folder, `${subject}.request.pem`);
  const extensions = join(folder, `${subject}.extensions`);
  writeFileSync(extensions, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  openssl('req', ...newKey, '-keyout', files.keyFile, '-out', request, '-subj', `/CN=${subject}`);
  openssl(
    ...['x509', '-req', '-in', request, '-days', validDays, '-extfile', extensions],
    ...['-CA', authority.certificateFile, '-CAkey', authority.keyFile, '-CAcreateserial'],
    ...['-out', files.certificateFile],
  );
  return files;
}

function filesOf(folder: string, name: string): CertificateFiles {
  return {
    certificateFile: join(folder, `${name}.crt.pem`),
    keyFile: join(folder, `${name}.key.pem`),
  };
}

function openssl(...args: string[]): void {
  execFileSync(program, args, { stdio: 'pipe' });
}
