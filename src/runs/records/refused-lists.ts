/** What is said to whoever asks for a list of runs that no index serves. Source: contract 9, "Decided since". */
import { unsupportedFilter } from '../../platform/http/answers/errors.ts'
import { type AskedList, type RunFilter, type ServedWalk, servedBy } from './served-lists.ts'

/** What could be asked for instead: by another sort, or with one thing less. */
function remedies(asked: AskedList, dispensable: readonly RunFilter[]): string[] {
  const others: [string, AskedList][] = [
    ['sort by createdAt', { ...asked, sort: 'createdAt' }],
    ['leave out states', { ...asked, states: [] }],
    ...dispensable.map((name): [string, AskedList] => [
      `leave out ${name}`,
      { ...asked, filters: asked.filters.filter((other) => other !== name) },
    ]),
  ]
  return others.flatMap(([what, other]) => (servedBy(other) ? [what] : []))
}

/** The same for a request; `named` are the filters that it names itself. Throws `unsupported_filter` (422). */
export function servedWalks(asked: AskedList, named: readonly RunFilter[]): ServedWalk[] {
  const walks = servedBy(asked)
  if (walks) return walks
  const { filters, states, sort } = asked
  const implied = filters.filter((name) => !named.includes(name))
  const by = [...filters, ...(states.length > 0 ? ['states'] : [])].join(', ')
  const bound = implied.length > 0 ? ` (the credential reaches runs of one ${implied.join(', ')} only)` : ''
  const instead = remedies(asked, named)
  const mend = instead.length > 0 ? `either ${instead.join(' or ')}` : 'ask for less at once'
  throw unsupportedFilter(
    [...named, ...(states.length > 0 ? ['states'] : []), ...(sort === 'updatedAt' ? ['sort'] : [])],
    `No index serves the list of runs by ${by}${bound}, sorted by ${sort}: ${mend}. docs/api.md has what is served.`,
  )
}
