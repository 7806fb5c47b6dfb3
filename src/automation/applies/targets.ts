/** Promotions and roll-backs: Applies of existing resources, without a manifest. Source: contract 10. */
import { listRequestsOfEnvironment } from '../../../storage/automation/applies.ts'
import { listActivations, listDeletedPins } from '../../../storage/delivery/activations.ts'
import { findConfigurationRevision } from '../../../storage/delivery/configuration-revisions.ts'
import { findDeployment } from '../../../storage/delivery/deployments.ts'
import { listPinNames } from '../../../storage/delivery/pins.ts'
import type { ActivationRow, DeploymentRow, EnvironmentRow } from '../../../storage/tables.ts'
import { findEnvironment } from '../../../storage/tenancy/environments.ts'
import { findProject } from '../../../storage/tenancy/projects.ts'
import { snapshotOf } from '../../delivery/configuration-revisions/snapshot.ts'
import { needsOf } from '../../delivery/deployments/needs.ts'
import { readPinned } from '../../delivery/deployments/read-pinned.ts'
import { type Issue, orNotFound } from '../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import type { RequestId } from '../../platform/http/answers/request-id.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { digestOf } from '../../platform/http/digest.ts'
import { inScope, isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { environmentAddress } from '../../tenancy/environments/actor.ts'
import { environmentAt } from '../../tenancy/environments/admission.ts'
import type { ApplyRequest, ApplyTarget } from './actor.ts'
import { assertMay } from './authority.ts'
import type { Plan } from './planning.ts'
import { standingBindables, unmetIssues } from './resolution.ts'
import type { Apply, NewPromotion, NewRollback } from './schema.ts'
import { type Applies, assertNoIssues } from './service.ts'
import type { ApplyParts } from './services.ts'
import { allPages, pageMax, readConfiguration, readServing, type Serving, unread } from './standing.ts'
import { differing, type PlanChange } from './step.ts'

/** The most deleted parts that an issue names. */
const deletedMax = 20

export class Targets {
  constructor(
    private readonly parts: ApplyParts,
    private readonly applies: Applies,
  ) {}

  /**
   * Creates an Apply of one Environment's active Release to another Environment. Throws `noSuch`, `plan_has_issues`
   * (422), `permission_denied` (403), `apply_in_progress` (409).
   */
  async promote(caller: Caller, body: NewPromotion, id: RequestId, record: RequestRecord): Promise<Apply> {
    const { store } = this.parts
    const { projectId, fromEnvironmentId, toEnvironmentId, activate = true } = body
    await this.#assertProject(caller, projectId)
    const from = await this.#environment(caller, projectId, fromEnvironmentId, '/body/fromEnvironmentId')
    const to = await this.#environment(caller, projectId, toEnvironmentId, '/body/toEnvironmentId')
    assertMay(caller, 'deployments:create', projectId)
    const source = await readServing(store, from)
    const issues: Issue[] = [...(await this.#placeIssues(to))]
    if (from.id === to.id) issues.push({ path: '/toEnvironmentId', message: 'Must be another Environment.' })
    if (!source) issues.push({ path: '/fromEnvironmentId', message: `Nothing is active in ${from.kind}.` })
    assertNoIssues(issues)
    const { deployment } = source as Serving
    assertNoIssues(await this.#needIssues(to, deployment))
    const serving = await readServing(store, to)
    const place = { organizationId: to.organization_id, projectId, environmentId: to.id }
    const snapshot = orNotFound(await snapshotOf(store, place))
    const isServed = serving?.deployment.release_id === deployment.release_id
    const plan = await this.#plan(to, serving, { releaseId: deployment.release_id, configuration: snapshot.content })
    return this.#begin(caller, to, plan, {
      activate,
      target: {
        releaseId: deployment.release_id,
        configurationRevisionId: null,
        credentials: 'pinned',
        deploymentId: isServed ? serving.deployment.id : null,
      },
      id,
      record,
      serving: plan.changes.every(({ action }) => action === 'unchanged') ? serving : null,
    })
  }

  /**
   * Creates an Apply of a Deployment that was active before. Throws `notFound`, `plan_has_issues` (422),
   * `permission_denied` (403), `apply_in_progress` (409).
   */
  async rollBack(
    caller: Caller,
    path: { projectId: string; environmentId: string },
    { steps = 1, credentials = 'pinned' }: NewRollback,
    id: RequestId,
    record: RequestRecord,
  ): Promise<Apply> {
    const { store } = this.parts
    const environment = await environmentAt(store, caller.organizationId, path)
    const before = await this.#served(environment)
    const target = before.at(-1 - steps)
    const count = Math.max(0, before.length - 1)
    const deployment =
      target === undefined
        ? undefined
        : await store.first<DeploymentRow>(
            findDeployment(store, { organizationId: caller.organizationId, environmentId: environment.id, id: target }),
          )
    const issues = await this.#placeIssues(environment)
    if (!deployment) {
      const has = count === 0 ? 'Nothing served' : count === 1 ? 'One Deployment served' : `${count} Deployments served`
      issues.push({ path: '/steps', message: `${has} in ${environment.kind} before the present one.` })
    } else issues.push(...(await this.#deletedIssues(deployment)))
    assertNoIssues(issues)
    const { id: deploymentId, release_id: releaseId, configuration_revision_id: configurationRevisionId } = deployment!
    const plan = await this.#plan(environment, await readServing(store, environment), { releaseId })
    return this.#begin(caller, environment, plan, {
      activate: true,
      target: {
        releaseId,
        configurationRevisionId,
        credentials,
        deploymentId: credentials === 'pinned' ? deploymentId : null,
        repeats: deploymentId,
      },
      id,
      record,
      serving: null,
    })
  }

  #begin(
    caller: Caller,
    environment: EnvironmentRow,
    plan: Plan,
    beginning: {
      activate: boolean
      target: ApplyTarget
      id: RequestId
      record: RequestRecord
      serving: Serving | null
    },
  ): Promise<Apply> {
    const { activate, target, id, record, serving } = beginning
    const { project_id: projectId, id: environmentId, kind } = environment
    if (plan.changes.some(({ kind }) => kind === 'environment')) assertMay(caller, 'projects:update', projectId)
    assertMay(caller, 'deployments:create', projectId)
    if (activate) assertMay(caller, 'activations:create', projectId)
    const request = { environment: kind, prune: false, description: null, target }
    const place = { projectId, environmentId }
    return this.applies.start(caller, { place, plan, request, activate, manifest: null, serving }, id, record)
  }

  /** Throws `noSuch` also for a Project outside the caller's scope. */
  async #assertProject(caller: Caller, projectId: string): Promise<void> {
    const { store } = this.parts
    const { organizationId, scope } = caller
    const isReached = isWithinScope(caller, 'deployments:create', { ...scope, projectId })
    const found = isReached ? await store.first(findProject(store, { organizationId, id: projectId })) : undefined
    orNoSuch(found, 'Project', '/body/projectId')
  }

  /** Throws `noSuch` also for an Environment outside the caller's scope; `at` leads to its place in the request. */
  async #environment(caller: Caller, projectId: string, environmentId: string, at: string): Promise<EnvironmentRow> {
    const { store } = this.parts
    const { organizationId, scope } = caller
    const isReached = inScope(caller, { projectId, environmentId, agentId: scope.agentId })
    const key = { organizationId, projectId, id: environmentId }
    const found = isReached ? await store.first(findEnvironment(store, key)) : undefined
    return orNoSuch(found, 'Environment in this Project', at)
  }

  /** The reasons of the Project and the Environment against a Deployment. */
  async #placeIssues(environment: EnvironmentRow): Promise<Issue[]> {
    const { store, actors } = this.parts
    const { organization_id: organizationId, project_id: id, kind, state } = environment
    const project = orNotFound(await store.first(findProject(store, { organizationId, id })))
    const at = { address: environmentAddress(environment.id), state, row: environment }
    const isClosed = !actors.hasRow(at, 'admitDeployment') && !actors.hasRow(at, 'activate')
    return [
      ...(project.status === 'active' ? [] : [{ path: '/projectId', message: `The Project is ${project.status}.` }]),
      ...(isClosed ? [{ path: '/toEnvironmentId', message: `The Environment ${kind} is ${state}.` }] : []),
    ]
  }

  /** The parts of a Deployment's Release that were deleted since: it can never be active again. */
  async #deletedIssues({ id, release_id: releaseId }: DeploymentRow): Promise<Issue[]> {
    const { store } = this.parts
    const values = { releaseId, limit: deletedMax }
    const deleted = await store.all<{ resource_id: string }>(listDeletedPins(store, values))
    if (deleted.length === 0) return []
    const parts = deleted.map(({ resource_id }) => resource_id).join(', ')
    const message = `The Release of the Deployment ${id} has parts that were deleted: ${parts}. Apply a manifest instead.`
    return [{ path: '/steps', message }]
  }

  /** The needs of a Deployment's Agents that the other Environment does not meet, by name. */
  async #needIssues(to: EnvironmentRow, deployment: DeploymentRow): Promise<Issue[]> {
    const pinned = await readPinned(this.parts.store, deployment)
    if (!pinned) return []
    const standing = unread()
    await readConfiguration(this.parts.store, standing, to)
    const bindables = standingBindables(standing, (id) => id)
    return unmetIssues(needsOf(pinned), bindables, to.kind)
  }

  /** The differences of the Release from the active one, by name and revision number. */
  async #plan(
    environment: EnvironmentRow,
    serving: Serving | null,
    { releaseId, configuration }: { releaseId: string; configuration?: string },
  ): Promise<Plan> {
    const { store, actors } = this.parts
    const { kind, state } = environment
    const isToBeOpened = actors.hasRow(
      { address: environmentAddress(environment.id), state, row: environment },
      'activate',
    )
    const before = serving ? await store.all(listPinNames(store, { releaseId: serving.deployment.release_id })) : []
    const after = await store.all(listPinNames(store, { releaseId }))
    const was = new Map(before.map((pin) => [pin.id, pin]))
    const is = new Map(after.map((pin) => [pin.id, pin]))
    const changes: PlanChange[] = []
    if (isToBeOpened) {
      const differences = differing('/lifecycle', state, 'active')
      changes.push({ action: 'update', kind: 'environment', name: kind, environment: kind, differences })
    }
    // in one order, since the plan's digest depends on it
    for (const id of [...new Set([...was.keys(), ...is.keys()])].sort()) {
      const [one, other] = [was.get(id), is.get(id)]
      const differences = differing('/revision', one?.number ?? null, other?.number ?? null)
      changes.push({
        action: differences.length === 0 ? 'unchanged' : !one ? 'create' : other ? 'update' : 'remove',
        kind: id.startsWith('agt_') ? 'agent' : 'definition',
        name: (other ?? one)?.name ?? id,
        environment: kind,
        differences,
      })
    }
    if (configuration !== undefined && serving && (await this.#deployedConfiguration(serving)) !== configuration) {
      const differences = [{ path: '/configuration', shortened: false }]
      changes.push({ action: 'update', kind: 'environment', name: kind, environment: kind, differences })
    }
    return { digest: digestOf({ changes, releaseId }), changes, issues: [] }
  }

  async #deployedConfiguration({ deployment }: Serving): Promise<string | undefined> {
    const { store } = this.parts
    const { organization_id: organizationId, environment_id: environmentId, configuration_revision_id: id } = deployment
    return (await store.first(findConfigurationRevision(store, { organizationId, environmentId, id })))?.content
  }

  /** The Deployments that were active one after another, the current one last, without those that a roll-back left. */
  async #served({ id: environmentId, organization_id: organizationId }: EnvironmentRow): Promise<string[]> {
    const { store } = this.parts
    const place = { organizationId, environmentId, limit: pageMax }
    const activations = await allPages(
      Number.MAX_SAFE_INTEGER,
      (before) => store.all<ActivationRow>(listActivations(store, { ...place, before })),
      ({ generation }) => generation,
    )
    const repeated = await this.#repeated(place)
    const served: { id: string; standsFor: string }[] = []
    const places = new Map<string, number>()
    for (const { deployment_id: id } of activations.reverse()) {
      let standsFor = id
      for (let next: string | undefined = id; next !== undefined; next = repeated.get(next)) standsFor = next
      for (const left of served.splice(places.get(standsFor) ?? served.length)) places.delete(left.standsFor)
      places.set(standsFor, served.length)
      served.push({ id, standsFor })
    }
    return served.map(({ id }) => id)
  }

  /** The Deployments that roll-backs have created, each with the one that it repeats. */
  async #repeated(place: { organizationId: string; environmentId: string; limit: number }) {
    const { store } = this.parts
    const applies = await allPages(
      '~',
      (before) => store.all(listRequestsOfEnvironment(store, { ...place, before })),
      ({ id }) => id,
    )
    return new Map(
      applies.flatMap(({ request, deployment_id: id }): [string, string][] => {
        const { repeats } = (JSON.parse(request) as ApplyRequest).target ?? {}
        return id !== null && repeats !== undefined && repeats !== id ? [[id, repeats]] : []
      }),
    )
  }
}
