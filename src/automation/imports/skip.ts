/** Why something is left out of an import, in words for whoever asked for it. */
export class Skip extends Error {
  override readonly name = 'Skip'
}

/** What is left out, and why. */
export interface Skipped {
  name: string
  reason: string
}
