/** Creates, changes, versions and deletes an Environment's Connections. Source: requirement 4.3; contract 4. */
import { withinBound } from '../../../storage/bounds.ts'
import {
  type ConnectionKey,
  type CurrentConnection,
  countConnections,
  deleteConnection,
  findConnection,
  insertConnection,
  insertConnectionVersion,
  listConnections,
  updateConnection,
} from '../../../storage/delivery/connections.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { ConnectionRow } from '../../../storage/tables.ts'
import {
  ApiError,
  concurrentChange,
  invalid,
  limitExceeded,
  nameTaken,
  notFound,
} from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { retryOnConflict } from '../../platform/http/changes/retry-on-conflict.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequestByName, readLargePage } from '../../platform/http/pagination.ts'
import type { OutboundPolicy } from '../../platform/outbound/policy.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { assertAgent, bindingIssues } from './binding.ts'
import { providerReferredTo, referenceIssues } from './credential-reference.ts'
import { assertMaySend, type Destination, destinationOf } from './destination.ts'
import { assertUnpinned } from './pins.ts'
import { presentConnection } from './present.ts'
import type { Connection, ConnectionChanges, NewConnection } from './schema.ts'
import { readSettings } from './settings.ts'
import { settingsOf, settingsPath, versionIssues } from './version-request.ts'

export interface ConnectionParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  outboundPolicy: OutboundPolicy
}

/** The Environment of a path. */
export interface ConnectionsPlace {
  projectId: string
  environmentId: string
}
interface ConnectionPlace extends ConnectionsPlace {
  connectionId: string
}

const noConsent = { preset_key: null, scopes: null, account_id: null, account_label: null }
/** The most Connections of one Environment. */
export const connectionsMax = 200

export class Connections {
  constructor(private readonly parts: ConnectionParts) {}

