/**
 * A week of an organization: everything that expires is created, an organization and a Project are deleted, and two
 * days pass until the process is killed. Arguments: the folder of the store, the number of the week. Prints what it created.
 */
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { newOrganization } from '../../support/world/organizations.ts'
import { echoOperation, placesAt } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openWeek, type Week, type World, weekMs, wordOf } from './world.ts'

const [folder = '', number = '0'] = process.argv.slice(2)
const word = wordOf(Number(number))
const clock = new HandClock()
clock.step(Number(number) * weekMs)

/** An Environment with an Agent, operations on entities, a workflow and a webhook. */
async function serving(world: World) {
  const place = await (await placesAt(world.owner)).place()
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
  const echo = { kind: 'operation', name: 'echo', operation: 'shop.echo' }
  const agent = await world.agent(place, { tools: [echo, ask] }, ['shop.echo', 'shop.keep', 'shop.drop'])
  const onThing = (action: string) => ({ effect: 'write', handler: { type: 'entity', entity: 'thing', action } })
  const operations = [
    echoOperation(),
    echoOperation('keep', onThing('create')),
    echoOperation('drop', onThing('delete')),
  ]
  const schema = { type: 'object' }
  const steps = [{ id: 'echo', operation: 'shop.echo', input: { word: '{{params.word}}' } }]
  const definitions = [
    await world.operations(place, 'shop', operations),
    await world.define(place, 'thing', 'entity', { schema, states: { initial: 'kept', states: { kept: {} } } }),
    await world.define(place, 'flow', 'workflow', { params: schema, steps }),
  ]
  await world.connection(place, agent.agentId)
  await data(
    place.owner.post(`${place.path}/webhooks`, {
      endpointUrl: `${world.shop.url}/hook`,
      eventTypes: ['run.completed'],
    }),
  )
  await world.serve(place, [agent], definitions)
  return { place, agentId: agent.agentId }
}

/** Runs, a conversation, invocations, a workflow run and an entity; returns the runs that have ended. */
async function work(world: World): Promise<Omit<Week, 'doomed'>> {
  const { place, agentId } = await serving(world)
  const invoke = (name: string, input: object) =>
    data<{ id: string; output: { id: string } }>(
      place.owner.post(`${place.path}/agents/${agentId}/operations/shop.${name}/invoke`, { input }),
    )
  const talk = (query: string, more: object = {}) => world.run(place, agentId, query, more)
  const contents = [{ type: 'text', text: `${word} `.repeat(40_000) }]
  const calling = await talk(`/call echo {"word": "${word}"}\n/say ${word}`, { contents })
  await data(world.owner.post(`/api/v1/agent-runs/${calling.id}/continue`, { query: `/say ${word}` }))
  await world.ended(calling.id, ['completed'])
  const failed = await talk(`/fail ${word}`)
  const threaded = await talk(`/say ${word}`, { threadKey: word })
  const waiting = await talk('/call ask {"text": "Are you still there?"}')
  const invocation = await invoke('echo', { word })
  const { output } = await invoke('keep', { data: { word } })
  await invoke('drop', { id: output.id })
  const flow = { agentId, definitionIdOrName: 'flow', params: { word } }
  const { workflowRunId } = await data<{ workflowRunId: string }>(place.owner.post(`${place.path}/workflows`, flow))
  return {
    path: place.path,
    ended: [calling.id, failed.id, threaded.id],
    waiting: waiting.id,
    invocation: invocation.id,
    workflowRun: workflowRunId,
  }
}

const world = await openWeek(folder, clock)
const week = await work(world)
const doomedPlace = await serving(world)
const doomedRun = await world.run(doomedPlace.place, doomedPlace.agentId, `/say ${word}`)
const other = await newOrganization(world)
const doomedAgent = { agentId: 'agt_system_assistant', query: `/say ${word}` }
const { id: otherRun } = await data(other.client.post('/api/v1/agent-runs', doomedAgent))
await data(world.owner.delete(doomedPlace.place.project))
await data(other.client.delete(`/api/v1/organizations/${other.id}`))
const doomed = [doomedPlace.place.projectId, doomedRun.id, otherRun]
process.stdout.write(`${JSON.stringify({ ...week, doomed })}\n`)
for (let hours = 0; ; hours += 1) {
  if (hours < 48) clock.advance(3_600_000)
  await Bun.sleep(5)
}
