/** Lists, creates and renames organizations. Source: requirement 4.5; contract 1, 2. */
import { withinBound } from '../../../storage/bounds.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { OrganizationRow } from '../../../storage/tables.ts'
import {
  findOrganization,
  findOwnershipOfFirst,
  insertMembership,
  insertOrganization,
  listOrganizationsOf,
  updateOrganization,
} from '../../../storage/tenancy/organizations.ts'
import { deleteRunLimits, findRunLimits, putRunLimits } from '../../../storage/tenancy/run-limits.ts'
import { ApiError, orNotFound, slugTaken } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { isBound } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller, Identity } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequestBySlug, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { RunLimits } from '../../platform/models/prices/schema.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'
import { withProgress } from '../deletions/progress.ts'
import type { Organization, OrganizationBody, OrganizationPatch } from './schema.ts'

export interface OrganizationsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  idempotency: Idempotency
  revocations: Revocations
  /** Who may create organizations: owners of the first one, or anyone. */
  createOrganizations: 'owners' | 'anyone'
}

/** An organization in the API. */
export const presentOrganization = (row: OrganizationRow): Organization => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  kind: row.kind,
  status: row.status,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

const boundKey = () =>
  new ApiError(
    403,
    'permission_denied',
    'A key that is bound to a part of an organization cannot create organizations.',
  )

const mayNotCreate = () =>
  new ApiError(
    403,
    'permission_denied',
    'Only owners of the first organization can create organizations; ask one of them, or ask the operator to set TROUPE_CREATE_ORGANIZATIONS=anyone.',
  )

export class Organizations {
  constructor(private readonly parts: OrganizationsParts) {}

  /**
   * The user's organizations, newest first, except those for which the session was ended; with an API key, its organization.
   * Throws `invalid_cursor` (422).
   */
  list({ organizationId, userId, sessionBeganAt = 0 }: Identity, { slug, ...request }: PageRequestBySlug) {
    const { store, cursors } = this.parts
    const scope = { list: 'organizations', organizationId: organizationId ?? userId, filters: { slug } }
    const theOne = async (id: string) => {
      const found = await store.first(findOrganization(store, { id }))
      return found && (slug === undefined || found.slug === slug) ? [found] : []
    }
    return readPage(
      { cursors, scope },
      request,
      (after, limit) =>
        organizationId === null
          ? store.all(
              listOrganizationsOf(store, {
                userId,
                sessionBeganAt,
                named: slug ?? null,
                before: belowId(after),
                limit,
              }),
            )
          : theOne(organizationId),
      ({ id }) => [id],
      presentOrganization,
    )
  }

  /**
   * Creates a team owned by the user. Throws `permission_denied` (403) for a bound key and for users who may not create
   * organizations; `slug_taken` (400), `limit_exceeded` (422), and the errors of an Idempotency-Key.
   */
  async create(context: KeyedContext, identity: Identity, body: OrganizationBody): Promise<{ data: Organization }> {
    const mayCreateAny = await this.assertMayCreate(identity)
    const keyed = {
      operation: 'POST /api/v1/organizations',
      // keys are the user's, whatever the organization of the credential
      caller: { organizationId: null, userId: identity.userId },
      path: [],
      body,
    }
    const work = (record: RequestRecord) => this.#create(identity.userId, mayCreateAny, body, record)
    return this.parts.idempotency.answer(context, keyed, work, { listsConflict: false })
  }

  /** Whether the number is unlimited for the user. Throws `permission_denied` (403) if the caller may not create any. */
  async assertMayCreate(identity: Identity): Promise<boolean> {
    if (isBound(identity)) throw boundKey()
    const { userId } = identity
    const { store, createOrganizations } = this.parts
    const isOwnerOfFirst = (await store.first(findOwnershipOfFirst(store, { userId }))) !== undefined
    if (!isOwnerOfFirst && createOrganizations !== 'anyone') throw mayNotCreate()
    return isOwnerOfFirst
  }

  async #create(
    userId: string,
    mayCreateAny: boolean,
    { name, slug }: OrganizationBody,
    record: RequestRecord,
  ): Promise<{ data: Organization }> {
    const { store, clock, revocations } = this.parts
    const now = clock.now()
    const row: OrganizationRow = {
      id: newId('org', now),
      slug,
      name,
      kind: 'team',
      status: 'active',
      created_at: now,
      updated_at: now,
    }
    const answer = { data: presentOrganization(row) }
    await commitOr(store, { unique: { 'organizations.slug': () => slugTaken('organization', 400) } }, [
      insertOrganization(store, row),
      insertMembership(store, { organization_id: row.id, user_id: userId, role: 'owner', created_at: now }),
      ...(mayCreateAny ? [] : [withinBound(store, 'organizations', row.id, userId)]),
      ...record(answer),
    ])
    await revocations.announce({ organizationId: row.id, userId })
    return answer
  }

  /** The caller's organization. Throws `notFound`. */
  async get({ organizationId }: Caller): Promise<Organization> {
    const { store } = this.parts
    const found = orNotFound(await store.first(findOrganization(store, { id: organizationId })))
    const limited = await store.first(findRunLimits(store, { organizationId }))
    const runLimits = limited && { runLimits: JSON.parse(limited.limits) as RunLimits }
    return { ...(await withProgress(store, presentOrganization(found))), ...runLimits }
  }

  /** Changes name, slug or the limits of runs; omitted fields do not change. Throws `slug_taken` (409). */
  async update(
    caller: Caller,
    { name, slug, runLimits }: OrganizationPatch,
    record: RequestRecord,
  ): Promise<{ data: Organization }> {
    const { store, clock, revocations } = this.parts
    const { organizationId } = caller
    const changes = { organizationId, name: name ?? null, slug: slug ?? null, at: clock.now() }
    const isEmpty = name === undefined && slug === undefined && runLimits === undefined
    const limits =
      runLimits === undefined
        ? []
        : runLimits === null || Object.keys(runLimits).length === 0
          ? [deleteRunLimits(store, { organizationId })]
          : [putRunLimits(store, { organization_id: organizationId, limits: JSON.stringify(runLimits) })]
    const writes = [...(isEmpty ? [] : [updateOrganization(store, changes)]), ...limits]
    const before = await this.get(caller)
    await commitOr(store, { unique: { 'organizations.slug': () => slugTaken('organization', 409) } }, [
      ...writes,
      ...record({ data: { id: organizationId } }, before),
    ])
    // cached callers include the slug, and starts of runs the limits
    if (slug !== undefined || runLimits !== undefined) await revocations.announce({ organizationId })
    // read again: another request may have changed the other field
    return { data: await this.get(caller) }
  }
}
