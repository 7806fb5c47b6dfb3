/**
 * The Connection of an account: created by the first consent, with another version for each later one. In one unit of work
 * with its tokens and the line in the audit log. Source: requirement 4.2, "upserts"; contract 4, "The upsert".
 */
import { randomBytes } from 'node:crypto'
import {
  findConnectionOfAccount,
  insertOAuthConnection,
  insertOAuthGrant,
  reconnect,
} from '../../../storage/accounts/oauth-grants.ts'
import { LimitReached, withinBound } from '../../../storage/bounds.ts'
import {
  countConnections,
  insertConnection,
  insertConnectionVersion,
  type NewConnectionVersion,
} from '../../../storage/delivery/connections.ts'
import { MissingReference, StaleWrite, UniqueViolation } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { ConnectionRow, OAuthGrantRow } from '../../../storage/tables.ts'
import { connectionsMax } from '../../delivery/connections/service.ts'
import type { HttpSettings } from '../../delivery/connections/settings-schema.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Preset } from '../presets/preset.ts'
import type { Flow } from './flow.ts'
import { expiryOf, sealTokens } from './grants.ts'
import type { Account } from './identity.ts'
import type { Tokens } from './provider.ts'

export interface ConnectingParts {
  store: Store
  clock: Pick<Clock, 'now'>
  vault: Vault
}

/** The outcome of a flow. */
interface Consent {
  flow: Flow
  preset: Preset
  account: Account
  tokens: Tokens
}

/** The Connection cannot be created: the Environment, or the Connection, is `full`, or the Environment `gone` (deleted). */
export class NoPlace extends Error {
  override readonly name = 'NoPlace'

  constructor(readonly reason: 'full' | 'gone') {
    super(`There is no place for the Connection: ${reason}.`)
  }
}

/** Others may connect, rename and delete at the same moment. */
const triesMax = 20

/** The Connection's id. `record` gives what is committed along with it. Throws `NoPlace`. */
export async function connect(
  parts: ConnectingParts,
  consent: Consent,
  keep: (connectionId: string) => Write[],
): Promise<string> {
  const { store } = parts
  const { flow, preset, account } = consent
  for (let tries = 0; tries < triesMax; tries += 1) {
    const known = await store.first(
      findConnectionOfAccount(store, {
        environmentId: flow.environmentId,
        presetKey: preset.presetKey,
        integrationId: flow.integrationId,
        accountId: account.id,
      }),
    )
    const name = nameFor(preset, account, tries)
    const { connectionId, writes } = known
      ? await again(parts, consent, known.connection_id)
      : await first(parts, consent, name)
    try {
      await store.commit([...writes, ...keep(connectionId)])
      return connectionId
    } catch (error) {
      // the name is taken, or a concurrent request connected the account or deleted the Connection: read again
      if (error instanceof UniqueViolation || error instanceof MissingReference) continue
      if (error instanceof LimitReached) throw new NoPlace('full')
      if (!(error instanceof StaleWrite)) throw error
      if (!known) throw await whyNot(store, flow.environmentId)
    }
  }
  throw new NoPlace('gone')
}

async function first({ store, clock, vault }: ConnectingParts, consent: Consent, name: string) {
  const { flow, preset, account } = consent
  const now = clock.now()
  const row: ConnectionRow = {
    id: newId('con', now),
    organization_id: flow.organizationId,
    environment_id: flow.environmentId,
    name,
    kind: 'http',
    status: 'active',
    status_reason: null,
    agent_id: null,
    binding_key: null,
    current_version_id: newId('cnv', now),
    created_at: now,
    updated_at: now,
  }
  const grant = await grantRow(vault, consent, row.id, now)
  const writes = [
    insertConnection(store, { ...row, projectId: flow.projectId, connectionsMax }),
    insertOAuthConnection(store, {
      connection_id: row.id,
      environment_id: row.environment_id,
      preset_key: preset.presetKey,
      integration_id: flow.integrationId,
      account_id: account.id,
    }),
    insertOAuthGrant(store, grant),
    insertConnectionVersion(store, versionRow(row.current_version_id, grant, JSON.stringify(settingsOf(preset)))),
  ]
  return { connectionId: row.id, writes }
}

async function again({ store, clock, vault }: ConnectingParts, consent: Consent, connectionId: string) {
  const now = clock.now()
  const versionId = newId('cnv', now)
  const grant = await grantRow(vault, consent, connectionId, now)
  const writes = [
    reconnect(store, { organizationId: consent.flow.organizationId, connectionId, versionId, at: now }),
    insertOAuthGrant(store, grant),
    // the settings may have been changed since: keep them
    insertConnectionVersion(store, versionRow(versionId, grant, null)),
    withinBound(store, 'connectionVersions', grant.organization_id, connectionId),
  ]
  return { connectionId, writes }
}

async function grantRow(
  vault: Vault,
  { flow, preset, account, tokens }: Consent,
  connectionId: string,
  now: number,
): Promise<OAuthGrantRow> {
  const place = { id: newId('ogr', now), organization_id: flow.organizationId, token_version: 1 }
  return {
    ...place,
    ...(await sealTokens(vault, place, tokens)),
    connection_id: connectionId,
    preset_key: preset.presetKey,
    integration_id: flow.integrationId,
    integration_version: flow.integrationVersion,
    account_id: account.id,
    account_label: account.label,
    // a provider that grants what was asked for need not say so
    scopes: JSON.stringify(tokens.scopes ?? preset.defaultScopes),
    status: 'active',
    expires_at: expiryOf(tokens, now),
    refresher: null,
    refresher_until: null,
    failed_at: null,
    created_at: now,
    updated_at: now,
  }
}

const versionRow = (id: string, grant: OAuthGrantRow, settings: string | null): NewConnectionVersion => ({
  id,
  organization_id: grant.organization_id,
  connection_id: grant.connection_id,
  settings,
  provider_credential_id: null,
  provider_credential_version: null,
  oauth_grant_id: grant.id,
  created_at: grant.created_at,
})

const settingsOf = ({ apiBaseUrl, tokenEndpoint }: Preset): HttpSettings => ({
  baseUrl: apiBaseUrl ?? new URL(tokenEndpoint).origin,
  auth: 'bearer',
})

/** After this many taken names, a random one is used. */
const numberedMax = 5

/** `Google Workspace (ada@example.com)`, and with a number where that is taken. */
function nameFor({ name }: Preset, { label }: Account, tries: number): string {
  const number = tries < numberedMax ? String(tries + 1) : randomBytes(4).toString('hex')
  const ending = tries === 0 ? '' : ` ${number}`
  return `${[...name].slice(0, 70).join('')} (${label})${ending}`.slice(0, 200).toWellFormed()
}

async function whyNot(store: Store, environmentId: string): Promise<NoPlace> {
  const counted = await store.first(countConnections(store, { environmentId }))
  return new NoPlace((counted?.count ?? 0) >= connectionsMax ? 'full' : 'gone')
}
