/**
 * With a million stored runs: pages of lists and statistics over all of them, compared with a tenth of that, and with
 * the time that any answer may take; and whether a run takes any longer than in an empty store.
 */
import { compare, type Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { type Load, load } from '../load.ts'
import { loadRow, type Row } from '../report.ts'
import { type SeededStore, storeOf, summarizer } from '../seed.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { ask, assistant, getJson, lifecycle, runsPath } from '../troupe.ts'

const clients = 32
const answerMsMax = 50
/** The distance of a deep page from the newest run, in pages of 100. */
const pagesBefore = 200

interface RunPage {
  agentRuns: { id: string; state: string; agentId: string; environmentId: string | null }[]
  pagination: { nextCursor?: string }
}
type Run = RunPage['agentRuns'][number]

interface Sought {
  what: string
  path: (store: Filled) => string | Promise<string>
  /** A property of each run on the page; undefined: the page is empty. Omitted: not a list of runs. */
  fits?: ((run: Run, store: SeededStore) => boolean) | undefined
}

/** A server on a seeded store. */
interface Filled extends SeededStore {
  server: Server
}

const runs = (query: string) => `${runsPath}${query}`
const all = () => true
const isFailed = ({ state }: Run) => state === 'failed'
const inPlace = ({ environmentId }: Run, { place }: SeededStore) => environmentId === place.environmentId

const sought: Sought[] = [
  { what: 'first page', path: () => runs(''), fits: all },
  { what: 'first page, by state', path: () => runs('?states=failed'), fits: isFailed },
  {
    what: 'first page, by agent',
    path: () => runs(`?agentId=${summarizer}`),
    fits: (run) => run.agentId === summarizer,
  },
  {
    what: 'first page, by environment',
    path: ({ place }) => runs(`?environmentId=${place.environmentId}`),
    fits: inPlace,
  },
  { what: 'first page, by update', path: () => runs('?sort=updatedAt'), fits: all },
  { what: 'last page', path: () => runs('?order=asc'), fits: all },
  { what: `page ${pagesBefore + 1} of 100 runs`, path: deepPage, fits: all },
  { what: 'nothing matches, by state', path: () => runs('?states=expired') },
  { what: 'nothing matches, by agent and state', path: () => runs(`?agentId=${assistant}&states=failed`) },
  {
    what: 'nothing matches, by environment and state',
    path: ({ place }) => runs(`?environmentId=${place.environmentId}&states=failed`),
  },
  { what: 'nothing matches, by creator', path: () => runs('?createdBy=key_nobody') },
  { what: 'nothing matches, by all and a live state', path: everyFilter },
]

const others: Sought[] = [
  { what: 'population of runs', path: () => '/api/v1/machines/run/population' },
  { what: 'runs longest in a state', path: () => '/api/v1/actors?kind=run&state=failed&olderThanSeconds=3600' },
  { what: 'statistics of 30 days', path: () => runs('/statistics') },
  { what: 'audit log, first page', path: auditLog },
  { what: 'events, first page', path: ({ place }) => `${place.path}/events` },
  { what: '/metrics', path: () => '/metrics' },
]

function everyFilter({ place }: Filled): string {
  const { environmentId } = place
  return runs(`?environmentId=${environmentId}&agentId=${summarizer}&createdBy=key_nobody&states=running,queued`)
}

async function deepPage({ server }: Filled): Promise<string> {
  let query = '?limit=100'
  for (let page = 0; page < pagesBefore; page += 1) {
    const { pagination } = await getJson<RunPage>(server, runs(query))
    if (pagination.nextCursor === undefined) break
    query = `?limit=100&cursor=${encodeURIComponent(pagination.nextCursor)}`
  }
  return runs(query)
}

async function auditLog({ server }: Filled): Promise<string> {
  const { data } = await getJson<{ data: { items: { id: string }[] } }>(server, '/api/v1/organizations')
  return `/api/v1/organizations/${data.items[0]?.id}/audit-events`
}

export async function lists(plan: Plan): Promise<Row[]> {
  const [many, fewer] = plan.quick ? [2_000, 200] : [1_000_000, 100_000]
  const named = many.toLocaleString('en-US')
  const large = await open(many)
  const small = await open(fewer)
  const rows = [await firstScrape(large, named)]
  for (const each of [...sought, ...others]) {
    const [path, smallPath] = [await each.path(large), await each.path(small)]
    if (sought.includes(each)) await assertRight(large, path, each)
    const { ours, ratio } = await compare(
      plan,
      clients,
      { port: large.server.port, operation: asking(large, path) },
      { port: small.server.port, operation: asking(small, smallPath) },
    )
    const alone = await slowest(plan, large, path)
    rows.push({
      ...loadRow(`${named} runs: ${each.what}, ${clients} clients`, ours),
      ratio,
      baseline: `${fewer.toLocaleString('en-US')} runs`,
      value: `one client: ${alone.toFixed(1)} ms at p99`,
      aim: `< ${answerMsMax} ms`,
      met: alone < answerMsMax,
    })
  }
  await small.server.stop()

  const emptyFolder = freshFolder()
  const empty = await startTroupe({ folder: emptyFolder })
  const { ours, ratio } = await compare(
    plan,
    clients,
    { port: large.server.port, operation: lifecycle(large.server) },
    { port: empty.port, operation: lifecycle(empty) },
  )
  await Promise.all([large.server.stop(), empty.stop()])
  removeFolder(emptyFolder)
  rows.push({
    ...loadRow(`lifecycle, ${named} runs stored, ${clients} clients`, ours),
    ratio,
    baseline: 'lifecycle, empty store',
    aim: 'within 10 %',
    met: ratio >= 0.9,
  })
  return rows
}

async function open(stored: number): Promise<Filled> {
  const store = await storeOf(stored)
  return { ...store, server: await startTroupe(store) }
}

const asking =
  ({ key }: Filled, path: string) =>
  async (connection: Parameters<typeof ask>[0]) =>
    void (await ask(connection, requestBytes('GET', path, { key })))

/** Without other load, the time within which all but one of a hundred answers arrive. */
async function slowest(plan: Plan, filled: Filled, path: string): Promise<number> {
  const { p99Ms }: Load = await load(
    { port: filled.server.port, clients: 1, durationMs: plan.roundMs / 2 },
    asking(filled, path),
  )
  return p99Ms
}

/** Queries that have not been sent before. */
async function firstScrape({ server }: Filled, named: string): Promise<Row> {
  const startedAt = performance.now()
  await (await fetch(`http://127.0.0.1:${server.port}/metrics`)).text()
  const tookMs = performance.now() - startedAt
  return {
    what: `${named} runs: first scrape of /metrics`,
    value: `${tookMs.toFixed(1)} ms`,
    aim: `< ${answerMsMax} ms`,
    met: tookMs < answerMsMax,
  }
}

/** Throws unless the page has the expected runs, each with its complete stream. */
async function assertRight(filled: Filled, path: string, { fits }: Sought) {
  const { agentRuns } = await getJson<RunPage>(filled.server, path)
  const isRight = fits ? agentRuns.length >= 20 && agentRuns.every((run) => fits(run, filled)) : agentRuns.length === 0
  if (!isRight) throw new Error(`GET ${path} has the wrong runs.`)
  for (const { id } of agentRuns.slice(0, 20)) await assertWhole(filled.server, id)
}

/** Throws unless the run's stream can be read to its end, from the stored journal, steps and checkpoints. */
async function assertWhole({ port, key }: Server, id: string) {
  const path = `${runsPath}/${id}/stream?after=0`
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const text = await answer.text()
  for (const event of ['run.transition', 'step.started', 'end']) {
    if (!text.includes(`event: ${event}\n`)) throw new Error(`GET ${path} lacks ${event}.`)
  }
}
