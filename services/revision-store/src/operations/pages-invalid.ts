/** Staged pages that no try can assemble into a revision. */
export class PagesInvalid extends Error {
  override name = 'PagesInvalid';
}
