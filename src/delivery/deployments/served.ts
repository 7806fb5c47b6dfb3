/**
 * The digest of a Deployment by names and contents, without the ids of the Deployment, its Release, revisions, Agents and
 * Definitions, so that equal contents have equal digests. Source: contract 3, "equal content, equal digest".
 */
import { findValueDigest } from '../../../storage/delivery/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentContent } from '../../authoring/agents/content.ts'
import { canonical } from '../../platform/http/canonical.ts'
import { digestOfTexts } from '../../platform/http/digest.ts'
import type { Bundle } from './bundle.ts'
import type { Pinned } from './pinned.ts'

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)

/** Delegates are identified by the slugs of their Agents instead. */
const withoutIds = ({ delegates, ...content }: AgentContent) => ({
  ...content,
  ...(delegates && { delegates: delegates.map(({ name, description }) => ({ name, description })) }),
})

export async function digestOfServed(store: Store, bundle: Bundle, { connections }: Pinned): Promise<string> {
  const slugs = new Map(bundle.agents.map(({ agentId, slug }) => [agentId, slug]))
  const slugOf = (agentId: string | null) => (agentId === null ? null : (slugs.get(agentId) ?? agentId))
  const grants = new Map(connections.map(({ connectionId, grantId }) => [connectionId, grantId]))
  const variables = []
  for (const { variableId, version, name, agentId, bindingKey } of bundle.variables) {
    const value = await store.first(findValueDigest(store, { variableId, version }))
    variables.push({ name, agent: slugOf(agentId), bindingKey, value: value?.digest ?? null })
  }
  const texts = canonicalParts({
    agents: bundle.agents
      .map(({ slug, name, content, grantedOperations, delegates, setting }) => ({
        slug,
        name,
        content: withoutIds(content),
        grantedOperations,
        delegates: Object.fromEntries(Object.entries(delegates).map(([delegate, id]) => [delegate, slugOf(id)])),
        setting,
      }))
      .sort((a, b) => (a.slug < b.slug ? -1 : 1)),
    definitions: bundle.definitions.map(({ name, source }) => ({ name, source })).sort(byName),
    variables: variables.sort(byBinding),
    connections: bundle.connections
      .map(({ connectionId, kind, name, settings, credential, agentId, bindingKey }) => {
        const consent = grants.get(connectionId) ?? null
        return { kind, name, settings, credential, consent, agent: slugOf(agentId), bindingKey }
      })
      .sort(byName),
  })
  return (await digestOfTexts(texts)).digest
}

/** The canonical JSON of an object of lists, item by item. */
function* canonicalParts(lists: Record<string, readonly unknown[]>): Generator<string> {
  for (const [at, name] of Object.keys(lists).sort().entries()) {
    yield `${at === 0 ? '{' : ','}"${name}":[`
    for (const [place, item] of (lists[name] ?? []).entries()) yield (place === 0 ? '' : ',') + canonical(item)
    yield ']'
  }
  yield '}'
}

/** Several Agents may have variables of the same name. */
const byBinding = (a: { name: string; agent: string | null }, b: { name: string; agent: string | null }) =>
  byName(a, b) || byName({ name: a.agent ?? '' }, { name: b.agent ?? '' })
