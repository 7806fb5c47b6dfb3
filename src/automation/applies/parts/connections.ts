/**
 * Connections of a manifest in the Environment: one resource of the API for each Agent to which a Connection is bound.
 */
import type { CurrentConnection } from '../../../../storage/delivery/connections.ts'
import { readSettings } from '../../../delivery/connections/settings.ts'
import { digestOf } from '../../../platform/http/digest.ts'
import { type ManifestConnection, pointer } from '../manifest.ts'
import { differencesBelow, differing, type Planning, type Step, sectionPath, validating } from '../step.ts'
import { credentialBy, labelOf } from './credentials.ts'

/** The target state of a Connection in the Environment. */
export interface PlacedConnection {
  name: string
  /** The slug of the Agent to which it is bound, and the key; null: for all Agents, by its name. */
  agent: string | null
  bindingKey: string | null
}

/**
 * The resources of one Connection of the manifest. The first has its name, the names of the others include their
 * binding.
 */
export function placed(name: string, { bind = [] }: Pick<ManifestConnection, 'bind'>): PlacedConnection[] {
  if (bind.length === 0) return [{ name, agent: null, bindingKey: null }]
  return bind.map(({ agent, bindingKey }, index) => ({
    name: index === 0 ? name : `${name} (${agent}/${bindingKey})`,
    agent,
    bindingKey,
  }))
}

export async function planConnections(planning: Planning): Promise<void> {
  const { section, standing, kind, issues } = planning
  const bound = new Map<string, string>()
  for (const [name, wanted] of Object.entries(section.connections ?? {})) {
    const at = `${sectionPath({ kind })}/connections${pointer(name)}`
    const settings = await validating(planning, { '/body/settings': `${at}/settings` }, () =>
      readSettings(wanted.kind, wanted.settings, '/body/settings', planning.parts.outboundPolicy),
    )
    const credential = credentialBy(planning, wanted.credential, `${at}/credential`)
    for (const [index, { agent, bindingKey }] of (wanted.bind ?? []).entries()) {
      const path = `${at}/bind/${index}`
      if (!hasAgent(planning, agent)) issues.push({ path: `${path}/agent`, message: noAgent(agent) })
      const key = `${agent}/${bindingKey}`
      const other = bound.get(key)
      if (other) issues.push({ path, message: `Is bound to the same Agent under the same key as ${other}.` })
      bound.set(key, path)
    }
    if (!settings || credential === undefined) continue
    for (const place of placed(name, wanted)) {
      const found = standing.connections.find((each) => each.name === place.name)
      if (found && found.kind !== wanted.kind) {
        const message = `The Connection ${place.name} is ${found.kind}; its kind never changes. Choose another name.`
        issues.push({ path: `${at}/kind`, message })
      } else planning.steps.push(await stepOf(planning, { place, wanted, settings, credential }, found))
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
  const permissions = ['connections:create'] as const
  const binding = { agent, bindingKey }
  if (!found) {
    return {
      change: { ...change, action: 'create', differences: [] },
      permissions,
      stamp: digestOf({ settings, credential, ...binding }),
      write: (writer) =>
        writer.createConnection({ name, kind: wanted.kind, settings, providerCredentialId: credential }, binding),
    }
  }
  const byOAuth = found.preset_key !== null
  const after = byOAuth ? { ...settings, auth: 'bearer' } : settings
  const ofVersion = [
    ...(await differencesBelow(planning, '/settings', JSON.parse(found.settings), after)),
    // a Connection that was made by OAuth has its consent in place of a credential
    ...(byOAuth
      ? []
      : differing('/credential', labelOf(planning, found.provider_credential_id), labelOf(planning, credential))),
  ]
  const slugs = new Map([...planning.standing.agents].map(([slug, { row }]) => [row.id, slug]))
  const wasBound = found.agent_id === null ? undefined : `${slugs.get(found.agent_id)}/${found.binding_key}`
  const ofBinding = differing('/bind', wasBound, agent === null ? undefined : `${agent}/${bindingKey}`)
  const ofStatus = differing('/status', found.status, 'active')
  const differences = [...ofVersion, ...ofBinding, ...ofStatus]
  if (differences.length === 0) return { change: { ...change, action: 'unchanged', differences } }
  return {
    change: { ...change, action: 'update', differences },
    permissions,
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

/** Whether the Project has the Agent, or the manifest adds it. */
export const hasAgent = ({ manifest, standing }: Planning, slug: string): boolean =>
  Object.hasOwn(manifest.agents ?? {}, slug) || standing.agents.get(slug)?.row.status === 'active'

export const noAgent = (slug: string) => `Neither the manifest nor the Project has an Agent ${slug}.`
