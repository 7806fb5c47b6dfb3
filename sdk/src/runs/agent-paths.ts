/** Agents by names, `project/environment/agent`, for programs that store no ids. */
import { TroupeError } from '../client/errors.ts'
import type { RequestOptions } from '../client/options.ts'
import { unlessAborted } from '../client/pause.ts'
import type { Resources } from '../generated/resources.ts'

/** An Agent, as a run names it. */
interface AgentIds {
  agentId: string
  environmentId?: string
}

const systemAgent = /^agt_[a-z0-9_]+$/

const missing = (what: string) =>
  new TroupeError('agent_not_found', `There is no ${what}, or the key does not reach it.`)

/** The ids of names, looked up once and cached. */
export class AgentPaths {
  readonly #found = new Map<string, Promise<AgentIds>>()

  constructor(private readonly resources: Pick<Resources, 'projects' | 'environments' | 'agents'>) {}

  isKnown(path: string): boolean {
    return this.#found.has(path)
  }

  forget(path: string): void {
    this.#found.delete(path)
  }

  /** The ids for the names. Throws `TypeError` for an invalid path, and `agent_not_found` for an unknown name. */
  resolve(path: string, { signal, ...options }: RequestOptions = {}): Promise<AgentIds> {
    return unlessAborted(this.#found.get(path) ?? this.#finding(path, options), signal)
  }

  /** The search, which other calls for the same names await too: the signal of one does not end it. */
  #finding(path: string, options: RequestOptions): Promise<AgentIds> {
    const finding = this.#find(path, { ...options, idempotencyKey: undefined })
    this.#found.set(path, finding)
    finding.catch(() => this.forget(path))
    return finding
  }

  async #find(path: string, options: RequestOptions): Promise<AgentIds> {
    if (systemAgent.test(path)) return { agentId: path }
    const [projectSlug, environmentName, agentSlug, ...more] = path.split('/')
    if (!projectSlug || !environmentName || !agentSlug || more.length > 0) {
      throw new TypeError(`An agent is named project/environment/agent, not ${JSON.stringify(path)}.`)
    }
    const { projects, environments, agents } = this.resources
    const [project] = (await projects.list({ slug: projectSlug }, options)).items
    if (!project) throw missing(`Project ${projectSlug}`)
    const projectId = project.id
    const [inProject, named] = await Promise.all([
      environments.list({ projectId }, options),
      agents.list({ projectId, slug: agentSlug }, options),
    ])
    const environment = inProject.items.find(({ kind, name }) => kind === environmentName || name === environmentName)
    if (!environment) throw missing(`Environment ${environmentName} in the Project ${projectSlug}`)
    const [agent] = named.items
    if (!agent) throw missing(`Agent ${agentSlug} in the Project ${projectSlug}`)
    return { agentId: agent.id, environmentId: environment.id }
  }
}
