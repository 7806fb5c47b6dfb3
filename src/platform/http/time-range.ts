/** Ranges of time that a query asks for. */
import { invalid } from './answers/errors.ts'

/** Throws `validation_failed` (422), which names both ends, if the range ends before it begins. */
export function assertRange<Since extends string, Until extends string>(
  query: { readonly [Name in Since | Until]?: string | undefined },
  since: Since,
  until: Until,
): void {
  const [first, last] = [query[since], query[until]]
  if (first === undefined || last === undefined || Date.parse(first) <= Date.parse(last)) return
  throw invalid([
    { path: `/query/${since}`, message: `Must not be later than ${until}.` },
    { path: `/query/${until}`, message: `Must not be earlier than ${since}.` },
  ])
}
