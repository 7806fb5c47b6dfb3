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
  const slugOf = lookUp(async (projectId) => (await orNothing(troupe.projects.get({ projectId })))?.slug)
  const environmentsOf = lookUp((projectId) => orNothing(troupe.environments.list({ projectId })))
  const find = async ({ agentId, environmentId }: Named, projectId: string): Promise<string> => {
    const [slug, environments, agent] = await Promise.all([
      slugOf(projectId),
      environmentsOf(projectId),
      orNothing(troupe.agents.get({ projectId, agentId })),
    ])
    const kind = environments?.items.find(({ id }) => id === environmentId)?.kind
    return slug && kind && agent ? `${slug}/${kind}/${agent.slug}` : agentId
  }
  const names = new Map<string, Promise<string>>()
  return Promise.all(
    runs.map((run) => {
      const { agentId, projectId, environmentId } = run
      const place = `${agentId} ${environmentId}`
      const known = names.get(place)
      // the id of an Agent of the platform is its name
      if (known || projectId === null || names.size >= lookedUpMax) return known ?? agentId
      const name = find(run, projectId)
      names.set(place, name)
      return name
    }),
  )
}
