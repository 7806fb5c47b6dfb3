/** Filters of a list of runs, kept in the query string. */
import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { type RunState, runStates } from '../../../../../../machines/run/states.ts'
import { servedByEnd } from '../../../../../runs/records/served-lists.ts'
import { sinceOf, withinOf } from './within.ts'

export interface RunQuery {
  sort: 'createdAt' | 'updatedAt' | 'endedAt'
  order: 'asc' | 'desc'
  states?: RunState[]
  projectId?: string
  environmentId?: string
  agentId?: string
  agentJobId?: string
  createdBy?: string
  search?: string
  since?: string
  until?: string
  endedSince?: string
  endedUntil?: string
}

const filters = ['projectId', 'environmentId', 'agentId', 'agentJobId', 'createdBy'] as const
const texts = [...filters, 'search', 'within', 'since', 'until', 'endedSince', 'endedUntil'] as const
type Text = (typeof texts)[number]

export interface RunQueryChanges extends Partial<Record<Text | 'sort' | 'order', string>> {
  states?: readonly string[]
}

const isState = (word: string): word is RunState => (runStates as readonly string[]).includes(word)
const instantOf = (text: string | null) => (text && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : '')

/** Whether the list is filtered by end time, and therefore ordered by it. */
export const isByEnd = ({ endedSince, endedUntil }: Pick<RunQuery, 'endedSince' | 'endedUntil'>): boolean =>
  endedSince !== undefined || endedUntil !== undefined

/** Whether the server lists by this combination of filters and order. Source: contract 9, "Decided since". */
export const isServed = ({ sort, states = [], ...query }: RunQuery): boolean =>
  isByEnd(query)
    ? sort === 'endedAt' &&
      servedByEnd({ states, filters: filters.filter((name) => query[name] !== undefined) }) &&
      [query.search, query.since, query.until].every((filter) => filter === undefined)
    : sort === 'createdAt' || (query.since === undefined && query.until === undefined)

export function useRunQuery(fixed: { projectId?: string | undefined; environmentId?: string | undefined }) {
  const [params, setParams] = useSearchParams()
  const states = (params.get('states') ?? '').split(',').filter(isState)
  const within = withinOf(params.get('within'))
  // a relative time counts from when it was chosen, so that the list does not start again on each render
  const since = useMemo(() => sinceOf(within), [within]) ?? instantOf(params.get('since'))
  const until = within ? '' : instantOf(params.get('until'))
  const [endedSince, endedUntil] = [instantOf(params.get('endedSince')), instantOf(params.get('endedUntil'))]
  const search = (params.get('search') ?? '').slice(0, 100)
  const query: RunQuery = {
    sort: params.get('sort') === 'updatedAt' ? 'updatedAt' : 'createdAt',
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
    ...(states.length > 0 && { states }),
    ...(search.trim() !== '' && { search }),
    ...(since && { since }),
    ...(until && { until }),
    ...(endedSince && { endedSince }),
    ...(endedUntil && { endedUntil }),
  }
  if (isByEnd(query)) query.sort = 'endedAt'
  for (const name of filters) {
    const value = (name === 'projectId' || name === 'environmentId' ? fixed[name] : undefined) ?? params.get(name)
    if (value) query[name] = value.slice(0, 100)
  }
  // restore an order that is only possible with fewer filters
  if (!isServed(query) && isServed({ ...query, sort: 'createdAt' })) query.sort = 'createdAt'
  const name = JSON.stringify(query)
  const change = useCallback(
    /** An empty value removes the filter. */
    ({ states: chosen, ...changes }: RunQueryChanges): void => {
      setParams(
        (now) => {
          const next = new URLSearchParams(now)
          const given = { ...changes, ...(chosen && { states: chosen.join(',') }) }
          for (const [name, value] of Object.entries(given)) {
            if (value) next.set(name, value)
            else next.delete(name)
          }
          return next
        },
        { replace: true },
      )
    },
    [setParams],
  )
  return {
    // the same object while its values are the same
    query: useMemo((): RunQuery => JSON.parse(name), [name]),
    within,
    filtered: states.length > 0 || texts.some((name) => params.has(name)),
    /** The filters and the order of the address, without dialogs, as views store them. */
    address: addressOf(params),
    change,
    clear: () => setParams(new URLSearchParams(), { replace: true }),
    /** Shows a view, as a new history entry. */
    show: useCallback((address: string) => setParams(new URLSearchParams(address)), [setParams]),
  }
}

/** `states=failed&within=24h`: the filters and the order of an address, always in the same sequence. */
function addressOf(params: URLSearchParams): string {
  const kept = new URLSearchParams()
  for (const name of ['states', ...texts, 'sort', 'order']) {
    const value = params.get(name)
    if (value) kept.set(name, value)
  }
  return kept.toString()
}
