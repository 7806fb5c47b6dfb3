/** Agents as tools of MCP. */
import { createHash } from 'node:crypto'
import type { ReachedAgent } from '../agents.ts'

const lengthMax = 64

/** `project_environment_agent`; a longer name is cut, and kept unique by a hash. */
export function toolNameOf({ address }: Pick<ReachedAgent, 'address'>): string {
  const name = address.replaceAll('/', '_')
  if (name.length <= lengthMax) return name
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 8)
  return `${name.slice(0, lengthMax - hash.length - 1)}_${hash}`
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
