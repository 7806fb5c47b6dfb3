/**
 * Resolves the Agent of each delegate: the one that the content names, unless the request replaces it. Pure.
 * Source: contract 3, "Delegate attachments follow from the content".
 */

import type { Issue } from '../../platform/http/answers/errors.ts'
import { cyclesOf, drawn } from '../definitions/cycles.ts'
import type { AgentNode } from './graph.ts'
import type { DelegateAttachment } from './schema.ts'

export interface Attached {
  attachments: DelegateAttachment[]
  /** Attachments that lead to nothing in the Release. */
  unresolved: Issue[]
  /** Agents that hand work around in a circle. */
  cycles: Issue[]
}

interface Placed extends DelegateAttachment {
  path: string
}

const keyOf = ({ agentId, name }: Pick<DelegateAttachment, 'agentId' | 'name'>) => `${agentId}/${name}`

/** `isSystemAgent` knows the Agents of the platform, which no Release pins. */
export function attach(
  agents: readonly AgentNode[],
  given: readonly DelegateAttachment[],
  isSystemAgent: (agentId: string) => boolean,
): Attached {
  const byId = new Map(agents.map((agent) => [agent.agentId, agent]))
  const bySlug = new Map(agents.map(({ agentId, slug }) => [slug, agentId]))
  const explicit = new Map(
    given.map((attachment, index) => [
      keyOf(attachment),
      { ...attachment, path: `/body/delegateAttachments/${index}` },
    ]),
  )
  const placed = agents.flatMap(({ agentId, delegates }) =>
    delegates.map(({ path, name, to }): Placed => {
      const instead = explicit.get(keyOf({ agentId, name }))
      if (instead) return { ...instead, path: `${instead.path}/delegateAgentId` }
      const delegateAgentId = 'agentId' in to ? to.agentId : (bySlug.get(to.slug) ?? to.slug)
      return { agentId, name, delegateAgentId, path }
    }),
  )
  const lost = placed.flatMap(({ path, name, delegateAgentId }) =>
    byId.has(delegateAgentId) || isSystemAgent(delegateAgentId)
      ? []
      : [{ path, message: `The Release does not pin the Agent behind the delegate ${name}: ${delegateAgentId}.` }],
  )
  return {
    attachments: placed.map(({ agentId, name, delegateAgentId }) => ({ agentId, name, delegateAgentId })),
    unresolved: [...misplaced(explicit.values(), byId), ...lost],
    cycles: circles(placed, byId),
  }
}

/** Explicit attachments to Agents that are not delegates. */
const misplaced = (explicit: Iterable<Placed>, byId: ReadonlyMap<string, AgentNode>): Issue[] =>
  [...explicit].flatMap(({ agentId, name, path }) => {
    const agent = byId.get(agentId)
    if (!agent) return [{ path: `${path}/agentId`, message: 'The Release does not pin this Agent.' }]
    const isDelegate = agent.delegates.some((delegate) => delegate.name === name)
    return isDelegate
      ? []
      : [{ path: `${path}/name`, message: `The Agent ${agent.slug} has no delegate ${name} within the server.` }]
  })

function circles(placed: readonly Placed[], byId: ReadonlyMap<string, AgentNode>): Issue[] {
  const leadsTo = new Map<string, string[]>()
  for (const { agentId, delegateAgentId } of placed) {
    leadsTo.set(agentId, [...(leadsTo.get(agentId) ?? []), delegateAgentId])
  }
  return cyclesOf(leadsTo).map((cycle) => {
    const [first, second = first] = cycle
    const { path } = placed.find(({ agentId, delegateAgentId }) => agentId === first && delegateAgentId === second)!
    const slugs = cycle.map((agentId) => byId.get(agentId)!.slug)
    return { path, message: `Hands work around in a circle: ${drawn(slugs)}.` }
  })
}
