/**
 * Events on their way to webhooks: runs are admitted, each creates the event `run.created` of its Environment, and a
 * receiver in this process verifies every signature before it answers 2xx. First at the largest rate, then at a low
 * one, for the delay of each; then a backlog drains while another client uses the API. The server has no runner, so
 * that nothing else is measured.
 */
import type { Plan } from '../compare.ts'
import { type DeployedEnvironment, deployAgent, send } from '../environments.ts'
import { requestBytes } from '../http-client.ts'
import { each, type Load, load, percentiles, until } from '../load.ts'
import { Receiver } from '../receiver.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startBare, startTroupe } from '../server.ts'
import { assistant, metric, runsPath, same, startRun } from '../troupe.ts'

/** The maximum of an Environment. */
const webhooksOfEnvironment = 20
const clients = 32
const patienceMs = 240_000

export async function webhooks(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const subscriptions of [1, 10, 100]) rows.push(...(await delivered(plan, subscriptions)))
  return [...rows, ...(await drained(plan))]
}

interface World {
  server: Server
  receiver: Receiver
  environments: DeployedEnvironment[]
  stop(): Promise<void>
}

/** A server with this many webhooks in all its Environments. */
async function openWorld(subscriptions: number, settings: Record<string, string> = {}): Promise<World> {
  const folder = freshFolder()
  const server = await startTroupe({
    folder,
    settings: { TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', ...settings },
  })
  const receiver = new Receiver()
  const environments: DeployedEnvironment[] = []
  for (let count = 0; count < subscriptions; count += 1) {
    if (count % webhooksOfEnvironment === 0) environments.push(await deployAgent(server, `shop-${environments.length}`))
    const name = `webhook-${count}`
    const { signingSecret } = await send<{ signingSecret: string }>(
      server,
      'POST',
      `${environments.at(-1)!.path}/webhooks`,
      { endpointUrl: receiver.url(name), eventTypes: ['run.created'] },
    )
    receiver.expect(name, signingSecret)
  }
  return {
    server,
    receiver,
    environments,
    async stop() {
      await server.stop()
      receiver.stop()
      removeFolder(folder)
    },
  }
}

/** Starts this many runs, alternating between the Environments; each is one event. */
async function emit({ server, environments }: World, events: number, atOnce = clients): Promise<void> {
  const requests = environments.map(({ agentId, environmentId }) =>
    requestBytes('POST', runsPath, { key: server.key, body: { agentId, environmentId, query: 'How are you?' } }),
  )
  const turns = Array.from({ length: events }, (_, turn) => requests[turn % requests.length]!)
  await each(server.port, atOnce, turns, async (connection, bytes: Uint8Array) => {
    await startRun(connection, bytes)
  })
}

const untilReceived = ({ receiver }: World, count: number) =>
  until(`${count} deliveries`, patienceMs, async () => receiver.received >= count)

/** The arrivals per second at the largest rate, and the delay at a low one. */
async function delivered(plan: Plan, subscriptions: number): Promise<Row[]> {
  const world = await openWorld(subscriptions)
  const { receiver, environments } = world
  const ofEach = subscriptions / environments.length
  const wanted = plan.quick ? 400 : 10_000
  const events = Math.ceil(wanted / ofEach)

  const bareFolder = freshFolder()
  const bare = await startBare(bareFolder)
  const body = { agentId: assistant, query: 'How are you?' }
  const barePost = same(requestBytes('POST', '/items', { body }))
  const baseline = await load({ port: bare.port, clients, durationMs: plan.roundMs }, barePost)
  await bare.stop()
  removeFolder(bareFolder)

  await emit(world, clients)
  await untilReceived(world, clients * ofEach)
  receiver.forget()
  const startedAt = performance.now()
  await emit(world, events)
  await untilReceived(world, events * ofEach)
  const perSecond = (events * ofEach) / ((receiver.lastAt - startedAt) / 1_000)

  receiver.forget()
  const few = plan.quick ? 20 : 200
  for (let count = 0; count < few; count += 1) {
    await emit(world, 1, 1)
    await Bun.sleep(25)
  }
  await untilReceived(world, few * ofEach)
  const [p50Ms, p99Ms] = percentiles(receiver.lagsMs, [0.5, 0.99])
  await world.stop()
  return [
    {
      what: `webhooks, ${subscriptions} ${subscriptions === 1 ? 'subscription' : 'subscriptions'}: signed and answered 2xx; commit to receipt at 40 events a second`,
      perSecond,
      p50Ms: p50Ms as number,
      p99Ms: p99Ms as number,
      ratio: perSecond / baseline.perSecond,
      baseline: 'bare POST',
    },
  ]
}

/** A backlog, which an unresponsive receiver has built up, and its effect on others while it drains. */
async function drained(plan: Plan): Promise<Row[]> {
  const backlog = plan.quick ? 2_000 : 100_000
  const world = await openWorld(100, { TROUPE_WEBHOOK_TIMEOUT_MS: '55000' })
  const { server, receiver, environments } = world
  const read = await readerOf(world)
  const idle = await load({ port: server.port, clients: 1, durationMs: plan.roundMs }, read)

  receiver.close()
  await emit(world, Math.ceil((backlog * environments.length) / 100))
  await until('the backlog', patienceMs, async () => (await waiting(server)) >= backlog)
  receiver.forget()
  receiver.open()
  const startedAt = performance.now()
  let isDrained = false
  const drain = untilReceived(world, backlog).then(() => {
    isDrained = true
  })
  const meanwhile: Load[] = []
  while (!isDrained) meanwhile.push(await load({ port: server.port, clients: 1, durationMs: plan.roundMs }, read))
  await drain
  const tookS = (receiver.lastAt - startedAt) / 1_000
  await world.stop()
  const worst = Math.max(...meanwhile.map(({ p99Ms }) => p99Ms))
  return [
    {
      what: `webhooks, ${backlog.toLocaleString('en-US')} pending deliveries of 100 subscriptions drain`,
      perSecond: backlog / tookS,
      value: `${tookS.toFixed(1)} s; a read meanwhile p99 ${worst.toFixed(1)} ms, idle ${idle.p99Ms.toFixed(1)} ms`,
    },
  ]
}

/** Reads a run, as another client would meanwhile. */
async function readerOf({ server, environments }: World) {
  const [first] = environments
  const { id } = await send(server, 'POST', runsPath, {
    agentId: first!.agentId,
    environmentId: first!.environmentId,
    query: 'How are you?',
  })
  return same(requestBytes('GET', `${runsPath}/${id}`, { key: server.key }))
}

/** Deliveries that are not settled. */
const waiting = async (server: Server): Promise<number> =>
  (await metric(server, 'troupe_webhook_deliveries{state="pending"}')) +
  (await metric(server, 'troupe_webhook_deliveries{state="in-flight"}'))
