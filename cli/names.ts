/** Projects and Environments by the names that people type: `shop/production`. */
import type { Environment, Project, Troupe } from '../sdk/src/index.ts'
import { CommandError, usageError } from './terminal/exit-codes.ts'

const missing = (what: string, hint = '') =>
  new CommandError('missing', 'not_found', `There is no ${what}, or the key does not reach it.`, hint ? [hint] : [])

/** The Project with this slug. Throws `not_found`. */
export async function findProject(troupe: Troupe, slug: string): Promise<Project> {
  const [project] = (await troupe.projects.list({ slug })).items
  if (!project) throw missing(`Project ${slug}`)
  return project
}

interface Place {
  project: Project
  environment: Environment
}

/** The Environment of `PROJECT/KIND`. Throws `usage` for an invalid name, `not_found`. */
export async function findPlace(troupe: Troupe, name: string): Promise<Place> {
  const [slug, kind, ...more] = name.split('/')
  if (!slug || !kind || more.length > 0) {
    throw usageError(
      `${JSON.stringify(name)} does not name an Environment: give PROJECT/KIND, such as shop/production.`,
    )
  }
  const project = await findProject(troupe, slug)
  const { items } = await troupe.environments.list({ projectId: project.id })
  const environment = items.find((one) => one.kind === kind || one.name === kind)
  if (!environment) {
    const kinds = items.map((one) => one.kind).join(', ')
    throw missing(`Environment ${kind} in the Project ${slug}`, kinds && `It has ${kinds}.`)
  }
  return { project, environment }
}

/** The Definition with this name, if it exists. */
export async function findDefinition(troupe: Troupe, projectId: string, name: string) {
  const [definition] = (await troupe.definitions.list({ projectId, name })).items
  return definition
}

/** The Connection with this name. Throws `not_found`. */
export async function findConnection(troupe: Troupe, { project, environment }: Place, name: string) {
  const place = { projectId: project.id, environmentId: environment.id }
  const [connection] = (await troupe.connections.list({ ...place, name })).items
  if (!connection) throw missing(`Connection ${name} in ${project.slug}/${environment.kind}`)
  return connection
}
