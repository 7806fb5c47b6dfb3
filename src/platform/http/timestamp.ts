/** Timestamps of the API: RFC 3339 in UTC with milliseconds. Source: contract 0, "Timestamps". */

/** Formats epoch milliseconds. */
export const timestamp = (at: number): string => new Date(at).toISOString()

export const timestampOrNull = (at: number | null): string | null => (at === null ? null : timestamp(at))

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/** Parses RFC 3339 to epoch milliseconds; undefined if the text is invalid or names a day or time that does not exist. */
export function instantOf(text: string): number | undefined {
  const [, year, month, day] = rfc3339.exec(text) ?? []
  if (day === undefined) return undefined
  // the engine parses 31 April as 1 May
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
