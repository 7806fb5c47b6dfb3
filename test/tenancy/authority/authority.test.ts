/**
 * Any caller, for any part of an organization, gets the answer of the contract, also on the next request after changes
 * of roles, groups, grants and keys. Source: requirement 5.2; contract 1.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Credential, type Operation, reaches, statusFor, type Target } from './model.ts'
import { operations } from './operations.ts'
import { type Path, type Step, steps } from './steps.ts'
import { type Held, World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await World.open()
})
afterAll(() => world?.close())

const credential = (which: number) => world.credentials[which % world.credentials.length] as Held

/** The path's ids, for this credential. */
function targetOf(path: Path, { scope }: Held): Target {
  const { tree, runs, foreign, missing, facts } = world
  const nowhere = (which: string) => (which === 'foreign' ? foreign : missing)
  const own = path.isBound ? scope : { project: null, environment: null, agent: null }
  const { organization, project, nth, run } = path
  const named = typeof project === 'number' ? project : 0
  const holder = path.isOfProject ? named : 1 - named
  const within = (ids: string[][], level: 'environment' | 'agent') =>
    typeof nth === 'number' ? (ids[holder]?.[nth] as string) : nowhere(nth)[level]
  return {
    organization: organization === 'home' ? facts.home : nowhere(organization).organization,
    project:
      own.project ?? (typeof project === 'number' ? (tree.projects[project] as string) : nowhere(project).project),
    environment: own.environment ?? within(tree.environments, 'environment'),
    agent: own.agent ?? within(tree.agents, 'agent'),
    run: typeof run === 'number' ? (runs[run] as string) : nowhere(run).run,
  }
}

/** The received statuses, by operation. */
const heard = new Map<string, number[]>()

/** The facts on which the answer depends, for a failure's message. */
function story({ headers: _, operations: may, ...who }: Held, { permission }: Operation, at: Target): string {
  const { roles, groups } = world.facts
  const grants = world.facts.grants.filter(({ permissions }) => permissions.includes(permission))
  const giving = grants.map(({ project, subject }) => ({ project, subject }))
  return Bun.inspect({ permission, has: may.has(permission), at, who, roles, groups, grants: giving }, { depth: 5 })
}

async function ask(who: Held, operation: Operation, at: Target) {
  const wanted = statusFor(world.facts, who, operation, at)
  const { status, body } = await world.ask(who, operation, at)
  if (status !== wanted)
    throw new Error(`${operation.name} answered ${status}, not ${wanted}: ${story(who, operation, at)}`)
  heard.set(operation.name, [...(heard.get(operation.name) ?? []), status])
  if (operation.level === 'list' && status === 200) expectReached(who, operation, body)
}

/** A list contains what the credential reaches, and nothing else. */
function expectReached(
  who: Credential,
  { permission }: Operation,
  body: { agentRuns?: object[]; data?: { items: object[] } },
) {
  const { tree, runs, facts } = world
  const all = body.agentRuns ? runs : tree.projects
  const listed = (body.agentRuns ?? body.data?.items ?? []).map((item) => (item as { id: string }).id)
  // the list of Projects shows a key of an Environment the Project around it
  const scope = body.agentRuns ? who.scope : { ...who.scope, environment: null, agent: null }
  const wanted = all.filter((id) => reaches(facts, { ...who, scope }, permission, facts.places.get(id)))
  expect(listed.toSorted()).toEqual(wanted.toSorted())
}

function scopeOf({ bound, project: at, nth }: Extract<Step, { do: 'addKey' }>): Credential['scope'] {
  const { tree } = world
  const has = (...levels: string[]) => levels.includes(bound)
  return {
    project: has('nothing') ? null : (tree.projects[at] as string),
    environment: has('environment', 'both') ? (tree.environments[at]?.[nth] as string) : null,
    agent: has('agent', 'both') ? (tree.agents[at]?.[nth] as string) : null,
  }
}

/** The previous question: repeated after a change, while its answer may be cached. */
let last: [Held, Operation, Target] | undefined

async function change(step: Exclude<Step, { do: 'ask' }>): Promise<void> {
  const { users, groups, tree } = world
  const user = 'user' in step ? (users[step.user] as string) : ''
  switch (step.do) {
    case 'addKey':
      return world.addKey(user, step.operations, scopeOf(step))
    case 'revoke':
      return world.revoke(credential(step.who))
    case 'setRole':
      return world.setRole(user, step.role)
    case 'setInGroup':
      return world.setInGroup(user, groups[step.group] as string, step.isIn)
    case 'grant': {
      const subject = [...users, ...groups][step.subject] as string
      return world.grant(subject, tree.projects[step.project] as string, step.permissions)
    }
    case 'ungrant':
      return world.ungrant(step.which)
  }
}

async function take(step: Step): Promise<void> {
  if (step.do === 'ask') {
    const who = credential(step.who)
    last = [who, step.operation, targetOf(step.path, who)]
    return ask(...last)
  }
  if (last && step.do === 'revoke') last = [credential(step.who), last[1], last[2]]
  if (last) await ask(...last)
  await change(step)
  if (last) await ask(...last)
}

test('everybody gets the answers of the contract, also right after any change of authority', async () => {
  const { failed, errorInstance } = await fc.check(
    fc.asyncProperty(fc.array(steps, { minLength: 60, maxLength: 60 }), async (taken) => {
      for (const step of taken) await take(step)
    }),
    { seed: 20_260_131, numRuns: 20, endOnFailure: true },
  )
  if (failed) throw errorInstance
  const all = [...heard.values()].flat()
  expect(all.length).toBeGreaterThan(1_000)
  expect(all.filter((status) => status === 401).length).toBeGreaterThan(20)
  // each level was both allowed and refused
  for (const level of new Set(operations.map((operation) => operation.level))) {
    const ofLevel = operations.filter((operation) => operation.level === level)
    const allowed = ofLevel.filter(({ name, ok }) => heard.get(name)?.includes(ok))
    const refused = ofLevel.filter(({ name }) => heard.get(name)?.some((status) => status === 403 || status === 404))
    expect({ level, allowed: allowed.length > 0, refused: refused.length }).toEqual({
      level,
      allowed: true,
      refused: ofLevel.length,
    })
  }
})
