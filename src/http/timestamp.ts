/** Instants on the wire: RFC 3339 in UTC with milliseconds. Source: contract 0, "Timestamps". */

/** From epoch milliseconds. */
export const timestamp = (at: number): string => new Date(at).toISOString()

export const timestampOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at))
