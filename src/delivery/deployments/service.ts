/** Submits, cancels and reads Deployments; `deployment-work.ts` does their work. Source: contract 3. */
import { findRelease } from '../../../storage/authoring/releases.ts'
import { findConfigurationRevision } from '../../../storage/delivery/configuration-revisions.ts'
import { findDeployment, listDeployments } from '../../../storage/delivery/deployments.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { DeploymentRow } from '../../../storage/tables.ts'
import { findProject } from '../../../storage/tenancy/projects.ts'
import { orNotFound, projectPaused } from '../../platform/http/answers/errors.ts'
import { noSuch, orNoSuch, referredTo } from '../../platform/http/answers/references.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { readJournal } from '../../runtime/journal.ts'
import { isConcurrentChange } from '../../runtime/refusals.ts'
import { admittingEnvironment, environmentAt } from '../../tenancy/environments/admission.ts'
import type { EnvironmentPath } from '../../tenancy/environments/service.ts'
import { ConfigurationRevisions } from '../configuration-revisions/service.ts'
import { type DeploymentSeed, deploymentAddress } from './actor.ts'
import { deploymentDifferences } from './differences/deployments.ts'
import type { DeploymentDiff } from './differences/schema.ts'
import { type Deployment, type NewDeployment, presentDeployment } from './schema.ts'

export interface DeploymentParts {
  store: Store
  clock: Clock
  actors: Actors
  cursors: Cursors
}

export class Deployments {
  readonly #configurations: ConfigurationRevisions

  constructor(private readonly parts: DeploymentParts) {
    this.#configurations = new ConfigurationRevisions(parts)
  }

  /** Newest first. Throws `notFound`, `invalid_cursor` (422). */
  async list({ organizationId }: Caller, path: EnvironmentPath, request: PageRequest) {
    const { store, cursors } = this.parts
    const { id: environmentId } = await environmentAt(store, organizationId, path)
    return readLargePage(
      { cursors, scope: { list: 'deployments', organizationId, filters: { environmentId } } },
      request,
      (last, limit) => {
        const before = belowId(last)
        return store.all<DeploymentRow>(listDeployments(store, { organizationId, environmentId, before, limit }))
      },
      ({ id }) => [id],
      presentDeployment,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, path: EnvironmentPath, id: string): Promise<Deployment> {
    return presentDeployment(await this.#find(caller, path, id))
  }

  /** The differences from `against`, by name, as far as the caller may read them. Throws `notFound`, `noSuch`. */
  async diff(caller: Caller, path: EnvironmentPath, id: string, against: string): Promise<DeploymentDiff> {
    const after = await this.#find(caller, path, id)
    const before = await referredTo(
      this.#find(caller, path, against),
      'Deployment in this Environment',
      '/query/against',
    )
    return deploymentDifferences(this.parts.store, caller, before, after)
  }

  /** The journal, ascending. Throws `notFound`, `invalid_cursor` (422). */
  async transitions(caller: Caller, path: EnvironmentPath, id: string, request: PageRequest) {
    await this.#find(caller, path, id)
    return readJournal(this.parts, caller.organizationId, deploymentAddress(id), request)
  }

  /**
   * Submits a Deployment, which is prepared in the background. Throws `noSuch` for a Release of another Project or a
   * Configuration Revision of another Environment; `project_paused`, `environment_not_active` (409).
   */
  async submit(caller: Caller, path: EnvironmentPath, body: NewDeployment, record: RequestRecord): Promise<Deployment> {
    const { store, clock, actors } = this.parts
    const { organizationId, principal: by } = caller
    const { project_id: projectId, id: environmentId } = await environmentAt(store, organizationId, path)
    const release = orNoSuch(
      await store.first(findRelease(store, { organizationId, projectId, id: body.releaseId })),
      'Release in this Project',
      '/body/releaseId',
    )
    const { configurationRevisionId: asked } = body
    if (asked !== undefined) await this.#assertRevision(organizationId, environmentId, asked)
    await this.#assertAdmitted(organizationId, projectId, environmentId)
    const revisionId = asked ?? (await this.#configurations.current(caller, path))

    const seed: DeploymentSeed = {
      id: newId('dep', clock.now()),
      organization_id: organizationId,
      project_id: projectId,
      environment_id: environmentId,
      release_id: release.id,
      configuration_revision_id: revisionId,
      credentials: body.credentials ?? 'pinned',
      created_by_type: by.type,
      created_by_id: by.id,
    }
    try {
      const { actor } = await actors.create<DeploymentRow>(
        deploymentAddress(seed.id),
        { input: undefined, seed, named: 'create' },
        { by, writes: ({ actor: { row } }) => record({ data: presentDeployment(row) }) },
      )
      return presentDeployment(actor.row)
    } catch (error) {
      // the insert checks again; if it was refused, one of the two has changed since it was read
      if (isConcurrentChange(error)) {
        await this.#assertAdmitted(organizationId, projectId, environmentId)
      }
      throw error
    }
  }

  /** Cancels the preparation; again changes nothing. Throws `notFound`, `invalid_transition` (409). */
  async cancel(caller: Caller, path: EnvironmentPath, id: string, record: RequestRecord): Promise<Deployment> {
    await this.#find(caller, path, id)
    const { actor } = await this.parts.actors.send<DeploymentRow>(
      deploymentAddress(id),
      { type: 'cancel' },
      { by: caller.principal, writes: ({ actor: { row } }) => record({ data: presentDeployment(row) }) },
    )
    return presentDeployment(actor.row)
  }

  /** Throws `notFound`, `project_paused`, `environment_not_active` (409). */
  async #assertAdmitted(organizationId: string, projectId: string, environmentId: string): Promise<void> {
    const { store, actors } = this.parts
    const project = orNotFound(await store.first(findProject(store, { organizationId, id: projectId })))
    if (project.status === 'paused') throw projectPaused()
    await admittingEnvironment(actors, environmentId, 'admitDeployment')
  }

  /** Throws `noSuch`. */
  async #assertRevision(organizationId: string, environmentId: string, id: string): Promise<void> {
    const { store } = this.parts
    const found = await store.first(findConfigurationRevision(store, { organizationId, environmentId, id }))
    if (!found) throw noSuch('Configuration Revision in this Environment', '/body/configurationRevisionId')
  }

  async #find({ organizationId }: Caller, { environmentId }: EnvironmentPath, id: string): Promise<DeploymentRow> {
    const { store } = this.parts
    return orNotFound(await store.first<DeploymentRow>(findDeployment(store, { organizationId, environmentId, id })))
  }
}