  /** Newest first; a key bound to an Agent does not get other Agents'. Throws `invalid_cursor` (422). */
  list(
    { organizationId, scope: { agentId } }: Caller,
    { environmentId }: ConnectionsPlace,
    { name, ...request }: PageRequestByName,
  ) {
    const { store, cursors } = this.parts
    const filters = { environmentId, name, ...(agentId !== null && { agentId }) }
    return readLargePage(
      { cursors, scope: { list: 'connections', organizationId, filters } },
      request,
      (after, limit) => {
        const beforeId = belowId(after)
        return store.all<CurrentConnection>(
          listConnections(store, { organizationId, environmentId, agentId, named: name ?? null, beforeId, limit }),
        )
      },
      ({ id }) => [id],
      presentConnection,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, place: ConnectionPlace): Promise<Connection> {
    return presentConnection(await this.#find(caller, place))
  }

  /**
   * Creates it with version 1. Throws `notFound` for a missing Agent or credential, `validation_failed`, `url_not_allowed`,
   * `name_taken`, `binding_taken`, `limit_exceeded` (422).
   */
  async create(
    caller: Caller,
    place: ConnectionsPlace,
    body: NewConnection,
    record: RequestRecord,
  ): Promise<Connection> {
    const { store, clock, outboundPolicy } = this.parts
    const { organizationId } = caller
    const { projectId, environmentId } = place
    const issues = [...referenceIssues(body, '/body'), ...bindingIssues(body, 'null')]
    if (issues.length > 0) throw invalid(issues)
    const settings = JSON.stringify(readSettings(body.kind, body.settings, '/body/settings', outboundPolicy))
    if (body.agentId) await assertAgent(store, { organizationId, projectId, agentId: body.agentId })
    await providerReferredTo(store, organizationId, body, '/body')

    const now = clock.now()
    const row: ConnectionRow = {
      id: newId('con', now),
      organization_id: organizationId,
      environment_id: environmentId,
      name: body.name,
      kind: body.kind,
      status: 'active',
      status_reason: null,
      agent_id: body.agentId ?? null,
      binding_key: body.bindingKey ?? null,
      current_version_id: newId('cnv', now),
      created_at: now,
      updated_at: now,
    }
    const data = presentConnection({
      ...row,
      ...noConsent,
      number: 1,
      version_created_at: now,
      settings,
      provider_credential_id: body.providerCredentialId ?? null,
    })
    const full = async () => {
      const counted = await store.first(countConnections(store, { environmentId }))
      // otherwise its Agent or credential was deleted since it was read
      return (counted?.count ?? 0) >= connectionsMax ? tooMany() : notFound()
    }
    await commitOr(store, { unique: taken, stale: full }, [
      insertConnection(store, { ...row, projectId, connectionsMax }),
      this.#newVersion(row, body, settings, now),
      ...record({ data }),
    ])
    return data
  }

  /**
   * Changes the given fields. Throws as `create` does, `notFound` if it was deleted concurrently, and `permission_denied`
   * (403) for a version that sends a secret to another address.
   */
  async change(
    caller: Caller,
    place: ConnectionPlace,
    changes: ConnectionChanges,
    record: RequestRecord,
  ): Promise<Connection> {
    const { store } = this.parts
    // a version is validated against the one before it, so again if another one came first
    await retryOnConflict(async () => {
      const row = await this.#find(caller, place)
      const writes = Object.keys(changes).length === 0 ? [] : await this.#changing(caller, place, row, changes)
      const kept = record({ data: { id: row.id } }, presentConnection(row))
      await commitOr(store, { unique: taken }, [...writes, ...kept])
    })
    return this.get(caller, place)
  }

  /**
   * Deletes it with its versions, which are removed in the background. Throws `notFound`, `connection_retained` (409).
   */
  async remove(caller: Caller, place: ConnectionPlace, record: RequestRecord): Promise<void> {
    const { store } = this.parts
    const key = keyOf(caller, place)
    const seen = await assertUnpinned(store, await this.#find(caller, place))
    // deleted since it was read, or retained by a revision that was created since
    const stale = async (error: Error) => {
      await assertUnpinned(store, await this.#find(caller, place))
      return concurrentChange(error)
    }
    await commitOr(store, { stale }, [...deleteConnection(store, { ...key, seen }), ...record(undefined)])
  }

  async #changing(
    caller: Caller,
    place: ConnectionPlace,
    row: CurrentConnection,
    { name, status, version, agentId, bindingKey }: ConnectionChanges,
  ): Promise<Write[]> {
    const { store, clock, outboundPolicy } = this.parts
    const { organizationId } = caller
    const { projectId } = place
    const binds = agentId !== undefined
    const issues = [
      ...(version ? versionIssues(version, row) : []),
      ...bindingIssues({ ...(binds && { agentId }), ...(bindingKey !== undefined && { bindingKey }) }, 'unchanged'),
    ]
    if (issues.length > 0) throw invalid(issues)
    const settings =
      version?.settings && readSettings(row.kind, settingsOf(version.settings, row), settingsPath, outboundPolicy)
    if (version) assertMaySend(caller, projectId, ...destinationsOf(row, version.providerCredentialId, settings))
    if (agentId) await assertAgent(store, { organizationId, projectId, agentId })
    await providerReferredTo(store, organizationId, version ?? {}, '/body/version')

    const at = clock.now()
    const versionId = version ? newId('cnv', at) : null
    const update = updateConnection(store, {
      ...keyOf(caller, place),
      projectId,
      name: name ?? null,
      status: status ?? null,
      setsBinding: binds ? 1 : 0,
      agentId: agentId ?? null,
      bindingKey: bindingKey ?? null,
      currentVersionId: versionId,
      previousVersionId: versionId && row.current_version_id,
      at,
    })
    if (versionId === null || version === undefined) return [update]
    const next = { ...row, current_version_id: versionId }
    // the update comes first, so that concurrent requests wait before they take a version number
    return [
      update,
      this.#newVersion(next, version, settings ? JSON.stringify(settings) : null, at),
      withinBound(store, 'connectionVersions', organizationId, row.id),
    ]
  }

  #newVersion(
    row: ConnectionRow,
    credential: Pick<NewConnection, 'providerCredentialId' | 'providerCredentialVersion'>,
    settings: string | null,
    at: number,
  ): Write {
    return insertConnectionVersion(this.parts.store, {
      id: row.current_version_id,
      organization_id: row.organization_id,
      connection_id: row.id,
      settings,
      provider_credential_id: credential.providerCredentialId ?? null,
      provider_credential_version: credential.providerCredentialVersion ?? null,
      // the consent carries over to new versions
      oauth_grant_id: null,
      created_at: at,
    })
  }

  async #find(caller: Caller, place: ConnectionPlace): Promise<CurrentConnection> {
    const { store } = this.parts
    const { agentId } = caller.scope
    const row = await store.first<CurrentConnection>(findConnection(store, keyOf(caller, place)))
    if (!row || (agentId !== null && row.agent_id !== null && row.agent_id !== agentId)) throw notFound()
    return row
  }
}

/** Where the current version sends its secret, and where the next one would. */
function destinationsOf(
  row: CurrentConnection,
  credentialId: string | null | undefined,
  settings: Record<string, unknown> | undefined,
): [before: Destination, after: Destination] {
  const before = destinationOf(row)
  return [before, { ...before, settings: settings ?? before.settings, credentialId: credentialId ?? null }]
}

const keyOf = ({ organizationId }: Caller, { environmentId, connectionId }: ConnectionPlace): ConnectionKey => ({
  organizationId,
  environmentId,
  id: connectionId,
})

const bindingTaken = () =>
  new ApiError(422, 'binding_taken', 'Another Connection is already bound to the Agent under this key.', {
    at: '/body/bindingKey',
  })
const taken = {
  'connections.name': () => nameTaken('Connection of the Environment', 422),
  'connections.binding_key': bindingTaken,
}
const tooMany = () => limitExceeded(`An Environment has at most ${connectionsMax} Connections; delete one first.`)
