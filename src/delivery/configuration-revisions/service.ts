/** Creates Configuration Revisions from an Environment's configuration, and reads them. Source: contract 3. */
import { withinBound } from '../../../storage/bounds.ts'
import {
  configurationUnchanged,
  findConfigurationRevision,
  insertConfigurationRevision,
  listConfigurationRevisions,
} from '../../../storage/delivery/configuration-revisions.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { ConfigurationRevisionRow } from '../../../storage/tables.ts'
import {
  ApiError,
  configurationHeadMismatch,
  notFound,
  orNotFound,
  serviceUnavailable,
} from '../../platform/http/answers/errors.ts'
import { type RequestRecord, recordNothing } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowNumber, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { environmentAddress } from '../../tenancy/environments/actor.ts'
import { admittingEnvironment, environmentAt, refusalOf } from '../../tenancy/environments/admission.ts'
import type { EnvironmentPath } from '../../tenancy/environments/service.ts'
import { type ConfigurationRevision, type NewConfigurationRevision, presentConfigurationRevision } from './schema.ts'
import { type Snapshot, snapshotOf } from './snapshot.ts'

export interface ConfigurationRevisionParts {
  store: Store
  clock: Clock
  actors: Actors
  cursors: Cursors
}

const command = 'takeConfiguration'
/** Each conflict means that another change was committed. */
const triesMax = 20

export class ConfigurationRevisions {
  constructor(private readonly parts: ConfigurationRevisionParts) {}

  /** Newest first. Throws `notFound`, `invalid_cursor` (422). */
  async list({ organizationId }: Caller, path: EnvironmentPath, request: PageRequest) {
    const { store, cursors } = this.parts
    const { id: environmentId } = await environmentAt(store, organizationId, path)
    return readLargePage(
      { cursors, scope: { list: 'configuration-revisions', organizationId, filters: { environmentId } } },
      request,
      (last, limit) => {
        const before = belowNumber(last)
        return store.all<ConfigurationRevisionRow>(
          listConfigurationRevisions(store, { organizationId, environmentId, before, limit }),
        )
      },
      ({ number }) => [number],
      presentConfigurationRevision,
    )
  }

  /** Throws `notFound`. */
  async get(
    { organizationId }: Caller,
    { environmentId }: EnvironmentPath,
    id: string,
  ): Promise<ConfigurationRevision> {
    const { store } = this.parts
    const row = orNotFound(await store.first(findConfigurationRevision(store, { organizationId, environmentId, id })))
    return presentConfigurationRevision(row)
  }

  /**
   * Snapshots the configuration as of the commit and makes it the head. Throws `notFound`, `environment_not_active`,
   * `configuration_head_mismatch` (409). `without`: ids of variables and Connections to leave out.
   */
  async take(
    caller: Caller,
    path: EnvironmentPath,
    body: NewConfigurationRevision,
    record: RequestRecord,
    without?: ReadonlySet<string>,
  ) {
    const { store, actors } = this.parts
    const { organizationId } = caller
    const { id: environmentId } = await environmentAt(store, organizationId, path)
    await admittingEnvironment(actors, environmentId, command)
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const snapshot = orNotFound(await snapshotOf(store, { organizationId, ...path }, without))
      try {
        return await this.#keep(caller, environmentId, body, snapshot, record)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (error.code === 'invalid_transition') {
          throw await refusalOf(actors, environmentId, command, ({ context }) =>
            configurationHeadMismatch(context.headRevisionId),
          )
        }
        // a variable, Connection, setting or credential was changed since it was read
        if (error.code !== 'concurrent_change') throw error
      }
    }
    throw serviceUnavailable('Too many concurrent changes of the configuration.')
  }

  /**
   * The revision with the current configuration: the head if it is current, else a new one. Throws `notFound`,
   * `environment_not_active` (409). `without`: ids of variables and Connections to leave out.
   */
  async current(caller: Caller, path: EnvironmentPath, without?: ReadonlySet<string>): Promise<string> {
    const { store, actors } = this.parts
    const { organizationId } = caller
    const { id: environmentId } = await environmentAt(store, organizationId, path)
    for (let tries = 1; ; tries += 1) {
      const { context } = await admittingEnvironment(actors, environmentId, command)
      const { headRevisionId: id } = context
      const head = await store.first(findConfigurationRevision(store, { organizationId, environmentId, id }))
      const snapshot = await snapshotOf(store, { organizationId, ...path }, without)
      if (!head || !snapshot) throw notFound()
      if (head.content === snapshot.content) return id
      try {
        return (await this.take(caller, path, { expectedHeadRevisionId: id }, recordNothing, without)).id
      } catch (error) {
        const isConflict = error instanceof ApiError && error.code === 'configuration_head_mismatch'
        if (!isConflict || tries === triesMax) throw error
        // another process may have changed it
        actors.forget(environmentAddress(environmentId))
      }
    }
  }

  async #keep(
    { organizationId, principal: by }: Caller,
    environmentId: string,
    { expectedHeadRevisionId: expectedHead, description }: NewConfigurationRevision,
    { text, content }: Snapshot,
    record: RequestRecord,
  ): Promise<ConfigurationRevision> {
    const { store, actors, clock } = this.parts
    const id = newId('cfr', clock.now())
    const rowAt = (number: number, at: number): ConfigurationRevisionRow => ({
      id,
      organization_id: organizationId,
      environment_id: environmentId,
      number,
      parent_id: expectedHead,
      content,
      digest: digestOfText(content),
      description: description ?? null,
      created_by_type: by.type,
      created_by_id: by.id,
      created_at: at,
    })
    let data: ConfigurationRevision | undefined
    await actors.send(
      environmentAddress(environmentId),
      { type: command, expectedHead, revisionId: id },
      {
        by,
        writes: ({ move }) => {
          const row = rowAt(move.context.headNumber as number, move.event.at)
          data = presentConfigurationRevision(row)
          return [
            insertConfigurationRevision(store, row),
            withinBound(store, 'configurationRevisions', row.organization_id, environmentId),
            configurationUnchanged(store, { ...text, environmentId }),
            ...record({ data }),
          ]
        },
      },
    )
    return data!
  }
}
