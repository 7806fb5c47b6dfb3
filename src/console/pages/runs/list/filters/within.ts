/** Relative times, as written in an address: `within=24h`. */
const hour = 3_600_000

export const withins = {
  '1h': ['Last hour', hour],
  '24h': ['Last 24 hours', 24 * hour],
  '7d': ['Last 7 days', 7 * 24 * hour],
  '30d': ['Last 30 days', 30 * 24 * hour],
} as const satisfies Record<string, readonly [title: string, milliseconds: number]>

export type Within = keyof typeof withins

export const withinOf = (text: string | null): Within | undefined =>
  text !== null && Object.hasOwn(withins, text) ? (text as Within) : undefined

/** The instant at which the relative time begins. */
export const sinceOf = (within: Within | undefined): string | undefined =>
  within && new Date(Date.now() - withins[within][1]).toISOString()
