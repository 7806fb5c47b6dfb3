/**
 * An organization's own OAuth clients: registered, given another secret, verified, deleted. The provider is asked before
 * anything is written, and what it does not say for certain changes nothing. Source: requirement 4.8; contract 4.
 */

import {
  deleteIntegration,
  findIntegration,
  findIntegrationOfPreset,
  insertIntegrationVersion,
  listIntegrations,
} from '../../../storage/accounts/integrations.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import { removeActor } from '../../../storage/runtime/deletion-step.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { IntegrationRow, IntegrationVersionRow } from '../../../storage/tables.ts'
import { ApiError, damagedRecord, limitExceeded, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr, refusing } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { retryOnConflict } from '../../platform/http/changes/retry-on-conflict.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { MinuteLimiter } from '../../platform/limits/minute-limiter.ts'
import { Secret } from '../../platform/operating/secret.ts'
import { SecretUnavailable } from '../../platform/secrets/unavailable.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Actors, Outcome } from '../../runtime/actors.ts'
import type { Presets } from '../presets/catalogue.ts'
import type { Preset } from '../presets/preset.ts'
import { type IntegrationSeed, integrationAddress } from './actor.ts'
import { ClientSecrets, clientSecretPlace, type ProviderClient } from './client-secrets.ts'
import type { ProbeOutcome } from './outcome.ts'
import type { ClientProbe } from './probe.ts'
import { assertVerified, definitive } from './refusals.ts'
import {
  type Integration,
  type IntegrationChanges,
  type NewIntegration,
  presentIntegration,
  type Verification,
} from './schema.ts'
import { Turns, type TurnsParts } from './turns.ts'
import { type IntegrationNotification, verificationOf } from './verification.ts'

/** Versions of one integration. */
const versionsMax = 100

export interface IntegrationParts extends TurnsParts {
  store: Store
  actors: Actors
  vault: Vault
  presets: Presets
  probe: Pick<ClientProbe, 'ask'>
  probeLimiter: Pick<MinuteLimiter, 'admit'>
}

export class Integrations {
  readonly #secrets: ClientSecrets
  readonly #rotations: Turns

  constructor(private readonly parts: IntegrationParts) {
    this.#secrets = new ClientSecrets(parts)
    this.#rotations = new Turns(parts)
  }

  /** All of the organization, newest first. */
  async list({ organizationId }: Caller): Promise<{ items: Integration[] }> {
    const { store } = this.parts
    const rows = await store.all<IntegrationRow>(listIntegrations(store, { organizationId }))
    return { items: rows.map(presentIntegration) }
  }

  /** Throws `notFound`. */
  async get(caller: Caller, id: string): Promise<Integration> {
    return presentIntegration(await this.#find(caller, id))
  }

  /** Throws `integration_exists` and what the probe finds (400, 429, 503); nothing is written then. */
  async register(caller: Caller, body: NewIntegration, record: RequestRecord): Promise<Integration> {
    const { store, actors, clock } = this.parts
    const { organizationId } = caller
    const { presetKey, clientId } = body
    if (await store.first(findIntegrationOfPreset(store, { organizationId, presetKey }))) throw exists()
    const preset = this.#preset(presetKey)
    const client = { clientId, clientSecret: new Secret(body.clientSecret) }
    assertVerified(await this.#ask(caller, preset, client), preset)

    const at = clock.now()
    const id = newId('int', at)
    const version = await this.#version(caller, { id, number: 1 }, client, at)
    const seed: IntegrationSeed = { id, organization_id: organizationId, preset_key: presetKey }
    const written = ({ actor: { row } }: Outcome<IntegrationRow>) => [
      insertIntegrationVersion(store, version),
      ...record({ data: presentIntegration(row) }),
    ]
    const { actor } = await actors
      .create<IntegrationRow>(
        integrationAddress(id),
        { input: { at, versionId: version.id, clientId }, seed, named: 'register' },
        { by: caller.principal, writes: written },
      )
      .catch(refusing({ unique: exists }))
    return presentIntegration(actor.row)
  }

  /** Another client id, secret or both, as the next version. Throws `notFound`, and as `register`; nothing is written then. */
  async rotate(caller: Caller, id: string, changes: IntegrationChanges, record: RequestRecord): Promise<Integration> {
    const { store } = this.parts
    if (Object.keys(changes).length === 0) {
      const data = await this.get(caller, id)
      await store.commit(record({ data }))
      return data
    }
    await this.#find(caller, id)
    // several at once would each ask the provider for nothing: only one of them can be the next version
    return this.#rotations.take(`rotation:${id}`, () =>
      retryOnConflict(() => this.#rotate(caller, id, changes, record)),
    )
  }

  async #rotate(caller: Caller, id: string, changes: IntegrationChanges, record: RequestRecord): Promise<Integration> {
    const { store, clock } = this.parts
    const found = await this.#find(caller, id)
    if (found.current_version >= versionsMax) throw tooManyVersions()
    const preset = this.#presetOf(found)
    const client = await this.#changed(found, changes)
    assertVerified(await this.#ask(caller, preset, client), preset)

    const version = await this.#version(caller, { id, number: found.current_version + 1 }, client, clock.now())
    const event = { type: 'rotated' as const, versionId: version.id, clientId: client.clientId }
    const row = await this.#report(caller, found, event, (after) => [
      insertIntegrationVersion(store, version),
      ...record({ data: presentIntegration(after) }, presentIntegration(found)),
    ])
    return presentIntegration(row)
  }

