/** Lists, reads and changes Projects; `creation.ts` creates them. Source: requirement 4.9; contract 2. */
import { StaleWrite } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { ProjectRow } from '../../../storage/tables.ts'
import {
  findLiveProject,
  findProject,
  listProjects,
  listProjectsAmong,
  updateProject,
} from '../../../storage/tenancy/projects.ts'
import { notFound, orNotFound, serviceUnavailable } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { grantedProjects } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequestBySlug } from '../../platform/http/pagination.ts'
import { readSearchedPage } from '../../platform/http/searched-page.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { withProgress } from '../deletions/progress.ts'
import { type PresentedProject, type ProjectChanges, presentProject } from './schema.ts'
import { slugTaken } from './slug.ts'

export interface ProjectParts {
  store: Store
  clock: Clock
  cursors: Cursors
}

/** Each conflict means that another change was committed. */
const triesMax = 50

export class Projects {
  constructor(private readonly parts: ProjectParts) {}

  /** The Projects within the caller's authorization scope, newest first. Throws `invalid_cursor` (422). */
  list(caller: Caller, { slug, ...request }: PageRequestBySlug & { search?: string }) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    const ids = reachedProjects(caller)
    return readSearchedPage(
      { cursors, scope: { list: 'projects', organizationId, filters: { slug, search: request.search } } },
      request,
      (last, limit) => {
        const values = { organizationId, named: slug ?? null, before: belowId(last), limit }
        return store.all(ids ? listProjectsAmong(store, ids, values) : listProjects(store, values))
      },
      ({ id }) => [id],
      presentProject,
      ({ name, slug }) => `${name} ${slug}`,
    )
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, id: string): Promise<PresentedProject> {
    const { store } = this.parts
    const row = orNotFound(await store.first(findProject(store, { organizationId, id })))
    return withProgress(store, presentProject(row))
  }

  /** Changes only the given fields, without overwriting concurrent changes of others. Throws `notFound`, `slug_taken` (422). */
  async change(caller: Caller, id: string, changes: ProjectChanges, record: RequestRecord): Promise<PresentedProject> {
    for (let tries = 1; tries <= triesMax; tries += 1) {
      try {
        return await this.#tryToChange(caller, id, changes, record)
      } catch (error) {
        if (!(error instanceof StaleWrite)) throw error
      }
    }
    throw serviceUnavailable('Too many concurrent changes to this Project.')
  }

  /** Throws `StaleWrite` if another change was first, and as `change` does. */
  async #tryToChange({ organizationId }: Caller, id: string, changes: ProjectChanges, record: RequestRecord) {
    const { store, clock } = this.parts
    const before: ProjectRow | undefined = await store.first(findLiveProject(store, { organizationId, id }))
    if (!before) throw notFound()
    const differs = Object.entries(changes).some(([name, value]) => before[name as keyof ProjectChanges] !== value)
    const after: ProjectRow = differs ? { ...before, ...changes, updated_at: clock.now() } : before
    const data = presentProject(after)
    const { slug: slugWas, name: nameWas, status: statusWas } = before
    await commitOr(store, { unique: slugTaken(422) }, [
      updateProject(store, { ...after, slugWas, nameWas, statusWas }),
      ...record({ data }, presentProject(before)),
    ])
    return data
  }
}

/** The Projects that lists show; undefined for all of the organization. */
function reachedProjects(caller: Caller): string[] | undefined {
  const { projectId } = caller.scope
  const granted = grantedProjects(caller, 'projects:list')
  if (projectId === null) return granted
  return granted === undefined || granted.includes(projectId) ? [projectId] : []
}
