/** A file that is written from this package and committed: path below the repository, and content. */
export interface GeneratedFile {
  readonly path: string;
  readonly content: string;
}
