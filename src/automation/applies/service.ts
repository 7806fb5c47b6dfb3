/** Plans, creates, reads and cancels Applies; `apply-work.ts` executes them. Source: contract 10. */
import {
  findApply,
  listAppliesOfEnvironment,
  listAppliesOfOrganization,
  listAppliesOfProject,
} from '../../../storage/automation/applies.ts'
import { newId } from '../../../storage/ids.ts'
import type { ApplyRow, EnvironmentRow, ProjectRow } from '../../../storage/tables.ts'
import { ApiError, type Issue, invalid, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import { refusing } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { isWithinScope, partsInScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { belowId, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import { readJournal } from '../../runtime/journal.ts'
import { createProject } from '../../tenancy/projects/creation.ts'
import { type ApplyRequest, type ApplySeed, applyAddress, manifestPlace } from './actor.ts'
import { assertMay, assertMayWrite, assertReached, readableChanges } from './authority.ts'
import { type Plan, planManifest } from './planning.ts'
import { type Apply, type NewApply, type PlanBody, presentApply } from './schema.ts'
import type { ApplyParts } from './services.ts'
import { findPlace, type Serving } from './standing.ts'

interface Filters {
  projectId?: string
  environmentId?: string
}

/** The data of a new Apply, once all checks have passed. */
interface Beginning {
  place: { projectId: string; environmentId: string }
  plan: Plan
  request: Omit<ApplyRequest, keyof RequestId>
  activate: boolean
  manifest: unknown
  /** The active Deployment, if it already is the target. */
  serving: Serving | null
}

export class Applies {
  constructor(private readonly parts: ApplyParts) {}

  /**
   * Writes nothing. Throws `notFound` for a Project outside the caller's scope, `permission_denied` (403) if the caller
   * may not read what the plan would show.
   */
  async plan(caller: Caller, body: PlanBody): Promise<Plan> {
    const { manifest, environment, prune = false } = body
    const { organizationId } = caller
    const { plan, planning } = await planManifest(this.parts, organizationId, { manifest, environment, prune })
    if (!planning) return plan
    const { standing } = planning
    assertReached(caller, 'projects:get', standing)
    return { ...plan, changes: readableChanges(caller, standing.project?.id ?? null, plan.changes) }
  }

  /**
   * Creates an Apply. Throws `plan_has_issues` (422), `permission_denied` (403), `plan_changed`, `apply_in_progress`
   * (409), without writing anything.
   */
  async begin(caller: Caller, body: NewApply, id: RequestId, record: RequestRecord): Promise<Apply> {
    const { manifest, environment: kind, prune = false, activate = true, description = null } = body
    if (prune && !activate) {
      const message = 'Goes with an Activation only: what serves may still use what is pruned.'
      throw invalid([{ path: '/body/prune', message }])
    }
    const { organizationId } = caller
    const planned = await planManifest(this.parts, organizationId, { manifest, environment: kind, prune })
    const { plan, steps, planning } = planned
    if (planning) assertReached(caller, 'deployments:create', planning.standing)
    assertNoIssues(plan.issues)
    const { standing, manifest: sound } = planning!
    const projectId = standing.project?.id ?? null
    assertMayWrite(caller, projectId, steps)
    const isChanged = plan.changes.some(({ action }) => action !== 'unchanged')
    assertMay(caller, 'deployments:create', projectId)
    if (isChanged && activate) assertMay(caller, 'activations:create', projectId)
    const { expectedPlanDigest: expected } = body
    if (expected !== undefined && expected !== plan.digest) throw planChanged(plan)

    const { project, environment } = standing.project
      ? standing
      : await this.#createProject(caller, sound.project, kind, id)
    return this.start(
      caller,
      {
        place: { projectId: project!.id, environmentId: environment!.id },
        plan,
        request: { environment: kind, prune, description, target: null },
        activate,
        manifest,
        serving: isChanged ? null : standing.serving,
      },
      id,
      record,
    )
  }

  /** Stores the Apply, which starts at once. Throws `apply_in_progress` (409). */
  async start(caller: Caller, beginning: Beginning, requestId: RequestId, record: RequestRecord): Promise<Apply> {
    const { clock, actors, vault } = this.parts
    const { place, plan, request, activate, manifest, serving } = beginning
    const { organizationId, principal: by } = caller
    const id = newId('apl', clock.now())
    const text = manifest === null || serving ? null : JSON.stringify(manifest)
    const seed: ApplySeed = {
      id,
      organization_id: organizationId,
      project_id: place.projectId,
      environment_id: place.environmentId,
      request: JSON.stringify({ ...request, ...requestId } satisfies ApplyRequest),
      plan: JSON.stringify(plan),
      created_by_type: by.type,
      created_by_id: by.id,
      manifest: text === null ? null : await vault.seal(manifestPlace(organizationId, id), text),
    }
    const address = applyAddress(id)
    const creation = { input: { activate, serving: serving && servingOf(serving) }, seed, named: 'create' }
    const last = {
      by,
      writes: ({ actor }: { actor: { row: ApplyRow } }) => record({ data: presentTo(caller, actor.row) }),
    }
    // an Apply without changes is applied at once: both commands of the same turn become one unit of work
    const asked = serving
      ? [actors.create<ApplyRow>(address, creation, { by }), actors.send<ApplyRow>(address, { type: 'taken' }, last)]
      : [actors.create<ApplyRow>(address, creation, last)]
    const answers = await Promise.all(asked).catch(refusing({ unique: () => this.#inProgress(organizationId, place) }))
    return presentTo(caller, answers.at(-1)!.actor.row)
  }

  /** Newest first, within the caller's scope. Throws `invalid_cursor` (422). */
  list(caller: Caller, filters: Filters, request: PageRequest) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    const parts = partsInScope(caller, 'projects:get', filters)
    return readLargePage(
      { cursors, scope: { list: 'applies', organizationId, filters: { ...filters } } },
      request,
      async (last, limit) => {
        const page = { organizationId, before: belowId(last), limit }
        const found = await Promise.all(
          parts.map(({ projectId, environmentId }: Filters) =>
            store.all<ApplyRow>(
              environmentId !== undefined
                ? listAppliesOfEnvironment(store, { ...page, environmentId })
                : projectId !== undefined
                  ? listAppliesOfProject(store, { ...page, projectId })
                  : listAppliesOfOrganization(store, page),
            ),
          ),
        )
        const rows = found
          .flat()
          .filter(({ project_id }) => filters.projectId === undefined || project_id === filters.projectId)
        return rows.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, limit)
      },
      ({ id }) => [id],
      (row) => presentTo(caller, row),
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, id: string): Promise<Apply> {
    return presentTo(caller, await this.#find(caller, id, 'projects:get'))
  }

  /** The journal, ascending. Throws `notFound`, `invalid_cursor` (422). */
  async transitions(caller: Caller, id: string, request: PageRequest) {
    await this.#find(caller, id, 'projects:get')
    return readJournal(this.parts, caller.organizationId, applyAddress(id), request)
  }

  /** The active Deployment stays active. Throws `notFound`, `invalid_transition` (409) from `activating` on. */
  async cancel(caller: Caller, id: string, record: RequestRecord): Promise<Apply> {
    await this.#find(caller, id, 'deployments:create')
    const { actor } = await this.parts.actors.send<ApplyRow>(
      applyAddress(id),
      { type: 'cancel' },
      { by: caller.principal, writes: ({ actor: { row } }) => record({ data: { ...presentApply(row) } }) },
    )
    return presentTo(caller, { ...(await this.#find(caller, id, 'deployments:create')), ...snapshotOf(actor.row) })
  }

  /** Throws `notFound` for an Apply that this credential could not have created. */
  async assertInScope(caller: Caller, id: string): Promise<void> {
    await this.#find(caller, id, 'deployments:create')
  }

  /** The Apply's row. Throws `notFound` if it is missing or outside the caller's scope. */
  async #find(caller: Caller, id: string, permission: Permission): Promise<ApplyRow> {
    const { store } = this.parts
    const { organizationId, scope } = caller
    const row = orNotFound(await store.first<ApplyRow>(findApply(store, { organizationId, id })))
    // a key of an Agent may read it
    const agentId = permission === 'projects:get' ? scope.agentId : null
    const place = { projectId: row.project_id, environmentId: row.environment_id, agentId }
    if (!isWithinScope(caller, permission, place)) throw notFound()
    return row
  }

  /** Names the Apply in progress: the newest of the Environment. */
  async #inProgress(organizationId: string, { environmentId }: { environmentId: string }): Promise<ApiError> {
    const { store } = this.parts
    const newest = await store.first<ApplyRow>(
      listAppliesOfEnvironment(store, { organizationId, environmentId, before: '~', limit: 1 }),
    )
    const message = 'Another Apply of the Environment is in progress; wait until it ends, or cancel it.'
    return new ApiError(409, 'apply_in_progress', message, { details: newest && { applyId: newest.id } })
  }

  async #createProject(
    caller: Caller,
    { slug, name = slug }: { slug: string; name?: string },
    kind: ApplyRequest['environment'],
    id: RequestId,
  ): Promise<{ project: ProjectRow | null; environment: EnvironmentRow | null }> {
    const { store, audit } = this.parts
    const { organizationId } = caller
    const line: RequestRecord = (answer) => [
      audit.write({
        organizationId,
        actor: caller.principal,
        ip: null,
        operation: 'createProject',
        resource: { type: 'project', id: (answer as { data: { id: string } }).data.id },
        outcome: 'allowed',
        ...id,
        changed: ['name', 'slug'],
      }),
    ]
    const parts = { ...this.parts, findTemplate: () => undefined }
    await createProject(parts, caller, { slug, name }, line).catch((error: unknown) => {
      // another request has just created it
      if (!(error instanceof ApiError) || error.code !== 'slug_taken') throw error
    })
    const found = await findPlace(store, organizationId, slug, kind)
    assertReached(caller, 'deployments:create', found)
    return { project: orNotFound(found.project), environment: orNotFound(found.environment) }
  }
}

/** A caller who may not read a kind of resource does not get its values from a plan either. */
function presentTo(caller: Caller, row: ApplyRow): Apply {
  const apply = presentApply(row)
  return { ...apply, plan: { ...apply.plan, changes: readableChanges(caller, row.project_id, apply.plan.changes) } }
}

const servingOf = ({ deployment }: Serving) => ({
  releaseId: deployment.release_id,
  configurationRevisionId: deployment.configuration_revision_id,
  deploymentId: deployment.id,
})

const snapshotOf = ({ state, version, context, updated_at }: ApplyRow) => ({ state, version, context, updated_at })

/** Throws `plan_has_issues` (422). */
export function assertNoIssues(issues: readonly Issue[]): void {
  if (issues.length === 0) return
  const message = 'The plan cannot be carried out; nothing was written.'
  throw new ApiError(422, 'plan_has_issues', message, { details: { issues } })
}

const planChanged = ({ digest }: Plan) =>
  new ApiError(409, 'plan_changed', 'The plan differs from the expected one; look at it again.', {
    details: { planDigest: digest },
  })
