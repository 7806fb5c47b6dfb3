/** User groups: members of an organization that access grants can refer to together. Source: requirement 4.6; contract 1, 2. */
import { withinBound } from '../../../storage/bounds.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { UserGroupRow } from '../../../storage/tables.ts'
import {
  deleteUserGroup,
  findUserGroup,
  insertUserGroup,
  listUserGroups,
  renameUserGroup,
} from '../../../storage/tenancy/user-groups.ts'
import { nameTaken, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'
import type { UserGroup } from './schema.ts'

export interface UserGroupsParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  revocations: Revocations
}

const present = ({ id, name, created_at, updated_at }: UserGroupRow): UserGroup => ({
  id,
  name,
  createdAt: timestamp(created_at),
  updatedAt: timestamp(updated_at),
})

export class UserGroups {
  constructor(private readonly parts: UserGroupsParts) {}

  /** Newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, request: PageRequest) {
    const { store, cursors } = this.parts
    return readPage(
      { cursors, scope: { list: 'user-groups', organizationId } },
      request,
      (after, limit) => store.all(listUserGroups(store, { organizationId, before: belowId(after), limit })),
      ({ id }) => [id],
      present,
    )
  }

  /** Throws `name_taken` (422). */
  async create({ organizationId }: Caller, name: string, record: RequestRecord): Promise<{ data: UserGroup }> {
    const { store, clock } = this.parts
    const now = clock.now()
    const row = { id: newId('ugr', now), organization_id: organizationId, name, created_at: now, updated_at: now }
    const answer = { data: present(row) }
    await this.#commit([
      insertUserGroup(store, row),
      withinBound(store, 'userGroups', organizationId, organizationId),
      ...record(answer),
    ])
    return answer
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, id: string): Promise<{ data: UserGroup }> {
    return { data: present(await this.#find(organizationId, id)) }
  }

  /** Throws `notFound`, `name_taken` (422). */
  async rename(
    { organizationId }: Caller,
    id: string,
    name: string,
    record: RequestRecord,
  ): Promise<{ data: UserGroup }> {
    const { store, clock } = this.parts
    const at = clock.now()
    const before = await this.#find(organizationId, id)
    const answer = { data: present({ ...before, name, updated_at: at }) }
    await this.#commit([renameUserGroup(store, { organizationId, id, name, at }), ...record(answer, present(before))])
    return answer
  }

  /** Deletes the group with its access grants and returns it. Throws `notFound`. */
  async remove({ organizationId }: Caller, id: string, record: RequestRecord): Promise<{ data: UserGroup }> {
    const { store, revocations } = this.parts
    const answer = { data: present(await this.#find(organizationId, id)) }
    await this.#commit([deleteUserGroup(store, { organizationId, id }), ...record(answer)])
    await revocations.announce({ organizationId })
    return answer
  }

  async #find(organizationId: string, id: string): Promise<UserGroupRow> {
    return orNotFound(await this.parts.store.first(findUserGroup(this.parts.store, { organizationId, id })))
  }

  async #commit(writes: readonly Write[]): Promise<void> {
    await commitOr(
      this.parts.store,
      { unique: () => nameTaken('group of the organization', 422), stale: notFound },
      writes,
    )
  }
}
