/** Accepts deletions of organizations and Projects; Agents have their own. Source: requirement 4.5, 4.9; contract 2. */
import type { Store, Write } from '../../../storage/store.ts'
import { markOrganizationDeleting, markProjectDeleting } from '../../../storage/tenancy/deletions.ts'
import { findOrganization } from '../../../storage/tenancy/organizations.ts'
import { findProject } from '../../../storage/tenancy/projects.ts'
import { ApiError, deletionInProgress, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import type { Organization } from '../organizations/schema.ts'
import { presentOrganization } from '../organizations/service.ts'
import { type PresentedProject, presentProject } from '../projects/schema.ts'
import { type Answer, type BeginParts, beginDeletion } from './begin.ts'
import { noProgress } from './progress.ts'

/**
 * Throws `billing_active` (409) while the organization's paid contract is not fully canceled. Returns statements that fail
 * the unit of work of the deletion if the contract has changed since.
 */
export type AssertContractEnded = (organizationId: string) => Promise<Write[]>

export interface DeletionParts extends BeginParts {
  store: Store
  idempotency: Idempotency
  assertContractEnded: AssertContractEnded
}

const personal = () => new ApiError(409, 'personal_organization', 'A personal organization cannot be deleted.')

export class Deletions {
  constructor(private readonly parts: DeletionParts) {}

  /**
   * Accepts the deletion of the caller's organization. Throws `personal_organization`, `billing_active`, `deletion_in_progress`
   * (409), and the errors of an Idempotency-Key.
   */
  organization(context: KeyedContext, caller: Caller): Promise<Answer<Organization>> {
    const { organizationId } = caller
    const operation = 'DELETE /api/v1/organizations/{organizationIdOrSlug}'
    const keyed = { operation, caller, path: [organizationId], body: null }
    return this.parts.idempotency.answer(context, keyed, (record) => this.#organization(caller, record), {
      status: 202,
    })
  }

  async #organization(caller: Caller, record: RequestRecord): Promise<Answer<Organization>> {
    const { store, assertContractEnded } = this.parts
    const { organizationId: id } = caller
    const row = orNotFound(await store.first(findOrganization(store, { id })))
    if (row.kind === 'personal') throw personal()
    const contractEnded = await assertContractEnded(id)
    try {
      return await beginDeletion(this.parts, caller, record, {
        id,
        kind: 'organization',
        projectId: null,
        mark: (at) => [...contractEnded, markOrganizationDeleting(store, { id, at })],
        present: (at) => ({
          ...presentOrganization({ ...row, status: 'deleting', updated_at: at }),
          deletion: noProgress(at),
        }),
      })
    } catch (error) {
      // a contract may have begun since it was read
      if (isConcurrentChange(error)) await assertContractEnded(id)
      throw error
    }
  }

  /** Accepts the deletion of a Project. Throws `notFound`, `deletion_in_progress` (409). */
  async project(caller: Caller, projectId: string, record: RequestRecord): Promise<Answer<PresentedProject>> {
    const { store } = this.parts
    const { organizationId } = caller
    const find = () => store.first(findProject(store, { organizationId, id: projectId }))
    const row = orNotFound(await find())
    try {
      return await beginDeletion(this.parts, caller, record, {
        id: projectId,
        kind: 'project',
        projectId,
        mark: (at) => [markProjectDeleting(store, { organizationId, id: projectId, at })],
        present: (at) => ({
          ...presentProject({ ...row, status: 'deleting', updated_at: at }),
          deletion: noProgress(at),
        }),
      })
    } catch (error) {
      if (!isConcurrentChange(error)) throw error
      throw (await find()) ? deletionInProgress() : notFound()
    }
  }
}
