import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Handler, Operation } from '../../../src/authoring/definitions/source.ts'
import { templates } from '../../../src/authoring/templates/catalogue.ts'
import type { Template } from '../../../src/authoring/templates/template.ts'
import { openWorld, type World } from '../../runs/project/world.ts'
import type { AgentPin, Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { answers, records, requests } from './samples.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

interface Listed {
  id: string
  slug: string
  name: string
  latestRevisionId: string
}
interface Delivered {
  place: Place
  agents: (AgentPin & { slug: string })[]
  definitions: { definitionId: string; definitionRevisionId: string }[]
}
let count = 0

/** Creates a Project from the template, with all its resources, and activates an Environment. */
async function copied({ id: templateId, name }: Template): Promise<Delivered> {
  count += 1
  const { owner } = world
  const { id: projectId } = await data(owner.post('/api/v1/projects', { slug: `delivered-${count}`, name, templateId }))
  const project = `/api/v1/projects/${projectId}`
  const listed = async (what: string) =>
    (await data<{ items: Listed[] }>(owner.get(`${project}/${what}`, { query: { limit: 100 } }))).items
  const environments = (await listed('environments')).map(({ id }) => id) as Place['environments']
  const agents = (await listed('agents')).map(({ id: agentId, slug, latestRevisionId: agentRevisionId }) => ({
    agentId,
    agentRevisionId,
    slug,
  }))
  const definitions = (await listed('definitions')).map(({ id: definitionId, latestRevisionId }) => ({
    definitionId,
    definitionRevisionId: latestRevisionId,
  }))
  const at = { owner, organizationId: world.ours, projectId, project, environments }
  return { place: await world.inEnvironment(at, environments[0]), agents, definitions }
}

const operationsOf = ({ definitions }: Template): [string, Operation][] =>
  definitions.flatMap(({ name, source }) =>
    'operations' in source ? source.operations.map((each): [string, Operation] => [`${name}.${each.name}`, each]) : [],
  )

/** The tools of an Agent whose operations have this handler: their names, and the operations behind them. */
function toolsOf(template: Template, slug: string, type: Handler['type']) {
  const handled = new Map(operationsOf(template))
  const { tools = [] } = template.agents.find((agent) => agent.slug === slug)!.content
  return tools.flatMap((tool) =>
    tool.kind === 'operation' && handled.get(tool.operation)?.handler.type === type ? [tool] : [],
  )
}

const say = (template: Template, slug: string) => JSON.stringify(answers[`${template.slug}/${slug}`]?.fits ?? 'Done.')
const each = templates.map((template) => ({ slug: template.slug, template }))

test.each(each)(
  '$slug: its resources make a Release, a Deployment without Connections, and runs that complete',
  async ({ template }) => {
    const { place, agents, definitions } = await copied(template)
    expect(agents).toHaveLength(template.agents.length)
    expect(definitions).toHaveLength(template.definitions.length)
    await world.serve(place, agents, definitions)

    for (const { agentId, slug } of agents) {
      const tools = toolsOf(template, slug, 'echo')
      const calls = tools.map(({ name, operation }) => `/call ${name} ${JSON.stringify(records[operation])}`)
      const run = await world.run(place, agentId, [...calls, `/say ${say(template, slug)}`].join('\n'))
      expect(run).toMatchObject({ state: 'completed', stateReason: null, stopReason: 'end_turn' })
      const made = (await world.steps(run.id)).filter(({ kind }) => kind === 'tool')
      expect(made.map(({ name, status, output }) => ({ name, status, output }))).toEqual(
        tools.map(({ name, operation }) => ({ name, status: 'completed', output: records[operation] })),
      )
    }
  },
)

const asking = templates.flatMap((template) =>
  template.agents
    .filter(({ slug }) => toolsOf(template, slug, 'http').length > 0)
    .map(({ slug }) => ({ agent: `${template.slug}/${slug}`, slug, template })),
)

describe.each(asking)('$agent, which calls services,', ({ template, slug }) => {
  const tools = toolsOf(template, slug, 'http')
  const { bindings = [] } = template.agents.find((agent) => agent.slug === slug)!.content
  const calls = tools.map(({ name, operation }) => `/call ${name} ${JSON.stringify(requests[operation]?.input)}`)
  const query = [...calls, '/say Done.'].join('\n')

  test('fails with an error while no Connection is bound', async () => {
    const { place, agents, definitions } = await copied(template)
    await world.serve(place, agents, definitions)
    const agent = agents.find((one) => one.slug === slug)!
    const run = await world.run(place, agent.agentId, query)
    expect(run).toMatchObject({ state: 'completed' })
    const made = (await world.steps(run.id)).filter(({ kind }) => kind === 'tool')
    expect(made.map(({ status, error }) => [status, error?.code])).toEqual(tools.map(() => ['failed', 'tool_error']))
  })

  test('sends the requests of its operations over the bound Connection', async () => {
    const { place, agents, definitions } = await copied(template)
    const agent = agents.find((one) => one.slug === slug)!
    for (const { bindingKey } of bindings) await world.connection(place, agent.agentId, {}, { bindingKey })
    await world.serve(place, agents, definitions)
    world.shop.asked.length = 0
    world.shop.answer = ({ path }) => Response.json({ path })
    const run = await world.run(place, agent.agentId, query)
    expect(run).toMatchObject({ state: 'completed' })
    const asked = tools.map(({ operation }) => requests[operation]?.asks)
    expect(world.shop.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(asked.map((path) => `GET ${path}`))
    const made = (await world.steps(run.id)).filter(({ kind }) => kind === 'tool')
    expect(made.map(({ output }) => output)).toEqual(asked.map((path) => ({ path })))
  })
})

test('every executable operation of a template is a tool of one of its Agents, and is called by the tests above', () => {
  for (const type of ['echo', 'http'] as const) {
    const all = templates.flatMap((template) =>
      operationsOf(template).flatMap(([name, { handler }]) => (handler.type === type ? [name] : [])),
    )
    const offered = templates.flatMap((template) =>
      template.agents.flatMap(({ slug }) => toolsOf(template, slug, type).map(({ operation }) => operation)),
    )
    expect(offered.sort()).toEqual(all.sort())
    expect(Object.keys(type === 'echo' ? records : requests).sort()).toEqual(all.sort())
  }
})
