/** Figures of use, for people. */

export const count = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 1 })

/** How much is gone, in a word for the colour. */
export const levelOf = (share: number) => (share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine')
