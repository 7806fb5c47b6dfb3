/** What differs between the configurations of two Deployments: versions, never a value or a secret. Source: contract 3. */
import { findPinnedConnection } from '../../../storage/pins.ts'
import type { Store } from '../../../storage/store.ts'
import type {
  Configuration,
  PinnedConnection,
  PinnedSetting,
  PinnedVariable,
} from '../../configuration-revisions/content.ts'
import { canonical } from '../../http/canonical.ts'
import { differencesOf, type Room } from '../../releases/differences/compare.ts'
import { type Pair, paired } from '../../releases/differences/paired.ts'
import { nextTurn } from '../../runtime/next-turn.ts'
import type { ConnectionChange, DeploymentDiff, ProviderSettingChange, VariableChange } from './schema.ts'

interface Place {
  environmentId: string
  /** The slug of an Agent. */
  nameOf(agentId: string): string
}

interface Both {
  before: Configuration
  after: Configuration
}

/** Of variables, Connections and settings each. */
const listedMax = 1_000

export async function configurationDifferences(
  store: Store,
  place: Place,
  both: Both,
  room: Room,
): Promise<Pick<DeploymentDiff, 'variables' | 'connections' | 'providerSettings'>> {
  return {
    variables: variableChanges(place, both, room),
    connections: await connectionChanges(store, place, both, room),
    providerSettings: await settingChanges(place, both, room),
  }
}

function variableChanges(place: Place, { before, after }: Both, room: Room): VariableChange[] {
  const side = ({ variableId, version }: PinnedVariable) => ({ variableId, version })
  return bounded(
    pairs(place, before.variables, after.variables, ({ name }) => name),
    room,
  ).map(({ before, after, change, thing }) => ({
    name: thing.name,
    ...boundTo(place, thing),
    change,
    before: before && side(before),
    after: after && side(after),
  }))
}

async function connectionChanges(store: Store, place: Place, both: Both, room: Room): Promise<ConnectionChange[]> {
  const { environmentId } = place
  // only those that are not the same in both are looked up
  const same = new Set(both.before.connections.map((pin) => canonical(pin)))
  const kept = new Set(both.after.connections.map((pin) => canonical(pin)).filter((text) => same.has(text)))
  const read = async (pins: PinnedConnection[]) => {
    const found = []
    for (const pin of pins.filter((pin) => !kept.has(canonical(pin)))) {
      const row = await store.first(findPinnedConnection(store, { environmentId, ...pin }))
      found.push({ ...pin, name: row?.name ?? pin.connectionId, number: row?.number ?? null, settings: row?.settings })
      await nextTurn()
    }
    return found
  }
  const [before, after] = [await read(both.before.connections), await read(both.after.connections)]
  const side = ({ connectionId, connectionVersionId, number, ...pin }: (typeof before)[number]) => ({
    connectionId,
    connectionVersionId,
    number,
    credential: credentialOf(pin),
  })
  const changed: ConnectionChange[] = []
  for (const { before: was, after: is, change, thing } of bounded(
    pairs(place, before, after, ({ name }) => name),
    room,
  )) {
    const comparable = was?.settings && is?.settings
    changed.push({
      name: thing.name,
      ...boundTo(place, thing),
      change,
      before: was && side(was),
      after: is && side(is),
      differences: comparable ? await differencesOf(JSON.parse(was.settings!), JSON.parse(is.settings!), room) : [],
    })
  }
  return changed
}

async function settingChanges(place: Place, both: Both, room: Room): Promise<ProviderSettingChange[]> {
  const side = ({ settingId, provider, model, ...pin }: PinnedSetting) => ({
    settingId,
    provider,
    model,
    credential: credentialOf(pin),
  })
  const { before, after } = both
  const changed: ProviderSettingChange[] = []
  const all = pairs(place, unbound(before.providerSettings), unbound(after.providerSettings), () => '')
  for (const { before: was, after: is, change, thing } of bounded(all, room)) {
    changed.push({
      agent: place.nameOf(thing.agentId),
      change,
      before: was && side(was),
      after: is && side(is),
      differences: was && is ? await differencesOf(was.settings, is.settings, room) : [],
    })
  }
  return changed
}

const unbound = (settings: PinnedSetting[]) => settings.map((setting) => ({ ...setting, bindingKey: null }))

interface Bound {
  agentId: string | null
  bindingKey: string | null
}

/** Those that are not the same in both, by the name of the thing and of the Agent that it is bound to. */
function pairs<Thing extends Bound>(
  { nameOf }: Place,
  before: readonly Thing[],
  after: readonly Thing[],
  nameIn: (thing: Thing) => string,
): (Pair<Thing> & { thing: Thing })[] {
  const byName = (things: readonly Thing[]) =>
    new Map(
      things.map((thing) => {
        const { agentId, bindingKey } = thing
        return [`${nameIn(thing)}\n${agentId === null ? '' : nameOf(agentId)}\n${bindingKey ?? ''}`, thing] as const
      }),
    )
  return paired(byName(before), byName(after)).flatMap((pair) =>
    canonical(pair.before) === canonical(pair.after) ? [] : [{ ...pair, thing: (pair.after ?? pair.before)! }],
  )
}

const boundTo = ({ nameOf }: Place, { agentId, bindingKey }: Bound) => ({
  agent: agentId === null ? null : nameOf(agentId),
  bindingKey,
})

const credentialOf = (pin: { providerCredentialId: string | null; providerCredentialVersion: number | null }) =>
  pin.providerCredentialId === null
    ? null
    : {
        providerCredentialId: pin.providerCredentialId,
        providerCredentialVersion: pin.providerCredentialVersion,
      }

function bounded<Each>(all: Each[], room: Room): Each[] {
  if (all.length > listedMax) room.truncated = true
  return all.slice(0, listedMax)
}
