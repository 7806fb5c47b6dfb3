/** The error for a list of runs that no index serves. Source: contract 9, "Decided since". */
import { unsupportedFilter } from '../../platform/http/answers/errors.ts'
import { type AskedList, type RunFilter, type ServedWalk, servedBy } from './served-lists.ts'

/** Requests that are served instead: another sort key, or one filter less. */
function remedies(asked: AskedList, dispensable: readonly RunFilter[]): string[] {
  const others: [string, AskedList][] = [
    ['sort by createdAt', { ...asked, sort: 'createdAt' }],
    ['remove the filter states', { ...asked, states: [] }],
    ...dispensable.map((name): [string, AskedList] => [
      `remove the filter ${name}`,
      { ...asked, filters: asked.filters.filter((other) => other !== name) },
    ]),
  ]
  return others.flatMap(([what, other]) => (servedBy(other) ? [what] : []))
}

/** The same for a request; `named` are its own filters. Throws `unsupported_filter` (422). */
export function servedWalks(asked: AskedList, named: readonly RunFilter[]): ServedWalk[] {
  const walks = servedBy(asked)
  if (walks) return walks
  const { filters, states, sort } = asked
  const implied = filters.filter((name) => !named.includes(name))
  const by = [...filters, ...(states.length > 0 ? ['states'] : [])].join(', ')
  const bound = implied.length > 0 ? ` (the credential reaches runs of one ${implied.join(', ')} only)` : ''
  const instead = remedies(asked, named)
  const mend = instead.length > 0 ? instead.join(' or ') : 'use fewer filters'
  throw unsupportedFilter(
    [...named, ...(states.length > 0 ? ['states'] : []), ...(sort === 'updatedAt' ? ['sort'] : [])],
    `No index serves the list of runs by ${by}${bound}, sorted by ${sort}: ${mend}. docs/api.md lists the combinations that are served.`,
  )
}
