/** Creates and deletes access grants, effective at once for all credentials. Source: contract 1, "Access grant"; requirement 5.2. */
import { withinBound } from '../../../storage/bounds.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { AccessGrantRow } from '../../../storage/tables.ts'
import {
  deleteGrant,
  findGrant,
  insertGrantToGroup,
  insertGrantToUser,
  listGrantsOfProject,
} from '../../../storage/tenancy/grants.ts'
import { notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { noSuch } from '../../platform/http/answers/references.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'
import { grantedPermissions } from './permissions.ts'
import { type AccessGrant, type GrantCreation, presentGrant } from './schema.ts'

export interface AccessGrantParts {
  store: Store
  clock: Clock
  cursors: Cursors
  revocations: Revocations
}

export class AccessGrants {
  constructor(private readonly parts: AccessGrantParts) {}

  /** The Project's grants, newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, projectId: string, request: PageRequest) {
    const { store, cursors } = this.parts
    return readPage(
      { cursors, scope: { list: 'access-grants', organizationId, filters: { projectId } } },
      request,
      (last, limit) => {
        const before = belowId(last)
        return store.all(listGrantsOfProject(store, { organizationId, projectId, before, limit }))
      },
      ({ id }) => [id],
      presentGrant,
    )
  }

  /** Throws 422 for permissions that a grant cannot give; `noSuch` for a user who is not a member, or an unknown group. */
  async create(
    { organizationId, principal }: Caller,
    projectId: string,
    { subject, permissions }: GrantCreation,
    record: RequestRecord,
  ): Promise<AccessGrant> {
    const { store, clock } = this.parts
    const at = clock.now()
    const isToUser = subject.type === 'user'
    const row: AccessGrantRow = {
      id: newId('grt', at),
      organization_id: organizationId,
      project_id: projectId,
      user_id: isToUser ? subject.id : null,
      user_group_id: isToUser ? null : subject.id,
      permissions: JSON.stringify(grantedPermissions(permissions)),
      created_by_type: principal.type,
      created_by_id: principal.id,
      created_at: at,
    }
    const data = presentGrant(row)
    const insert = isToUser ? insertGrantToUser : insertGrantToGroup
    const bound = withinBound(store, 'accessGrants', organizationId, projectId)
    // also if the Project, the user or the group was deleted
    const noSubject = () => noSuch(isToUser ? 'member' : 'user group', '/body/subject/id')
    await commitOr(store, { stale: noSubject }, [insert(store, row), bound, ...record({ data })])
    await this.#announce(row)
    return data
  }

  /** Throws `notFound`. */
  async remove(caller: Caller, projectId: string, id: string, record: RequestRecord): Promise<void> {
    const { organizationId } = caller
    const { store } = this.parts
    const path = { organizationId, projectId, id }
    const row = await this.find(caller, projectId, id)
    await commitOr(store, { stale: notFound }, [deleteGrant(store, path), ...record(undefined)])
    await this.#announce(row)
  }

  /** The grant's row. Throws `notFound`. */
  async find({ organizationId }: Caller, projectId: string, id: string): Promise<AccessGrantRow> {
    return orNotFound(await this.parts.store.first(findGrant(this.parts.store, { organizationId, projectId, id })))
  }

  /** A group's members may change concurrently, so the whole organization is revalidated. */
  async #announce({ organization_id: organizationId, user_id: userId }: AccessGrantRow) {
    await this.parts.revocations.announce(userId === null ? { organizationId } : { organizationId, userId })
  }
}
