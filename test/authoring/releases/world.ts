/** A Project in which Agents, Definitions and Releases are created by name. */

import type { Client, Reply } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { operation } from '../definitions/sources.ts'

export interface AgentPin {
  agentId: string
  agentRevisionId: string
}
export interface DefinitionPin {
  definitionId: string
  definitionRevisionId: string
}

async function made(answer: Promise<Reply>) {
  const { status, body } = await answer
  if (status !== 201) throw new Error(`${status} instead of 201: ${JSON.stringify(body)}`)
  return body.data
}

export interface Workshop {
  id: string
  path: string
  agent(slug: string, content?: object, grantedOperations?: string[]): Promise<AgentPin>
  definition(name: string, kind: 'operations' | 'workflow' | 'entity', source: unknown): Promise<DefinitionPin>
  /** A Definition with these operations, all with echo handlers. */
  operations(name: string, ...operations: string[]): Promise<DefinitionPin>
  release(body: object): Promise<Reply>
}

export async function workshop(world: World, owner: Client = world.owner): Promise<Workshop> {
  const { id, path } = await world.project(owner)
  const definition: Workshop['definition'] = async (name, kind, source) => {
    const { id: definitionId } = await made(owner.post(`${path}/definitions`, { name, kind }))
    const revision = await made(owner.post(`${path}/definitions/${definitionId}/revisions`, { source }))
    return { definitionId, definitionRevisionId: revision.id }
  }
  return {
    id,
    path,
    definition,
    async agent(slug, content = {}, grantedOperations = []) {
      const { id: agentId } = await made(owner.post(`${path}/agents`, { slug, name: slug }))
      const body = { content: { instructions: 'Help.', ...content }, grantedOperations }
      const revision = await made(owner.post(`${path}/agents/${agentId}/revisions`, body))
      return { agentId, agentRevisionId: revision.id }
    },
    operations: (name, ...all) =>
      definition(name, 'operations', { operations: all.map((each) => operation({ name: each })) }),
    release: (body) => owner.post(`${path}/releases`, body),
  }
}

export { openWorld, type World }
