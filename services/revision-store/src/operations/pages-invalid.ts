/** Staged pages that cannot become a revision, however often it is tried. */
export class PagesInvalid extends Error {
  override name = 'PagesInvalid';
}
