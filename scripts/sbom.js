'use strict';

/**
 * Writes a software bill of materials in CycloneDX 1.5 to standard output, of the whole product or of
 * one program. It comes from the lockfile, without a time or a random number: the same sources give
 * the same file. (`npm sbom --omit=dev` leaves out packages that one workspace needs at run time and
 * another for its development.)
 *
 *   npm run -s sbom > sbom.json
 *   npm run -s sbom -- gateway > sbom-gateway.json
 */
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { shippedFolders, shippedPackages } = require('./generate/shipped-packages.js');

const root = resolve(__dirname, '..');
const algorithms = { sha512: 'SHA-512', sha384: 'SHA-384', sha256: 'SHA-256', sha1: 'SHA-1' };

const purl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function component({ name, version, licence, integrity }) {
  const at = name.lastIndexOf('/');
  const reference = purl(name, version);
  return {
    type: 'library',
    'bom-ref': reference,
    ...(at > 0 ? { group: name.slice(0, at) } : {}),
    name: name.slice(at + 1),
    version,
    scope: 'required',
    ...(integrity ? { hashes: hashes(integrity) } : {}),
    ...(licence ? { licenses: [licenceChoice(licence)] } : {}),
    purl: reference,
  };
}

/** One identifier, or an expression of several. */
function licenceChoice(licence) {
  return / (OR|AND|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } };
}

function hashes(integrity) {
  return integrity.split(' ').map((one) => {
    const dash = one.indexOf('-');
    const content = Buffer.from(one.slice(dash + 1), 'base64').toString('hex');
    return { alg: algorithms[one.slice(0, dash)], content };
  });
}

/** A UUID derived from the content. */
function serialNumber(content) {
  const digest = createHash('sha256').update(content).digest('hex');
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

function billOfMaterials(program) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const packages = shippedPackages(root);
  const wanted = program ? packages.filter(({ users }) => users.includes(program)) : packages;
  const subject = program ?? name;
  const reference = `${subject}@${version}`;
  const body = {
    metadata: {
      component: { type: 'application', 'bom-ref': reference, name: subject, version },
    },
    components: wanted.map(component),
  };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: serialNumber(JSON.stringify(body)),
    version: 1,
    ...body,
  };
}

function main() {
  const [program, ...more] = process.argv.slice(2);
  const programs = shippedFolders(root).map((folder) => folder.split('/').at(-1));
  if (more.length > 0 || (program !== undefined && !programs.includes(program))) {
    process.stderr.write(`usage: npm run -s sbom [-- ${programs.join(' | ')}]\n`);
    process.exitCode = 2;
    return;
  }
  process.stdout.write(writeBillOfMaterials(program));
}

/** The bill as JSON text; of the whole product without a program. */
function writeBillOfMaterials(program) {
  return `${JSON.stringify(billOfMaterials(program), null, 2)}\n`;
}

module.exports = { writeBillOfMaterials };

if (require.main === module) main();
