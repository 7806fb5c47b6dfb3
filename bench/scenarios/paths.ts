/**
 * How much of the source one command uses: the files and functions that are called from its request until it is done,
 * without those that an idle server calls. It describes the source's shape, not its speed.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from '../compare.ts'
import { deployAgent, send } from '../environments.ts'
import { until } from '../load.ts'
import { Receiver } from '../receiver.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { assistant, runsPath } from '../troupe.ts'

const idleMs = 6_000
const settledMs = 1_000

export async function paths(_: Plan): Promise<Row[]> {
  const folder = freshFolder()
  const file = join(folder, 'called.txt')
  const server = await startTroupe({
    folder,
    preload: ['count-functions.ts'],
    settings: { COUNT_FUNCTIONS_FILE: file, TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' },
  })
  const receiver = new Receiver()
  const called = () => calledSince(server, file)
  try {
    const { path, agentId, environmentId } = await deployAgent(server, 'shop')
    const start = () => send(server, 'POST', runsPath, { agentId: assistant, query: 'How are you?' })
    const deliver = async () => {
      const before = receiver.received
      await send(server, 'POST', runsPath, { agentId, environmentId, query: 'How are you?' })
      await until('a delivery', 10_000, async () => receiver.received > before)
    }
    const { releaseId, configurationRevisionId } = (await deployments(server, path))[0]!
    const deploy = () => send(server, 'POST', `${path}/deployments`, { releaseId, configurationRevisionId })

    await start()
    const idle = await after(idleMs, called)
    const admission = await measured(start, called)
    await deploy()
    await called()
    const deployment = await measured(deploy, called)
    const { signingSecret } = await send<{ signingSecret: string }>(server, 'POST', `${path}/webhooks`, {
      endpointUrl: receiver.url('paths'),
      eventTypes: ['run.created'],
    })
    receiver.expect('paths', signingSecret)
    await deliver()
    await called()
    const delivery = await measured(deliver, called)
    return [
      row('POST agent-runs', admission, idle),
      row('a Deployment until it is ready', deployment, idle),
      row('a run of an Environment and the delivery of its event', delivery, idle),
    ]
  } finally {
    await server.stop()
    receiver.stop()
    removeFolder(folder)
  }
}

const deployments = async (server: Server, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}/deployments`, {
    headers: { authorization: `Bearer ${server.key}` },
  })
  return ((await answer.json()) as { data: { items: { releaseId: string; configurationRevisionId: string }[] } }).data
    .items
}

async function after(ms: number, called: () => Promise<Set<string>>): Promise<Set<string>> {
  await called()
  await Bun.sleep(ms)
  return called()
}

async function measured(act: () => Promise<unknown>, called: () => Promise<Set<string>>): Promise<Set<string>> {
  await called()
  await act()
  await Bun.sleep(settledMs)
  return called()
}

/** The functions called since the last query. */
async function calledSince({ pid }: Server, file: string): Promise<Set<string>> {
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  await until('the functions', 10_000, async () => existsSync(file))
  return new Set(readFileSync(file, 'utf8').split('\n'))
}

function row(what: string, called: Set<string>, idle: Set<string>): Row {
  const functions = [...called].filter((name) => !idle.has(name))
  const files = new Set(functions.map((name) => name.split(':')[0]))
  if (process.env.BENCH_PATHS) process.stderr.write(`${what}\n  ${functions.join('\n  ')}\n`)
  return { what: `path: ${what}`, value: `${functions.length} functions of ${files.size} files` }
}
