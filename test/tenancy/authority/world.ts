/**
 * An organization whose users, groups, grants and keys change during requests, another one beside it, and the facts
 * about both for the model. Changes of authority use the API.
 */

import { newId } from '../../../storage/ids.ts'
import type { Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { openTroupe } from '../../support/troupe.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { join } from '../sessions/browser.ts'
import type { Credential, Facts, Operation, Place, Role, Target } from './model.ts'
import { asked } from './operations.ts'

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const everything = { project: null, environment: null, agent: null }

/** A credential, and how it is sent. */
export interface Held extends Credential {
  id: string
  headers: Record<string, string>
}

/** Two Projects with two Environments and two Agents each. */
interface Tree {
  projects: string[]
  environments: string[][]
  agents: string[][]
}

export class World {
  readonly credentials: Held[] = []
  readonly #grantIds: string[] = []

  private constructor(
    readonly troupe: Awaited<ReturnType<typeof openTroupe>>,
    readonly tenancy: Tenancy,
    readonly facts: Facts,
    readonly users: string[],
    readonly groups: string[],
    readonly tree: Tree,
    /** The possible ids of paths: of the home organization, foreign, or unknown. */
    readonly runs: string[],
    readonly foreign: Target,
    readonly missing: Target,
  ) {}

  static async open(): Promise<World> {
    const troupe = await openTroupe({ environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
    const tenancy = new Tenancy(troupe.file)
    const home = (await troupe.owner.get('/api/v1/organizations')).body.data.items[0].id as string
    const other = tenancy.organization()
    const places = new Map<string, Place>()

    const put = (id: string, place: Partial<Place>) => {
      places.set(id, { organization: home, ...everything, ...place })
      return id
    }
    const grow = (organization: string): Tree => {
      const projects = [0, 1].map(() => tenancy.project(organization))
      for (const project of projects) put(project, { organization, project })
      const environments = projects.map((project) =>
        (['development', 'production'] as const).map((kind) =>
          put(tenancy.environment(organization, project, kind), { organization, project }),
        ),
      )
      const agents = projects.map((project) =>
        [0, 1].map(() => put(tenancy.agent(organization, project), { organization, project })),
      )
      return { projects, environments, agents }
    }
    const tree = grow(home)
    const theirs = grow(other)

    const started = await troupe.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
    const own = started.body.data.id as string
    await eventually('the run has ended', async () => {
      return (await troupe.owner.get(`/api/v1/agent-runs/${own}`)).body.data.state === 'completed'
    })
    const runAt = (organization: string, { projects, environments, agents }: Tree, index: number, nth: number) => {
      const place = {
        project: projects[index] as string,
        environment: environments[index]?.[nth] as string,
        agent: agents[index]?.[nth] as string,
      }
      const { project: projectId, environment: environmentId, agent: agentId } = place
      return put(tenancy.copyOfRun(own, organization, { projectId, environmentId, agentId }), {
        organization,
        ...place,
      })
    }
    const runs = [put(own, {}), runAt(home, tree, 0, 0), runAt(home, tree, 0, 1), runAt(home, tree, 1, 0)]

    const foreign: Target = {
      organization: other,
      project: theirs.projects[0] as string,
      environment: theirs.environments[0]?.[0] as string,
      agent: theirs.agents[0]?.[0] as string,
      run: runAt(other, theirs, 0, 0),
    }
    const missing: Target = {
      organization: newId('org'),
      project: newId('prj'),
      environment: newId('env'),
      agent: newId('agt'),
      run: newId('run'),
    }

    const roles = new Map<string, Role>()
    const users = (['owner', 'admin', 'member', 'member'] as const).map((role) => {
      const user = tenancy.user(home, role)
      roles.set(user, role)
      return user
    })
    const groups = new Map<string, Set<string>>()
    for (const name of ['readers', 'writers']) {
      const made = await troupe.owner.post(`/api/v1/organizations/${home}/user-groups`, { name })
      groups.set(made.body.data.id, new Set())
    }
    const facts: Facts = { home, roles, groups, grants: [], places }
    const world = new World(troupe, tenancy, facts, users, [...groups.keys()], tree, runs, foreign, missing)
    for (const user of users) await world.#signIn(user)
    return world
  }

  async close() {
    this.tenancy.close()
    await this.troupe.stop()
  }

  /** Sends it, and returns the answer. */
  ask({ headers }: Held, { method, path, body }: Operation, at: Target): Promise<Reply> {
    return this.troupe.as(null).call(method, path(at), body, { headers })
  }

  async #signIn(user: string) {
    const cookie = this.tenancy.session(user)
    const { body } = await this.troupe.as(null).get('/api/auth/session', { headers: { cookie } })
    this.credentials.push({
      kind: 'session',
      id: sha256(cookie.replace('troupe_session=', '')),
      user,
      operations: new Set(asked),
      scope: everything,
      revoked: false,
      headers: { cookie, 'x-csrf-token': body.data.csrfToken },
    })
  }

  /** A key of a user who may no longer create one, as if created earlier. */
  addKey(user: string, operations: readonly string[], scope: Credential['scope']) {
    if (!this.facts.roles.has(user)) return
    // the revoked ones have been checked long enough
    const { credentials } = this
    credentials.splice(0, credentials.length, ...credentials.filter(({ revoked }) => !revoked))
    const { project: project_id, environment: environment_id, agent: agent_id } = scope
    const { id, secret } = this.tenancy.key(this.facts.home, user, operations, { project_id, environment_id, agent_id })
    const headers = { authorization: `Bearer ${secret}` }
    credentials.push({ kind: 'key', id, user, operations: new Set(operations), scope, revoked: false, headers })
  }

  async revoke(credential: Held) {
    if (credential.kind === 'session') return
    await this.#change(200, 'POST', `/api/v1/api-keys/${credential.id}/revoke`)
    credential.revoked = true
  }

  /** Gives a user this role, or adds the user with it; null: the user leaves. */
  async setRole(user: string, role: Role | null) {
    const { roles, groups, home } = this.facts
    const members = `/api/v1/organizations/${home}/members`
    if (role === null) {
      if (!roles.delete(user)) return
      await this.#change(204, 'DELETE', `${members}/${user}`)
      // group memberships and grants end, keys are revoked: also if the user returns
      for (const group of groups.values()) group.delete(user)
      this.#forgetGrants(({ subject }) => subject === user)
      for (const credential of this.credentials) {
        if (credential.user === user && credential.kind === 'key') credential.revoked = true
      }
      return
    }
    if (roles.has(user)) await this.#change(200, 'PATCH', `${members}/${user}`, { role })
    else await join(this.troupe, this.tenancy, { inviter: this.troupe.owner, organization: home, userId: user, role })
    roles.set(user, role)
  }

  async setInGroup(user: string, group: string, isIn: boolean) {
    const { roles, groups, home } = this.facts
    const members = groups.get(group) as Set<string>
    const path = `/api/v1/organizations/${home}/user-groups/${group}/members`
    if (!roles.has(user) || members.has(user) === isIn) return
    if (isIn) await this.#change(200, 'POST', path, { userId: user })
    else await this.#change(200, 'DELETE', `${path}/${user}`)
    if (isIn) members.add(user)
    else members.delete(user)
  }

  async grant(subject: string, project: string, permissions: readonly string[]) {
    const { roles, groups, grants } = this.facts
    if (!roles.has(subject) && !groups.has(subject)) return
    const type = groups.has(subject) ? 'userGroup' : 'user'
    const body = { subject: { type, id: subject }, permissions }
    const { data } = await this.#change(201, 'POST', `/api/v1/projects/${project}/access-grants`, body)
    grants.push({ project, subject, permissions })
    this.#grantIds.push(data.id)
  }

  async ungrant(index: number) {
    const { grants } = this.facts
    if (grants.length === 0) return
    const taken = grants[index % grants.length] as (typeof grants)[number]
    const id = this.#grantIds[index % grants.length]
    await this.#change(204, 'DELETE', `/api/v1/projects/${taken.project}/access-grants/${id}`)
    this.#forgetGrants((grant) => grant === taken)
  }

  #forgetGrants(isGone: (grant: Facts['grants'][number]) => boolean) {
    const { grants } = this.facts
    for (let index = grants.length - 1; index >= 0; index -= 1) {
      if (!isGone(grants[index] as (typeof grants)[number])) continue
      grants.splice(index, 1)
      this.#grantIds.splice(index, 1)
    }
  }

  async #change(status: number, method: string, path: string, body?: object): Promise<Reply['body']> {
    const reply = await this.troupe.owner.call(method, path, body)
    if (reply.status !== status) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }
}
