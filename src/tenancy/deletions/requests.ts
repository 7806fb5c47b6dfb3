/**
 * Accepting the removal of an organization, a Project or an Agent: its status becomes `deleting` and the actor that
 * removes it begins, in one unit of work; the rest is done by `rounds.ts`. Source: requirement 4.5, 4.9; contract 2, 3.
 */
import type { DeletionContext } from '../../../machines/deletion.ts'
import { findAgent } from '../../../storage/authoring/agents.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { DeletionRow } from '../../../storage/tables.ts'
import { markAgentDeleting, markOrganizationDeleting, markProjectDeleting } from '../../../storage/tenancy/deletions.ts'
import { findOrganization } from '../../../storage/tenancy/organizations.ts'
import { findProject } from '../../../storage/tenancy/projects.ts'
import { presentAgent } from '../../authoring/agents/present.ts'
import type { Agent } from '../../authoring/agents/schema.ts'
import { ApiError, deletionInProgress, notFound } from '../../platform/http/answers/errors.ts'
import type { Idempotency, KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { Keep } from '../../platform/http/changes/keep.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Revocations } from '../authority/revocations.ts'
import type { Organization } from '../organizations/schema.ts'
import { presentOrganization } from '../organizations/service.ts'
import { type PresentedProject, presentProject } from '../projects/schema.ts'
import { type DeletionSeed, deletionAddress } from './actor.ts'
import { assertUnused, unusedGuards } from './dependents.ts'
import { noProgress } from './progress.ts'

/** Throws `billing_active` (409) while the organization's paid contract is not fully canceled. */
export type AssertContractEnded = (organizationId: string) => void | Promise<void>

export interface DeletionParts {
  store: Store
  actors: Actors
  revocations: Revocations
  idempotency: Idempotency
  assertContractEnded: AssertContractEnded
}

type Answer<Data> = { data: Data }

interface Target<Data> {
  id: string
  kind: DeletionContext['target']
  /** The Project that it is, or belongs to. */
  projectId: string | null
  /** Marks the target; fails the unit of work when it cannot be removed. */
  mark(at: number): Write[]
  /** The target as it is once it is marked. */
  present(at: number): Data
}

const personal = () => new ApiError(409, 'personal_organization', 'A personal organization cannot be deleted.')

/** The guards of the unit of work did not hold: something has changed since it was read. */
const isOvertaken = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'concurrent_change'

export class Deletions {
  constructor(private readonly parts: DeletionParts) {}

  /**
   * Accepts the removal of the caller's organization. Throws `personal_organization`, `billing_active`,
   * `deletion_in_progress` (409), and what an Idempotency-Key adds.
   */
  organization(context: KeyedContext, caller: Caller): Promise<Answer<Organization>> {
    const { organizationId } = caller
    const operation = 'DELETE /api/v1/organizations/{organizationIdOrSlug}'
    const keyed = { operation, caller, path: [organizationId], body: null }
    return this.parts.idempotency.answer(context, keyed, (keep) => this.#organization(caller, keep), { status: 202 })
  }

  async #organization(caller: Caller, keep: Keep): Promise<Answer<Organization>> {
    const { store, assertContractEnded } = this.parts
    const { organizationId: id } = caller
    const row = await store.first(findOrganization(store, { organizationId: id }))
    if (!row) throw notFound()
    if (row.kind === 'personal') throw personal()
    await assertContractEnded(id)
    return this.#begin(caller, keep, {
      id,
      kind: 'organization',
      projectId: null,
      mark: (at) => [markOrganizationDeleting(store, { id, at })],
      present: (at) => ({
        ...presentOrganization({ ...row, status: 'deleting', updated_at: at }),
        deletion: noProgress(at),
      }),
    })
  }

  /** Accepts the removal of a Project. Throws `notFound`, `deletion_in_progress` (409). */
  async project(caller: Caller, projectId: string, keep: Keep): Promise<Answer<PresentedProject>> {
    const { store } = this.parts
    const { organizationId } = caller
    const find = () => store.first(findProject(store, { organizationId, id: projectId }))
    const row = await find()
    if (!row) throw notFound()
    try {
      return await this.#begin(caller, keep, {
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
      if (!isOvertaken(error)) throw error
      throw (await find()) ? deletionInProgress() : notFound()
    }
  }

  /** Accepts the removal of an Agent. Throws `notFound`, `agent_in_use`, `deletion_in_progress` (409). */
  async agent(caller: Caller, projectId: string, agentId: string, keep: Keep): Promise<Answer<Agent>> {
    const { store } = this.parts
    const place = { organizationId: caller.organizationId, projectId, agentId }
    const find = () => store.first(findAgent(store, { ...place, id: agentId }))
    const row = await find()
    if (!row) throw notFound()
    await assertUnused(store, place)
    try {
      return await this.#begin(caller, keep, {
        id: agentId,
        kind: 'agent',
        projectId,
        mark: (at) => [
          markAgentDeleting(store, { organizationId: place.organizationId, projectId, id: agentId, at }),
          ...unusedGuards(store, place),
        ],
        present: (at) => ({
          ...presentAgent({ ...row, status: 'deleting', updated_at: at }),
          deletion: noProgress(at),
        }),
      })
    } catch (error) {
      if (!isOvertaken(error)) throw error
      if (!(await find())) throw notFound()
      await assertUnused(store, place)
      throw deletionInProgress()
    }
  }

  async #begin<Data>(caller: Caller, keep: Keep, target: Target<Data>): Promise<Answer<Data>> {
    const { actors, revocations } = this.parts
    const { organizationId, principal } = caller
    const seed: DeletionSeed = {
      id: target.id,
      target: target.kind,
      organization_id: organizationId,
      project_id: target.projectId,
      requested_by_type: principal.type,
      requested_by_id: principal.id,
    }
    const answer = (at: number): Answer<Data> => ({ data: target.present(at) })
    const { actor } = await actors.create<DeletionRow>(
      deletionAddress(target.id),
      { input: { target: target.kind }, seed, named: 'delete' },
      {
        by: principal,
        writes: ({ actor: { row } }) => [...target.mark(row.created_at), ...keep(answer(row.created_at))],
      },
    )
    await revocations.announce({ organizationId })
    return answer(actor.row.created_at)
  }
}
