/** Agents and Definitions of a Project, for names and choices. */
import type { Agent } from '../../../authoring/agents/schema.ts'
import type { Definition } from '../../../authoring/definitions/schema.ts'
import type { Api } from '../../api/client.ts'
import { useApi } from '../../data/context.ts'
import { type Resource, useReading } from '../../data/resource.ts'
import { wholeList } from '../../data/whole-list.ts'

export interface Parts {
  agents: Agent[]
  definitions: Definition[]
  /** Name of an Agent or Definition; the id if it was deleted. */
  nameOf(id: string): string
}

async function readParts(api: Api, projectId: string, signal: AbortSignal): Promise<Parts> {
  const project = api.v1.projects({ projectId })
  const fetch = { signal }
  const [agents, definitions] = await Promise.all([
    wholeList((query) => project.agents.get({ query, fetch })),
    wholeList((query) => project.definitions.get({ query, fetch })),
  ])
  const names = new Map([...agents, ...definitions].map(({ id, name }) => [id, name]))
  return { agents, definitions, nameOf: (id) => names.get(id) ?? id }
}

export function useParts(projectId: string): Resource<Parts> {
  const api = useApi()
  return useReading(['parts', projectId], ({ fetch }) => readParts(api, projectId, fetch.signal))
}
