/** Agents of a manifest. */

import type { AgentRevisionRow, AgentRow } from '../../../../storage/tables.ts'
import type { AgentContent } from '../../../authoring/agents/content.ts'
import { type RevisionRequest, validated } from '../../../authoring/agents/revision-request.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import { pointer } from '../../../platform/json.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type { Manifest } from '../manifest.ts'
import type { Authored } from '../standing.ts'
import { differencesBelow, differing, type Planning, type Step, validating } from '../step.ts'
import { type Delegation, delegationOf, hasDelegates, namingDelegates } from './delegates.ts'

type WantedAgent = NonNullable<Manifest['agents']>[string]
type AuthoredAgent = Authored<AgentRow, AgentRevisionRow>
type Loose = Record<string, unknown>
const isObject = (value: unknown): value is Loose => typeof value === 'object' && value !== null
const listOf = (value: unknown): Loose[] => (Array.isArray(value) ? value.filter(isObject) : [])
const textsOf = (...values: unknown[]) => values.filter((value) => typeof value === 'string')

/** The grants of the Agent: those given, or those that its tools need. A workflow needs the operations of its steps. */
export function grantsOf(wanted: WantedAgent, definitions: Manifest['definitions']): string[] {
  if (wanted.grantedOperations) return wanted.grantedOperations as string[]
  const operations = new Set<string>()
  const workflows = new Set<string>()
  for (const { kind, operation, workflow } of listOf((wanted.content as Loose).tools)) {
    if (kind === 'operation') for (const name of textsOf(operation)) operations.add(name)
    if (kind === 'workflow') for (const name of textsOf(workflow)) workflows.add(name)
  }
  // it grows while it is walked: steps run further workflows
  for (const name of workflows) {
    const source = Object.hasOwn(definitions ?? {}, name) ? definitions?.[name]?.source : undefined
    for (const { operation, workflow, compensate } of listOf((source as Loose | undefined)?.steps)) {
      for (const each of textsOf(operation, isObject(compensate) && compensate.operation)) operations.add(each)
      for (const each of textsOf(workflow)) workflows.add(each)
    }
  }
  return [...operations]
}

/**
 * The active or the newest revision, if it has this content and these grants. Delegates are compared by the Agents that
 * they lead to: for the active revision, those of the active Release.
 */
export function findRevision(
  delegation: Delegation,
  { row, serving, latest }: AuthoredAgent,
  content: Loose,
  granted: readonly string[],
): AgentRevisionRow | undefined {
  const digest = digestOf(content)
  const candidates = [serving, latest]
    .filter((each) => each !== null)
    .filter((each) => sorted(JSON.parse(each.granted_operations) as string[]) === sorted(granted))
  const same = candidates.find((each) => each.content_digest === digest)
  if (same || !hasDelegates(content)) return same
  const named = digestOf(namingDelegates(delegation, content))
  return candidates.find((each) => {
    const attached = each === serving ? delegation.serving.get(row.id) : undefined
    return digestOf(namingDelegates(delegation, JSON.parse(each.content) as Loose, attached)) === named
  })
}

const sorted = (names: readonly string[]) => JSON.stringify([...names].sort())

export async function planAgents(planning: Planning): Promise<void> {
  const { manifest, standing, organizationId, steps, issues, sound } = planning
  const delegation = delegationOf(standing)
  for (const [slug, wanted] of Object.entries(manifest.agents ?? {})) {
    const at = `/agents${pointer(slug)}`
    const asked = {
      content: wanted.content as unknown as AgentContent,
      grantedOperations: grantsOf(wanted, manifest.definitions),
    }
    const places = { '/body/content': `${at}/content`, '/body/grantedOperations': `${at}/grantedOperations` }
    const revision = await validating(planning, places, () => validated(asked, organizationId))
    if (revision) sound.agents.add(slug)
    const found = standing.agents.get(slug)
    if (found && found.row.status !== 'active') {
      issues.push({ path: at, message: 'An Agent with this slug is being deleted; apply again once it is gone.' })
    } else if (revision) {
      const agent = { slug, wanted, revision }
      steps.push(found ? await changing(planning, delegation, agent, found) : creating(agent))
    }
    await nextTurn()
  }
}

interface PlannedAgent {
  slug: string
  wanted: WantedAgent
  revision: Required<RevisionRequest>
}

const changeOf = (slug: string) => ({ kind: 'agent', name: slug, environment: null }) as const

function creating({ slug, wanted: { name = slug, description }, revision }: PlannedAgent): Step {
  return {
    change: { ...changeOf(slug), action: 'create', differences: [] },
    permissions: ['agents:push', 'agents:revisions:create'],
    stamp: digestOf(revision),
    write: (writer) => writer.createAgent({ slug, name, ...(description !== undefined && { description }) }, revision),
  }
}

/** The step of an existing Agent: a new revision, unless the active or the newest one is as wanted. */
async function changing(
  planning: Planning,
  delegation: Delegation,
  { slug, wanted: { name, description }, revision }: PlannedAgent,
  found: AuthoredAgent,
): Promise<Step> {
  const { row, serving, latest } = found
  const { content, grantedOperations } = revision
  const named = [
    ...(name === undefined ? [] : differing('/name', row.name, name)),
    ...(description === undefined ? [] : differing('/description', row.description ?? undefined, description)),
  ]
  const isNamed = named.length > 0
  const changes = {
    id: row.id,
    ...(isNamed && {
      changes: { ...(name !== undefined && { name }), ...(description !== undefined && { description }) },
    }),
  }
  const current = findRevision(delegation, found, content, grantedOperations)
  if (current) {
    const differences = [...named, ...differing('/revision', serving?.number ?? null, current.number)]
    return {
      change: { ...changeOf(slug), action: differences.length > 0 ? 'update' : 'unchanged', differences },
      ...(isNamed && { permissions: ['agents:push'], write: (writer) => writer.reviseAgent(changes) }),
    }
  }
  const before = latest ? namingDelegates(delegation, JSON.parse(latest.content) as Loose) : undefined
  const after = namingDelegates(delegation, content)
  const granted = latest ? (JSON.parse(latest.granted_operations) as string[]) : []
  const isRegranted = sorted(granted) !== sorted(grantedOperations)
  return {
    change: {
      ...changeOf(slug),
      action: 'revise',
      differences: [
        ...named,
        ...(await differencesBelow(planning, '/content', before, after)),
        ...(isRegranted ? differing('/grantedOperations', granted, grantedOperations) : []),
      ],
    },
    permissions: isNamed ? ['agents:push', 'agents:revisions:create'] : ['agents:revisions:create'],
    stamp: digestOf(revision),
    write: (writer) => writer.reviseAgent({ ...changes, revision }),
  }
}

/** Delegates that the active Release sends to other Agents than the manifest does. */
export function planDelegates({ standing, steps, attachments }: Planning): void {
  const { slugs, serving: servingDelegates } = delegationOf(standing)
  const slugOf = (id = '') => slugs.get(id) ?? (id || undefined)
  for (const step of steps) {
    const { change } = step
    const { row, serving } = (change.kind === 'agent' && standing.agents.get(change.name)) || {}
    if (!row || !serving || change.action === 'revise') continue
    const was = servingDelegates.get(row.id)
    const differences = attachments
      .filter(({ agentId }) => agentId === row.id)
      .flatMap(({ name, delegateAgentId }) =>
        differing(`/delegates/${name}`, slugOf(was?.get(name)), slugOf(delegateAgentId)),
      )
    if (differences.length === 0) continue
    step.change = { ...change, action: 'update', differences: [...change.differences, ...differences] }
  }
}
