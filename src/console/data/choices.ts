/** Projects and Agents for choices, and their order. */
import type { Api } from '../api/client.ts'
import { useApi } from './context.ts'
import type { Key } from './queries.ts'
import { type ReadOptions, useReading } from './resource.ts'
import { wholeList } from './whole-list.ts'

const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Sorts a list for a choice: lists of the API begin with the newest. */
export const byName = <Item extends { name: string }>(list: readonly Item[]): Item[] =>
  list.toSorted((one, other) => compare(one.name, other.name))

/** For lists of many requests, whose parts of a page appear one after the other. */
export const choicesFreshMs = 10_000

/** All Projects that the user may see, by name. */
export function useProjectChoices() {
  const api = useApi()
  return useReading(
    ['projects', 'choices'],
    (options) => wholeList((query) => api.v1.projects.get({ ...options, query })).then(byName),
    { freshMs: choicesFreshMs },
  )
}

interface Named {
  id: string
  name: string
}

/** The query of `useAgentChoices`, for `readingOf`. */
export const agentChoicesOf = (
  api: Api,
  projectId: string | null,
): [Key, (options: ReadOptions) => Promise<readonly Named[]>] => [
  ['agents', projectId ?? 'system', 'choices'],
  (options) =>
    projectId === null
      ? wholeList((query) => api.v1['system-agents'].get({ ...options, query })).then(byName)
      : wholeList((query) => api.v1.projects({ projectId }).agents.get({ ...options, query })).then(byName),
]

/** All Agents of a Project, by name; null for System Agents, none without a Project. */
export function useAgentChoices(projectId: string | null | undefined) {
  const [key, read] = agentChoicesOf(useApi(), projectId ?? null)
  return useReading(projectId === undefined || projectId === '' ? null : key, read, { freshMs: choicesFreshMs })
}
