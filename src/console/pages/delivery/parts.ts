/** Agents and Definitions of a Project, for names and choices. */
import type { Agent } from '../../../authoring/agents/schema.ts'
import type { Definition } from '../../../authoring/definitions/schema.ts'
import { type Api, ApiFailure } from '../../api/client.ts'
import { useApi } from '../../data/context.ts'
import { type Resource, useReading } from '../../data/resource.ts'
import { wholeList } from '../../data/whole-list.ts'

export interface Parts {
  /** Undefined without permission. */
  agents: Agent[] | undefined
  definitions: Definition[] | undefined
  /** Name of an Agent or Definition; the id without permission, and if it was deleted. */
  nameOf(id: string): string
}

const ifPermitted = <Value>(reading: Promise<Value>): Promise<Value | undefined> =>
  reading.catch((thrown: unknown) => {
    if (thrown instanceof ApiFailure && thrown.status === 403) return undefined
    throw thrown
  })

async function readParts(api: Api, projectId: string, signal: AbortSignal): Promise<Parts> {
  const project = api.v1.projects({ projectId })
  const fetch = { signal }
  const [agents, definitions] = await Promise.all([
    ifPermitted(wholeList((query) => project.agents.get({ query, fetch }))),
    ifPermitted(wholeList((query) => project.definitions.get({ query, fetch }))),
  ])
  const names = new Map([...(agents ?? []), ...(definitions ?? [])].map(({ id, name }) => [id, name]))
  return { agents, definitions, nameOf: (id) => names.get(id) ?? id }
}

export function useParts(projectId: string): Resource<Parts> {
  const api = useApi()
  return useReading(['parts', projectId], ({ fetch }) => readParts(api, projectId, fetch.signal))
}
