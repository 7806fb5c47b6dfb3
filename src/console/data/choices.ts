/** Projects and Agents for choices, and their order. */
import { useApi } from './context.ts'
import { useReading } from './resource.ts'
import { wholeList } from './whole-list.ts'

const { compare } = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Sorts a list for a choice: lists of the API begin with the newest. */
export const byName = <Named extends { name: string }>(list: readonly Named[]): Named[] =>
  list.toSorted((one, other) => compare(one.name, other.name))

/** All Projects that the user may see, by name. */
export function useProjectChoices() {
  const api = useApi()
  return useReading(['projects', 'choices'], (options) =>
    wholeList((query) => api.v1.projects.get({ ...options, query })).then(byName),
  )
}

/** All Agents of a Project, by name; none without a Project. */
export function useAgentChoices(projectId: string) {
  const api = useApi()
  return useReading(projectId ? ['agents', projectId, 'choices'] : null, (options) =>
    wholeList((query) => api.v1.projects({ projectId }).agents.get({ ...options, query })).then(byName),
  )
}
