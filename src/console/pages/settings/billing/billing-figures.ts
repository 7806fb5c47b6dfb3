/** Formats usage figures. */

/** More decimals for small numbers. */
export const count = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: Math.abs(value) < 10 ? 2 : 1 })

/** Tone by used share. */
export const levelOf = (share: number) => (share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine')