  /** The current answer of the provider, stored if it is definite. Throws `notFound`, and 429 and 503, which change nothing. */
  async verify(caller: Caller, id: string, record: RequestRecord): Promise<Verification> {
    return retryOnConflict(async () => {
      const found = await this.#find(caller, id)
      const preset = this.#presetOf(found)
      const outcome = definitive(await this.#ask(caller, preset, await this.#current(found)), preset)
      const { event, result } = verificationOf(outcome, preset)
      const present = (row: IntegrationRow): Verification => ({ integration: presentIntegration(row), ...result })
      return present(await this.#report(caller, found, event, (row) => record({ data: present(row) })))
    })
  }

  /** With all of its versions. Throws `notFound`. */
  async remove(caller: Caller, id: string, record: RequestRecord): Promise<void> {
    const { store, actors } = this.parts
    const { organizationId } = caller
    const address = integrationAddress(id)
    await this.#find(caller, id)
    await commitOr(store, { stale: notFound }, [
      deleteIntegration(store, { organizationId, id }),
      ...removeActor(store, address),
      ...record(undefined),
    ])
    actors.forget(address)
  }

  async #find({ organizationId }: Caller, id: string): Promise<IntegrationRow> {
    const { store } = this.parts
    return orNotFound(await store.first<IntegrationRow>(findIntegration(store, { organizationId, id })))
  }

  #preset(presetKey: string): Preset {
    const preset = this.parts.presets.find(presetKey)
    if (!preset) throw presetRemoved()
    return preset
  }

  #presetOf = ({ preset_key }: IntegrationRow): Preset => this.#preset(preset_key)

  async #ask({ organizationId }: Caller, preset: Preset, client: ProviderClient): Promise<ProbeOutcome> {
    await this.parts.probeLimiter.admit(organizationId)
    return this.parts.probe.ask(preset, client)
  }

  /** The current client. */
  async #current({ id, organization_id, current_version }: IntegrationRow): Promise<ProviderClient> {
    try {
      return await this.#secrets.reveal({
        organizationId: organization_id,
        integrationId: id,
        version: current_version,
      })
    } catch (error) {
      if (!(error instanceof SecretUnavailable)) throw error
      // deleted since the look, or not what was written
      throw error.reason === 'missing' ? notFound() : damagedRecord(error)
    }
  }

  /** The new client. */
  async #changed(found: IntegrationRow, { clientId, clientSecret }: IntegrationChanges): Promise<ProviderClient> {
    return {
      clientId: clientId ?? found.client_id,
      clientSecret: clientSecret === undefined ? (await this.#current(found)).clientSecret : new Secret(clientSecret),
    }
  }

  async #version(
    { organizationId }: Caller,
    { id, number }: { id: string; number: number },
    { clientId, clientSecret }: ProviderClient,
    at: number,
  ): Promise<IntegrationVersionRow> {
    const place = clientSecretPlace({ organizationId, integrationId: id, version: number })
    const sealed = await this.parts.vault.seal(place, clientSecret.reveal())
    return { id: newId('inv', at), integration_id: id, number, client_id: clientId, sealed, created_at: at }
  }

  /** Tells the integration what the provider has said. Throws `StaleWrite` when it has another client by now. */
  async #report(
    { principal }: Caller,
    { id, current_version }: IntegrationRow,
    event: IntegrationNotification,
    writes: (row: IntegrationRow) => Write[],
  ): Promise<IntegrationRow> {
    try {
      const { actor } = await this.parts.actors.send<IntegrationRow>(
        integrationAddress(id),
        { ...event, number: current_version },
        { by: principal, writes: (outcome) => writes(outcome.actor.row) },
      )
      return actor.row
    } catch (error) {
      if (!(error instanceof ApiError) || !overtaken.includes(error.code)) throw error
      throw new StaleWrite('The integration was rotated while the provider was asked.', { cause: error })
    }
  }
}

const overtaken: readonly string[] = ['invalid_transition', 'concurrent_change']

const exists = () =>
  new ApiError(
    400,
    'integration_exists',
    'The organization has registered a client for this preset already: change that integration, or delete it first.',
  )
const presetRemoved = () =>
  new ApiError(400, 'preset_removed', 'The deployment has no such preset any more; the integration can be deleted.')
const tooManyVersions = () =>
  limitExceeded(`An integration has at most ${versionsMax} versions; delete it and register the client anew.`)
