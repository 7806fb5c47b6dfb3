/**
 * Connections of a manifest in the Environment: one resource of the API for each Agent to which a Connection is bound.
 */
import type { CurrentConnection } from '../../../../storage/delivery/connections.ts'
import { destinationOf, lacksSecret, permissionToSend } from '../../../delivery/connections/destination.ts'
import { readSettings } from '../../../delivery/connections/settings.ts'
import type { Issue } from '../../../platform/http/answers/errors.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import { pointer } from '../../../platform/json.ts'
import { isPruned } from '../kept.ts'
import { type ManifestConnection, nameLengthMax } from '../manifest.ts'
import { bindingOf, type Standing, slugsOf } from '../standing.ts'
import { differencesBelow, differing, type Planning, type Step, sectionPath, validating } from '../step.ts'
import { credentialBy, labelOf } from './credentials.ts'
import { namesAgent } from './unsound.ts'

/** The target state of a Connection in the Environment. */
interface PlacedConnection {
  name: string
  /** The slug of the Agent to which it is bound, and the key; null: for all Agents, by its name. */
  agent: string | null
  bindingKey: string | null
}

/**
 * The resources of one Connection of the manifest. The first has its name, the names of the others include their
 * binding. Existing ones keep the bindings that they have, whatever the order.
 */
function placed(planning: Planning, name: string, { bind = [] }: ManifestConnection): PlacedConnection[] {
  if (bind.length === 0) return [{ name, agent: null, bindingKey: null }]
  const all = bind.map((each) => ({ name: `${name} (${each.agent}/${each.bindingKey})`, ...each }))
  const isHeldBy = (by: string) => (each: PlacedConnection) => holderOf(planning, each, by) !== undefined
  const first = all.find(isHeldBy(name)) ?? all.find((each) => !isHeldBy(each.name)(each))
  return all.map((each) => (each === first ? { ...each, name } : each))
}

/** The resources of all Connections of the manifest, with their kinds and places, and whether calls lack a secret. */
export const placedIn = (planning: Planning) =>
  Object.entries(planning.section.connections ?? {}).flatMap(([name, wanted]) => {
    const path = `${sectionPath(planning)}/connections${pointer(name)}`
    const { kind, settings, credential: credentialId = null } = wanted
    return placed(planning, name, wanted).map((each) => {
      const found = planning.standing.connections.find((one) => one.name === each.name)
      const byOAuth = found !== undefined && destinationOf(found).byOAuth
      return { ...each, kind, path, lacksSecret: lacksSecret({ kind, settings, credentialId, byOAuth }) }
    })
  })

/** The Connection that has the binding of this place; with `name`, only that one. */
function holderOf({ standing }: Planning, { agent, bindingKey }: PlacedConnection, name?: string) {
  const id = agent === null ? undefined : standing.agents.get(agent)?.row.id
  const found = id === undefined ? undefined : standing.bindings.get(bindingOf(id, bindingKey))
  return name === undefined || found?.name === name ? found : undefined
}

const unbound = { agent: null, bindingKey: null }

/**
 * Frees the bindings that the manifest gives to another Connection, before any is taken. The active Deployment is not
 * affected: its Configuration Revision has the bindings. Returns the ids of the manifest's own Connections among them,
 * which get their new binding later.
 */
function planReleases(planning: Planning): Set<string> {
  const { standing, steps, issues, kind: environment } = planning
  const named = new Set(placedIn(planning).map(({ name }) => name))
  const moving = new Set<string>()
  for (const [name, wanted] of Object.entries(planning.section.connections ?? {})) {
    for (const [index, place] of placed(planning, name, wanted).entries()) {
      const holder = holderOf(planning, place)
      if (!holder || holder.name === place.name) continue
      const { agent, bindingKey } = place
      if (named.has(holder.name)) moving.add(holder.id)
      else if (isPruned(planning, holder.id)) {
        const differences = differing('/bind', shownBinding(standing, holder), undefined)
        steps.push({
          change: { kind: 'connection', name: holder.name, environment, action: 'update', differences },
          permissions: ['connections:create'],
          stamp: holder.id,
          write: (writer) => writer.changeConnection(holder.id, {}, unbound),
        })
      } else {
        const how = standing.made.has(holder.id)
          ? 'bind it elsewhere, delete it, or prune'
          : 'bind it elsewhere or delete it'
        const message = `The Connection ${holder.name} is bound to the Agent ${agent} as ${bindingKey}: ${how}.`
        issues.push({ path: `${sectionPath(planning)}/connections${pointer(name)}/bind/${index}`, message })
      }
    }
  }
  return moving
}

/** The names of a Connection's resources that are too long or taken by another Connection of the manifest. */
function nameIssues(places: readonly PlacedConnection[], at: string, taken: Map<string, string>): Issue[] {
  return places.flatMap(({ name }, index) => {
    const path = places.length === 1 ? at : `${at}/bind/${index}`
    const other = taken.get(name)
    taken.set(name, path)
    if (other) return [{ path, message: `Creates a Connection called ${name}, as does ${other}; rename one of them.` }]
    if (name.length <= nameLengthMax) return []
    const message = `Creates a Connection called ${name}, and a name has at most ${nameLengthMax} characters; shorten it.`
    return [{ path, message }]
  })
}

