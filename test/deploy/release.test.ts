import { readJson, trackedFiles } from '../tidy/tracked-files.ts';

const { version } = readJson<{ version: string }>('package.json');

/** What a pattern with one group finds in the files of another. */
function foundIn(files: RegExp, pattern: RegExp): string[] {
  return trackedFiles(files).flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([, found]) => `${path}: ${found}`),
  );
}

test('a release has one version: of packages, images, both OpenAPI documents, manifests, the clients and the changelog (Versioning)', () => {
  const places = [
    ...foundIn(/package\.json$/, /^ {2}"version": "(.*)",$/gm),
    ...foundIn(/package\.json$/, /^ {4}"@inventory\/[\w-]+": "(.*?)",?$/gm),
    ...foundIn(/^Dockerfile$/, /^ARG VERSION=(.*)$/gm),
    ...foundIn(/^docs\/generated\/(operator-)?openapi\.json$/, /^ {2}"version": "(.*)",$/gm),
    ...foundIn(/^deploy\/kubernetes\/overlays\/production\//, /newTag: ([\w.-]+)/g),
    ...foundIn(/^libs\/client\/src\/transport\.ts$/, /inventory-client\/([\d.]+)/g),
    ...foundIn(/^libs\/(client|cli)\/README\.md$/, /inventory-(?:client|cli)-([\d.]+)\.tgz/g),
    ...foundIn(/^libs\/client-python\/pyproject\.toml$/, /^version = "(.*)"$/gm),
    ...foundIn(/^CHANGELOG\.md$/, /^## (.*)$/gm).slice(0, 1),
  ];

  const files = new Set(places.map((place) => place.split(': ')[0]));
  expect(files.size).toBeGreaterThan(25);
  expect(places.filter((place) => !place.endsWith(`: ${version}`))).toEqual([]);
});

test('an image is labelled with its release and its commit', () => {
  const labels = foundIn(/^Dockerfile$/, /org\.opencontainers\.image\.(\w+="[^"]*")/g);

  expect(labels).toEqual(
    expect.arrayContaining([
      `Dockerfile: version="\${VERSION}"`,
      `Dockerfile: revision="\${REVISION}"`,
    ]),
  );
});
