import {
  deleteUserGroupMember,
  findUserGroup,
  findUserGroupMember,
  insertUserGroupMember,
  listUserGroupMembers,
} from '../../../storage/tenancy/user-groups.ts'
import { notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { noSuch } from '../../platform/http/answers/references.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { UserGroupMember } from './schema.ts'
import type { UserGroupsParts } from './service.ts'

interface MemberRow {
  user_id: string
  email: string
  name: string
  created_at: number
}

const present = ({ user_id, email, name, created_at }: MemberRow): UserGroupMember => ({
  userId: user_id,
  email,
  name,
  createdAt: timestamp(created_at),
})

export class UserGroupMembers {
  constructor(private readonly parts: UserGroupsParts) {}

  /** Newest first. Throws `notFound`, `invalid_cursor` (422). */
  async list({ organizationId }: Caller, userGroupId: string, request: PageRequest) {
    const { store, cursors } = this.parts
    await this.#assertGroup(organizationId, userGroupId)
    return readPage(
      { cursors, scope: { list: 'user-group-members', organizationId, filters: { userGroupId } } },
      request,
      ([beforeAt, beforeId] = [Number.MAX_SAFE_INTEGER, ''], limit) =>
        store.all(
          listUserGroupMembers(store, { userGroupId, beforeAt: Number(beforeAt), beforeId: String(beforeId), limit }),
        ),
      ({ created_at, user_id }) => [created_at, user_id],
      present,
    )
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, userGroupId: string, userId: string): Promise<UserGroupMember> {
    return present(await this.#find(organizationId, userGroupId, userId))
  }

  /** Adding a member again changes nothing. Throws `noSuch` for a user outside the organization. */
  async add(
    { organizationId }: Caller,
    userGroupId: string,
    userId: string,
    record: RequestRecord,
  ): Promise<{ data: UserGroupMember }> {
    const { store, clock, revocations } = this.parts
    await this.#assertGroup(organizationId, userGroupId)
    const before = await store.first(findUserGroupMember(store, { organizationId, userGroupId, userId }))
    const noMember = () => noSuch('member of the organization', '/body/userId')
    // the group may have been deleted since
    const missing = () => this.#assertGroup(organizationId, userGroupId).then(noMember)
    await commitOr(store, { missing }, [
      insertUserGroupMember(store, {
        user_group_id: userGroupId,
        organization_id: organizationId,
        user_id: userId,
        created_at: clock.now(),
      }),
      ...record({ data: { userId } }, before && { userId }),
    ])
    await revocations.announce({ organizationId, userId })
    // as stored, with the time of the first addition
    return { data: present(await this.#find(organizationId, userGroupId, userId)) }
  }

  /** Returns the removed member. Throws `notFound`. */
  async remove(
    { organizationId }: Caller,
    userGroupId: string,
    userId: string,
    record: RequestRecord,
  ): Promise<{ data: UserGroupMember }> {
    const { store, revocations } = this.parts
    const answer = { data: present(await this.#find(organizationId, userGroupId, userId)) }
    await commitOr(store, { stale: notFound }, [
      deleteUserGroupMember(store, { organizationId, userGroupId, userId }),
      ...record(answer),
    ])
    await revocations.announce({ organizationId, userId })
    return answer
  }

  async #assertGroup(organizationId: string, id: string): Promise<void> {
    const { store } = this.parts
    if (!(await store.first(findUserGroup(store, { organizationId, id })))) throw notFound()
  }

  async #find(organizationId: string, userGroupId: string, userId: string): Promise<MemberRow> {
    const { store } = this.parts
    return orNotFound(await store.first(findUserGroupMember(store, { organizationId, userGroupId, userId })))
  }
}
