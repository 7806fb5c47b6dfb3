/** Agents of runs by the names that commands take: PROJECT/KIND/AGENT. */
import { type AgentRun, ApiError, type Troupe } from '../sdk/src/index.ts'

type Named = Pick<AgentRun, 'agentId' | 'projectId' | 'environmentId'>

/** The most Agents that are looked up; further ones keep their ids. */
const lookedUpMax = 50

/** The answer; undefined if the resource is gone, or the key may not read it. */
const orNothing = <Value>(asked: Promise<Value>): Promise<Value | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined
    throw error
  })

/** Values that are looked up once for each key. */
function lookUp<Value>(find: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const found = new Map<string, Promise<Value>>()
  return (key) => {
    const known = found.get(key) ?? find(key)
    found.set(key, known)
    return known
  }
}

/** The names of the Agents of these runs, in their order; the id of an Agent without a name. */
export function agentNames(troupe: Troupe, runs: readonly Named[]): Promise<string[]> {
  const projectSlug = lookUp(async (projectId) => (await orNothing(troupe.projects.get({ projectId })))?.slug)
  const environments = lookUp(
    async (projectId) => (await orNothing(troupe.environments.list({ projectId })))?.items ?? [],
  )
  const agentSlugs = new Map<string, Promise<string | undefined>>()
  const agentSlug = (projectId: string, agentId: string) => {
    const known = agentSlugs.get(agentId)
    if (known || agentSlugs.size >= lookedUpMax) return known
    const asked = orNothing(troupe.agents.get({ projectId, agentId })).then((agent) => agent?.slug)
    agentSlugs.set(agentId, asked)
    return asked
  }
  const nameOf = async ({ agentId, projectId, environmentId }: Named): Promise<string> => {
    if (projectId === null) return agentId
    const [project, inProject, agent] = await Promise.all([
      projectSlug(projectId),
      environments(projectId),
      agentSlug(projectId, agentId),
    ])
    const kind = inProject.find(({ id }) => id === environmentId)?.kind
    return project && kind && agent ? `${project}/${kind}/${agent}` : agentId
  }
  return Promise.all(runs.map(nameOf))
}
