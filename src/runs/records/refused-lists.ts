/** The error for a list of runs that no index serves. Source: contract 9, "Decided since". */
import { unsupportedFilter } from '../../platform/http/answers/errors.ts'
import { type RequestedList, type RunFilter, type ServedWalk, servedBy } from './served-lists.ts'

/** Requests that are served instead: another sort key, or one filter less. */
function remedies(requested: RequestedList, dispensable: readonly RunFilter[]): string[] {
  const others: [string, RequestedList][] = [
    ['sort by createdAt', { ...requested, sort: 'createdAt' }],
    ['remove the filter states', { ...requested, states: [] }],
    ...dispensable.map((name): [string, RequestedList] => [
      `remove the filter ${name}`,
      { ...requested, filters: requested.filters.filter((other) => other !== name) },
    ]),
  ]
  return others.flatMap(([what, other]) => (servedBy(other) ? [what] : []))
}

/** The same for a request; `named` are its own filters. Throws `unsupported_filter` (422). */
export function servedWalks(requested: RequestedList, named: readonly RunFilter[]): ServedWalk[] {
  const walks = servedBy(requested)
  if (walks) return walks
  const { filters, states, sort } = requested
  const implied = filters.filter((name) => !named.includes(name))
  const by = [...filters, ...(states.length > 0 ? ['states'] : [])].join(', ')
  const bound = implied.length > 0 ? ` (the credential reaches runs of one ${implied.join(', ')} only)` : ''
  const instead = remedies(requested, named)
  const mend = instead.length > 0 ? instead.join(' or ') : 'use fewer filters'
  throw unsupportedFilter(
    [...named, ...(states.length > 0 ? ['states'] : []), ...(sort === 'updatedAt' ? ['sort'] : [])],
    `No index serves the list of runs by ${by}${bound}, sorted by ${sort}: ${mend}. docs/api.md lists the combinations that are served.`,
  )
}
