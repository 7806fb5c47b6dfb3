/** Figures of use, for people. */

/** The smaller, the more exact: a run of a second is not nothing. */
export const count = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 })

/** How much is gone, in a word for the colour. */
export const levelOf = (share: number) => (share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine')