export async function planConnections(planning: Planning): Promise<void> {
  const { section, standing, kind, issues } = planning
  const bound = new Map<string, string>()
  const taken = new Map<string, string>()
  const moving = planReleases(planning)
  for (const [name, wanted] of Object.entries(section.connections ?? {})) {
    const at = `${sectionPath({ kind })}/connections${pointer(name)}`
    const settings = await validating(planning, { '/body/settings': `${at}/settings` }, () =>
      readSettings(wanted.kind, wanted.settings, '/body/settings', planning.parts.outboundPolicy),
    )
    const credential = credentialBy(planning, wanted.credential, `${at}/credential`)
    for (const [index, { agent, bindingKey }] of (wanted.bind ?? []).entries()) {
      const path = `${at}/bind/${index}`
      issues.push(...agentIssues(planning, agent, `${path}/agent`))
      const key = `${agent}/${bindingKey}`
      const other = bound.get(key)
      if (other) issues.push({ path, message: `Is bound to the same Agent under the same key as ${other}.` })
      bound.set(key, path)
    }
    const places = placed(planning, name, wanted)
    issues.push(...nameIssues(places, at, taken))
    if (!settings || credential === undefined) continue
    for (const place of places) {
      const found = standing.connections.find((each) => each.name === place.name)
      if (found && found.kind !== wanted.kind) {
        const message = `The Connection ${place.name} is ${found.kind}; its kind never changes. Choose another name.`
        issues.push({ path: `${at}/kind`, message })
      } else {
        const step = await stepOf(planning, { place, wanted, settings, credential }, found)
        const isMoving = found !== undefined && moving.has(found.id)
        planning.steps.push({
          ...step,
          ...(isMoving && { prepare: (writer) => writer.changeConnection(found.id, {}, unbound) }),
        })
      }
    }
  }
}

interface Wanted {
  place: PlacedConnection
  wanted: ManifestConnection
  settings: Record<string, unknown>
  /** The id of the credential; null for none. */
  credential: string | null
}

async function stepOf(
  planning: Planning,
  { place, wanted, settings, credential }: Wanted,
  found: CurrentConnection | undefined,
): Promise<Step> {
  const { name, agent, bindingKey } = place
  const change = { kind: 'connection', name, environment: planning.kind } as const
  const binding = { agent, bindingKey }
  if (!found) {
    return {
      change: { ...change, action: 'create', differences: [] },
      permissions: ['connections:create'],
      stamp: digestOf({ settings, credential, ...binding }),
      write: (writer) =>
        writer.createConnection({ name, kind: wanted.kind, settings, providerCredentialId: credential }, binding),
    }
  }
  const before = destinationOf(found)
  const { byOAuth } = before
  const after = byOAuth ? { ...settings, auth: 'bearer' } : settings
  const ofVersion = [
    ...(await differencesBelow(planning, '/settings', before.settings, after)),
    // a Connection that was made by OAuth has its consent in place of a credential
    ...(byOAuth
      ? []
      : differing('/credential', labelOf(planning, found.provider_credential_id), labelOf(planning, credential))),
  ]
  const wasBound = shownBinding(planning.standing, found)
  const ofBinding = differing('/bind', wasBound, agent === null ? undefined : `${agent}/${bindingKey}`)
  const ofStatus = differing('/status', found.status, 'active')
  const differences = [...ofVersion, ...ofBinding, ...ofStatus]
  if (differences.length === 0) return { change: { ...change, action: 'unchanged', differences } }
  const sending = permissionToSend(before, { ...before, settings: after, credentialId: byOAuth ? null : credential })
  return {
    change: { ...change, action: 'update', differences },
    permissions: ['connections:create', ...(sending === undefined ? [] : [sending])],
    stamp: digestOf({ settings, credential, ...binding }),
    write: (writer) =>
      writer.changeConnection(
        found.id,
        {
          ...(ofStatus.length > 0 && { status: 'active' }),
          ...(ofVersion.length > 0 && {
            version: { settings, ...(!byOAuth && { providerCredentialId: credential }) },
          }),
        },
        ofBinding.length > 0 ? binding : undefined,
      ),
  }
}

/** As a plan shows it: `clerk/shop`; undefined if it is for all Agents. */
function shownBinding(standing: Standing, { agent_id: id, binding_key }: CurrentConnection): string | undefined {
  return id === null ? undefined : `${slugsOf(standing).get(id) ?? id}/${binding_key}`
}

/** An issue at `path` unless the manifest has the Agent, or the Project has it and it remains. */
export function agentIssues(planning: Planning, slug: string, path: string): Issue[] {
  const { standing } = planning
  if (namesAgent(planning, slug)) return []
  const row = standing.agents.get(slug)?.row
  if (row?.status !== 'active') return [{ path, message: `Neither the manifest nor the Project has an Agent ${slug}.` }]
  return isPruned(planning, row.id)
    ? [{ path, message: `Pruning removes the Agent ${slug}: name it as an Agent.` }]
    : []
}
