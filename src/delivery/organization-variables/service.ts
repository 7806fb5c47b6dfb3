/** Creates, changes and deletes organization variables. Each value is an immutable version. Source: contract 4. */

import { withinBound } from '../../../storage/bounds.ts'
import {
  deleteOrganizationVariable,
  findOrganizationVariable,
  insertOrganizationVariable,
  insertOrganizationVariableVersion,
  listOrganizationVariables,
  listTakingVersions,
  type OrganizationVariableKey,
  updateOrganizationVariable,
} from '../../../storage/delivery/organization-variables.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { OrganizationVariableRow, OrganizationVariableVersionRow } from '../../../storage/tables.ts'
import { ApiError, limitExceeded, nameTaken, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { retryOnConflict } from '../../platform/http/changes/retry-on-conflict.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequestByName, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dependentsMax, type PlaceOfUse, placeInWords, presentPlace, someOf } from '../dependents.ts'
import { traceOf } from '../variables/value.ts'
import { organizationVariablePlace } from './place.ts'
import type { NewOrganizationVariable, OrganizationVariable, OrganizationVariableChanges } from './schema.ts'

/** The most variables of one organization. */
const variablesMax = 1_000
/** The most versions that are read to name the variables that use one. */
const takingVersionsMax = 1_000
export interface OrganizationVariablesParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  vault: Vault
}

type ShownRow = OrganizationVariableRow & Pick<OrganizationVariableVersionRow, 'digest' | 'length'>

const present = (row: ShownRow): OrganizationVariable => ({
  id: row.id,
  name: row.name,
  version: row.version,
  description: row.description,
  status: row.status,
  valueDigest: row.digest,
  valueLength: row.length,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

export class OrganizationVariables {
  constructor(private readonly parts: OrganizationVariablesParts) {}

  /** Newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, { name, ...request }: PageRequestByName) {
    const { store, cursors } = this.parts
    return readPage(
      { cursors, scope: { list: 'organization-variables', organizationId, filters: { name } } },
      request,
      (last, limit) => {
        const values = { organizationId, named: name ?? null, before: belowId(last), limit }
        return store.all<ShownRow>(listOrganizationVariables(store, values))
      },
      ({ id }) => [id],
      present,
    )
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, id: string): Promise<OrganizationVariable> {
    return present(await this.#find({ organizationId, id }))
  }

  /** Creates it with the value as version 1. Throws `name_taken` (409), `limit_exceeded` (422). */
  async create(
    { organizationId }: Caller,
    body: NewOrganizationVariable,
    record: RequestRecord,
  ): Promise<OrganizationVariable> {
    const { store, clock } = this.parts
    const now = clock.now()
    const row: OrganizationVariableRow = {
      id: newId('var', now),
      organization_id: organizationId,
      name: body.name,
      description: body.description ?? null,
      status: 'active',
      version: 1,
      created_at: now,
      updated_at: now,
    }
    const version = await this.#version({ organizationId, id: row.id }, 1, body.value, now)
    const data = present({ ...row, digest: version.digest, length: version.length })
    // a deleted organization is a missing reference
    await commitOr(store, { unique: taken, stale: tooMany }, [
      insertOrganizationVariable(store, { ...row, variablesMax }),
      insertOrganizationVariableVersion(store, version),
      ...record({ data }),
    ])
    return data
  }

  /** Changes the given fields; a value becomes the next version. Throws `notFound`, `limit_exceeded` (422). */
  async change(
    caller: Caller,
    id: string,
    changes: OrganizationVariableChanges,
    record: RequestRecord,
  ): Promise<OrganizationVariable> {
    const key = { organizationId: caller.organizationId, id }
    await retryOnConflict(() => this.#change(key, changes, record))
    return this.get(caller, id)
  }

  /** Deletes it with its versions, which are removed in the background. Throws `notFound`, `variable_in_use` (409). */
  async remove({ organizationId }: Caller, id: string, record: RequestRecord): Promise<void> {
    const { store } = this.parts
    const key = { organizationId, id }
    await this.#find(key)
    // deleted since it was read, or in use
    await commitOr(store, { stale: () => this.#find(key).then(() => this.#inUse(key)) }, [
      deleteOrganizationVariable(store, key),
      ...record(undefined),
    ])
  }

  /** The variables of Environments that have a version with a value of this one. */
  async #inUse(key: OrganizationVariableKey): Promise<ApiError> {
    const { store } = this.parts
    const rows = await store.all(listTakingVersions(store, { ...key, limit: takingVersionsMax }))
    const taking = [...new Map(rows.map((row) => [row.id, row])).values()].slice(0, dependentsMax)
    const dependents = taking.map((row) => ({ type: 'variable', id: row.id, name: row.name, ...presentPlace(row) }))
    // none if that has changed since
    const named = taking.length === 0 ? '' : `: ${someOf(taking.map(inWords))}`
    const message =
      `Versions of variables of Environments, maybe earlier ones, take their value from this one${named}. Delete those ` +
      'variables first, or disable this one instead.'
    return new ApiError(409, 'variable_in_use', message, { details: { dependents } })
  }

  /** Throws `StaleWrite` if another value was committed first. */
  async #change(
    key: OrganizationVariableKey,
    changes: OrganizationVariableChanges,
    record: RequestRecord,
  ): Promise<void> {
    const { store, clock } = this.parts
    const { value, description, status } = changes
    const found = await this.#find(key)
    const at = clock.now()
    const added = value === undefined ? undefined : await this.#version(key, found.version + 1, value, at)
    const update = updateOrganizationVariable(store, {
      ...key,
      setsDescription: description === undefined ? 0 : 1,
      description: description ?? null,
      status: status ?? null,
      version: added?.version ?? null,
      at,
    })
    await store.commit([
      ...(Object.keys(changes).length === 0 ? [] : [update]),
      ...(added
        ? [
            insertOrganizationVariableVersion(store, added),
            withinBound(store, 'organizationVariableVersions', key.organizationId, key.id),
          ]
        : []),
      ...record({ data: { id: key.id } }, present(found)),
    ])
  }

  async #version(
    { organizationId, id }: OrganizationVariableKey,
    version: number,
    value: string,
    at: number,
  ): Promise<OrganizationVariableVersionRow> {
    const { vault } = this.parts
    const sealed = await vault.seal(organizationVariablePlace(organizationId, id, version), value)
    return { variable_id: id, version, sealed, ...(await traceOf(vault, organizationId, value)), created_at: at }
  }

  async #find(key: OrganizationVariableKey): Promise<ShownRow> {
    const { store } = this.parts
    return orNotFound(await store.first<ShownRow>(findOrganizationVariable(store, key)))
  }
}

const inWords = (row: PlaceOfUse & { id: string; name: string }) => `${row.name} (${row.id}) in ${placeInWords(row)}`

const taken = () => nameTaken('variable of the organization', 409)
const tooMany = () => limitExceeded(`An organization has at most ${variablesMax} variables; delete one first.`)
