/** Filters of a list of runs, kept in the query string. */
import { useSearchParams } from 'wouter'
import { type RunState, runStates } from '../../../../../machines/run-states.ts'
import { servedBy } from '../../../../runs/records/served-lists.ts'

export interface RunQuery {
  sort: 'createdAt' | 'updatedAt'
  order: 'asc' | 'desc'
  states?: RunState[]
  projectId?: string
  environmentId?: string
  agentId?: string
  agentJobId?: string
  createdBy?: string
}

const filters = ['projectId', 'environmentId', 'agentId', 'agentJobId', 'createdBy'] as const
export type RunFilter = (typeof filters)[number]

export interface RunQueryChanges extends Partial<Record<RunFilter | 'sort' | 'order', string>> {
  states?: readonly string[]
}

const isState = (word: string): word is RunState => (runStates as readonly string[]).includes(word)

/** Whether the server has an index for this combination of filters and order. */
export const isServed = ({ sort, states = [], ...query }: RunQuery): boolean =>
  servedBy({ sort, states, filters: filters.filter((name) => query[name] !== undefined) }) !== undefined

export function useRunQuery(fixed: { projectId?: string | undefined; environmentId?: string | undefined }) {
  const [params, setParams] = useSearchParams()
  const states = (params.get('states') ?? '').split(',').filter(isState)
  const query: RunQuery = {
    sort: params.get('sort') === 'updatedAt' ? 'updatedAt' : 'createdAt',
    order: params.get('order') === 'asc' ? 'asc' : 'desc',
    ...(states.length > 0 && { states }),
  }
  for (const name of filters) {
    const value = (name === 'projectId' || name === 'environmentId' ? fixed[name] : undefined) ?? params.get(name)
    if (value) query[name] = value.slice(0, 100)
  }
  // restore an order that is only possible with fewer filters
  if (!isServed(query) && isServed({ ...query, sort: 'createdAt' })) query.sort = 'createdAt'
  return {
    query,
    filtered: states.length > 0 || filters.some((name) => params.has(name)),
    /** An empty value removes the filter. */
    change({ states: chosen, ...changes }: RunQueryChanges): void {
      setParams(
        (now) => {
          const next = new URLSearchParams(now)
          const texts = { ...changes, ...(chosen && { states: chosen.join(',') }) }
          for (const [name, value] of Object.entries(texts)) {
            if (value) next.set(name, value)
            else next.delete(name)
          }
          return next
        },
        { replace: true },
      )
    },
    clear: () => setParams(new URLSearchParams(), { replace: true }),
  }
}
