/** Agents as tools of MCP. */
import { createHash } from 'node:crypto'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { ProtocolAgents, ReachedAgent } from '../agents.ts'

const lengthMax = 64

/** `project_environment_agent`; a longer name is cut, and kept unique by a hash. */
export function toolNameOf({ address }: Pick<ReachedAgent, 'address'>): string {
  const name = address.replaceAll('/', '_')
  if (name.length <= lengthMax) return name
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 8)
  return `${name.slice(0, lengthMax - hash.length - 1)}_${hash}`
}

const ofProject = /^([a-z0-9-]+)_(development|preview|production)_([a-z0-9-]+)$/

/** The address in the name, unless it was cut; that of an Agent that may not exist. */
const addressIn = (name: string): string => name.replace(ofProject, '$1/$2/$3')

/** The Agent of a tool; undefined if the credential does not reach it. Most names say where it is. */
export async function agentOfTool(agents: ProtocolAgents, caller: Caller, name: string) {
  const named = await agents.find(caller, addressIn(name)).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined
    throw error
  })
  if (named && toolNameOf(named) === name) return named
  return (await agents.list(caller)).find((each) => toolNameOf(each) === name)
}

export const toolOf = (agent: ReachedAgent) => {
  const { displayName = agent.name, suggestedQueries = [] } = agent.content.presentation ?? {}
  const examples = suggestedQueries.length > 0 ? ` For example: ${suggestedQueries.slice(0, 3).join(' / ')}` : ''
  return {
    name: toolNameOf(agent),
    title: displayName,
    description: `Asks the Agent ${displayName} (${agent.address}).${examples}`,
    inputSchema: {
      type: 'object' as const,
      properties: {
        query: { type: 'string' as const, description: 'What to ask, with all that the Agent needs to know.' },
        threadKey: {
          type: 'string' as const,
          minLength: 1,
          maxLength: 128,
          description: 'A name of your own for the conversation, to go on with it in later calls.',
        },
      },
      required: ['query'],
    },
  }
}
