/** The differences between the configurations of two Deployments: versions, never values or secrets. Source: contract 3. */
import { findCredentialLabel, findPinnedConnection } from '../../../../storage/delivery/pins.ts'
import type { Store } from '../../../../storage/store.ts'
import { differencesOf, type Room } from '../../../authoring/releases/differences/compare.ts'
import { type Pair, paired } from '../../../authoring/releases/differences/paired.ts'
import { withoutValues } from '../../../authoring/releases/differences/readable.ts'
import { canonical } from '../../../platform/http/canonical.ts'
import { nextTurn } from '../../../platform/time/next-turn.ts'
import type {
  Configuration,
  PinnedConnection,
  PinnedSetting,
  PinnedVariable,
} from '../../configuration-revisions/content.ts'
import type { ConnectionChange, DeploymentDiff, ProviderSettingChange, VariableChange } from './schema.ts'

interface Place {
  organizationId: string
  environmentId: string
  /** The slug of an Agent. */
  nameOf(agentId: string): string
  /** Whether the settings of a Connection may be shown, which is bound to this Agent or, with null, for all. */
  readsConnection(agentId: string | null): boolean
}

interface Both {
  before: Configuration
  after: Configuration
}

/** The limit for variables, Connections and settings each. */
const listedMax = 1_000

export async function configurationDifferences(
  store: Store,
  place: Place,
  both: Both,
  room: Room,
): Promise<Pick<DeploymentDiff, 'variables' | 'connections' | 'providerSettings'>> {
  const credentialOf = credentialsOf(store, place)
  return {
    variables: variableChanges(place, both, room),
    connections: await connectionChanges({ store, place, credentialOf }, both, room),
    providerSettings: await settingChanges({ place, credentialOf }, both, room),
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

interface Naming {
  place: Place
  credentialOf: (pin: CredentialPin) => Promise<PinnedCredential>
}

async function connectionChanges(
  { store, place, credentialOf }: Naming & { store: Store },
  both: Both,
  room: Room,
): Promise<ConnectionChange[]> {
  const { environmentId } = place
  // only changed ones are looked up
  const same = new Set(both.before.connections.map((pin) => canonical(pin)))
  const kept = new Set(both.after.connections.map((pin) => canonical(pin)).filter((text) => same.has(text)))
  const read = async (pins: PinnedConnection[]) => {
    const found = []
    for (const pin of pins.filter((pin) => !kept.has(canonical(pin)))) {
      const row = await store.first(findPinnedConnection(store, { environmentId, ...pin }))
      found.push({
        ...pin,
        name: pin.name ?? row?.name ?? pin.connectionId,
        number: row?.number ?? null,
        settings: row?.settings,
      })
      await nextTurn()
    }
    return found
  }
  const [before, after] = [await read(both.before.connections), await read(both.after.connections)]
  const side = async ({ connectionId, connectionVersionId, number, ...pin }: (typeof before)[number]) => ({
    connectionId,
    connectionVersionId,
    number,
    credential: await credentialOf(pin),
  })
  const changed: ConnectionChange[] = []
  for (const { before: was, after: is, change, thing } of bounded(
    pairs(place, before, after, ({ name }) => name),
    room,
  )) {
    const comparable = was?.settings && is?.settings
    const isReadable = [was, is].every((pin) => pin === null || place.readsConnection(pin.agentId))
    const differences = comparable ? await differencesOf(JSON.parse(was.settings!), JSON.parse(is.settings!), room) : []
    changed.push({
      name: thing.name,
      ...boundTo(place, thing),
      change,
      before: was && (await side(was)),
      after: is && (await side(is)),
      differences: isReadable ? differences : withoutValues(differences),
    })
  }
  return changed
}

async function settingChanges(
  { place, credentialOf }: Naming,
  both: Both,
  room: Room,
): Promise<ProviderSettingChange[]> {
  const side = async ({ settingId, provider, model, ...pin }: PinnedSetting) => ({
    settingId,
    provider,
    model,
    credential: await credentialOf(pin),
  })
  const { before, after } = both
  const changed: ProviderSettingChange[] = []
  const all = pairs(place, unbound(before.providerSettings), unbound(after.providerSettings), () => '')
  for (const { before: was, after: is, change, thing } of bounded(all, room)) {
    changed.push({
      agent: place.nameOf(thing.agentId),
      change,
      before: was && (await side(was)),
      after: is && (await side(is)),
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

/** The changed items, sorted by name and by the Agent that they are bound to. */
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

interface CredentialPin {
  providerCredentialId: string | null
  providerCredentialVersion: number | null
}
type PinnedCredential = NonNullable<ConnectionChange['before']>['credential']

/** The names of credentials, each looked up once. */
function credentialsOf(store: Store, { organizationId }: Place): Naming['credentialOf'] {
  const labels = new Map<string, string | null>()
  const labelOf = async (credentialId: string) => {
    const known = labels.get(credentialId)
    if (known !== undefined) return known
    const found = (await store.first(findCredentialLabel(store, { organizationId, id: credentialId })))?.label ?? null
    labels.set(credentialId, found)
    await nextTurn()
    return found
  }
  return async ({ providerCredentialId, providerCredentialVersion }) =>
    providerCredentialId === null
      ? null
      : { providerCredentialId, label: await labelOf(providerCredentialId), providerCredentialVersion }
}

function bounded<Each>(all: Each[], room: Room): Each[] {
  if (all.length > listedMax) room.truncated = true
  return all.slice(0, listedMax)
}
