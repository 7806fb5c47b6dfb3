/** The Agents behind delegates, by their slugs. Source: contract 10, "by names, never by ids". */
import { type Standing, slugsOf } from '../standing.ts'

type Loose = Record<string, unknown>

/** An Agent by the name of the delegate that leads to it. */
type Delegates = ReadonlyMap<string, string>

export interface Delegation {
  /** The slugs of the Project's Agents by id. */
  slugs: ReadonlyMap<string, string>
  /** The delegates of each Agent in the active Release. */
  serving: ReadonlyMap<string, Delegates>
}

export function delegationOf(standing: Pick<Standing, 'agents' | 'serving'>): Delegation {
  const serving = new Map<string, Map<string, string>>()
  for (const { agentId, name, delegateAgentId } of standing.serving?.attachments ?? []) {
    const delegates = serving.get(agentId) ?? new Map<string, string>()
    serving.set(agentId, delegates.set(name, delegateAgentId))
  }
  return { slugs: slugsOf(standing), serving }
}

export const hasDelegates = ({ delegates }: Loose): boolean => Array.isArray(delegates) && delegates.length > 0

/**
 * The content with the Agents of its delegates by slug: those that it names, or those of `attached` in their place.
 * Agents outside the Project, which have no slug, stay as they are.
 */
export function namingDelegates({ slugs }: Pick<Delegation, 'slugs'>, content: Loose, attached?: Delegates): Loose {
  if (!hasDelegates(content)) return content
  const delegates = (content.delegates as Loose[]).map((delegate) => {
    const { agentId, agent, ...others } = delegate
    const slug = slugs.get(attached?.get(others.name as string) ?? (agentId as string))
    return slug === undefined ? delegate : { ...others, agent: slug }
  })
  return { ...content, delegates }
}
