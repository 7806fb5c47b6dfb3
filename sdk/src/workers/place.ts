/** The Environment that a worker serves, by its names or by its ids. */
import { TroupeError } from '../client/errors.ts'
import type { Resources } from '../generated/resources.ts'

/** The Environment of a worker: by its names, `project/kind`, or by its ids. */
export type WorkerPlace =
  | { environment: string; projectId?: undefined; environmentId?: undefined }
  | { projectId: string; environmentId: string; environment?: undefined }

export interface Ids {
  projectId: string
  environmentId: string
}

const missing = (what: string) =>
  new TroupeError('environment_not_found', `There is no ${what}, or the key does not reach it.`)

/** Throws `TypeError` for an invalid name of an Environment, and `environment_not_found`. */
export async function idsOf(
  { projects, environments }: Pick<Resources, 'projects' | 'environments'>,
  place: WorkerPlace,
): Promise<Ids> {
  if (place.environment === undefined) return { projectId: place.projectId, environmentId: place.environmentId }
  const [slug, kind, ...more] = place.environment.split('/')
  if (!slug || !kind || more.length > 0) {
    throw new TypeError(`An Environment is named project/kind, not ${JSON.stringify(place.environment)}.`)
  }
  const [project] = (await projects.list({ slug })).items
  if (!project) throw missing(`Project ${slug}`)
  const { items } = await environments.list({ projectId: project.id })
  const environment = items.find((one) => one.kind === kind)
  if (!environment) throw missing(`Environment ${kind} in the Project ${slug}`)
  return { projectId: project.id, environmentId: environment.id }
}
