/** Conversions for `datetime-local` fields, which use the user's time zone. */

const two = (part: number) => String(part).padStart(2, '0')

/** `2026-01-31T12:00:00.000Z` → `2026-01-31T13:00` in Paris */
export function localOf(instant: string | number): string {
  const at = new Date(instant)
  // while a year is typed it has one digit, then two
  const year = String(at.getFullYear()).padStart(4, '0')
  const date = [year, two(at.getMonth() + 1), two(at.getDate())].join('-')
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`
}

/** The inverse; undefined for an empty field. */
export function instantOf(local: string): string | undefined {
  const at = Date.parse(local)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

export const dayMs = 86_400_000
