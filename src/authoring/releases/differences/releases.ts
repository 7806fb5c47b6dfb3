/** Compares two Releases by name. Source: contract 3, "tells what differs, by name". */
import { findPinnedAgent, findPinnedDefinition, listPinNames } from '../../../../storage/delivery/pins.ts'
import type { Store } from '../../../../storage/store.ts'
import type { ReleaseRow } from '../../../../storage/tables.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import { presentRelease } from '../present.ts'
import type { Release } from '../schema.ts'
import { differencesOf, type Room } from './compare.ts'
import { compareNames, paired } from './paired.ts'
import type { AgentChange, DefinitionChange, ReleaseDiff } from './schema.ts'

/** The limit of an answer. */
export const differencesMax = 1_000

type Side<Pin> = Pin & { number: number | null }
type AgentSide = Side<Release['agents'][number]>
type DefinitionSide = Side<Release['definitions'][number]>

/** A Release, and what its pins are called. */
interface Named {
  release: Release
  nameOf(id: string): string
  agents: Map<string, AgentSide>
  definitions: Map<string, DefinitionSide>
}

/** From `before` to `after`, both of one Project. Contents are read one pair after the other: together they may be large. */
export async function releaseDifferences(
  store: Store,
  before: ReleaseRow,
  after: ReleaseRow,
  room: Room = { left: differencesMax, truncated: false },
): Promise<ReleaseDiff & { nameOf(id: string): string }> {
  const [one, other] = [await named(store, before), await named(store, after)]
  const place = { organizationId: after.organization_id, projectId: after.project_id }
  const agents: AgentChange[] = []
  for (const pair of paired(one.agents, other.agents)) {
    const delegates = delegateChanges(
      pair.before && delegatesOf(one, pair.before),
      pair.after && delegatesOf(other, pair.after),
    )
    if (pair.before?.agentRevisionId === pair.after?.agentRevisionId && delegates.length === 0) continue
    const unchanged = { differences: [], grants: { added: [], removed: [] }, delegates: [] }
    if (pair.before === null || pair.after === null) {
      agents.push({ ...pair, ...unchanged })
      continue
    }
    await nextTurn()
    const [was, is] = [
      await store.first(findPinnedAgent(store, { ...place, ...pair.before })),
      await store.first(findPinnedAgent(store, { ...place, ...pair.after })),
    ]
    const differences = await textDifferences(was?.content, is?.content, room)
    const grants = grantChanges(was?.granted_operations, is?.granted_operations)
    agents.push({ ...pair, differences, grants, delegates })
  }
  const definitions: DefinitionChange[] = []
  for (const pair of paired(one.definitions, other.definitions)) {
    if (pair.before?.definitionRevisionId === pair.after?.definitionRevisionId) continue
    let differences: DefinitionChange['differences'] = []
    if (pair.before && pair.after) {
      await nextTurn()
      const was = await store.first(findPinnedDefinition(store, { ...place, ...pair.before }))
      const is = await store.first(findPinnedDefinition(store, { ...place, ...pair.after }))
      differences = await textDifferences(was?.source, is?.source, room)
    }
    definitions.push({ ...pair, differences })
  }
  return {
    before: { releaseId: before.id, number: before.number },
    after: { releaseId: after.id, number: after.number },
    agents,
    definitions,
    truncated: room.truncated,
    nameOf: (id) => (other.nameOf(id) === id ? one.nameOf(id) : other.nameOf(id)),
  }
}

async function named(store: Store, row: ReleaseRow): Promise<Named> {
  const release = presentRelease(row)
  const pins = new Map((await store.all(listPinNames(store, { releaseId: row.id }))).map((pin) => [pin.id, pin]))
  const nameOf = (id: string) => pins.get(id)?.name ?? id
  const numberOf = (id: string) => pins.get(id)?.number ?? null
  return {
    release,
    nameOf,
    agents: new Map(release.agents.map((pin) => [nameOf(pin.agentId), { ...pin, number: numberOf(pin.agentId) }])),
    definitions: new Map(
      release.definitions.map((pin) => [nameOf(pin.definitionId), { ...pin, number: numberOf(pin.definitionId) }]),
    ),
  }
}

/** The names of the Agents behind the delegates of one Agent. */
const delegatesOf = ({ release, nameOf }: Named, { agentId }: AgentSide) =>
  new Map(
    release.delegateAttachments
      .filter((attachment) => attachment.agentId === agentId)
      .map(({ name, delegateAgentId }) => [name, nameOf(delegateAgentId)]),
  )

function delegateChanges(before: Map<string, string> | null, after: Map<string, string> | null) {
  if (!before || !after) return []
  return paired(before, after).flatMap(({ name, before, after }) => (before === after ? [] : [{ name, before, after }]))
}

/** One that is deleted has no content to compare. */
async function textDifferences(before: string | null | undefined, after: string | null | undefined, room: Room) {
  if (!before || !after || before === after) return []
  await nextTurn()
  const was = JSON.parse(before)
  await nextTurn()
  const is = JSON.parse(after)
  await nextTurn()
  return differencesOf(was, is, room)
}

function grantChanges(before: string | null | undefined, after: string | null | undefined) {
  if (!before || !after) return { added: [], removed: [] }
  const [was, is] = [new Set<string>(JSON.parse(before)), new Set<string>(JSON.parse(after))]
  return {
    added: [...is.difference(was)].sort(compareNames),
    removed: [...was.difference(is)].sort(compareNames),
  }
}
