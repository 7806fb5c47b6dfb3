/** With 100,000 stored runs: lists of them, and whether a run's life has become any longer than in an empty store. */
import { compare, medians, type Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { type Load, load } from '../load.ts'
import { loadRow, type Row } from '../report.ts'
import { seedStore, summarizer } from '../seed.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { ask, getJson, lifecycle, runsPath } from '../troupe.ts'

const clients = 32

interface RunPage {
  agentRuns: { id: string; state: string; agentId: string }[]
}

/** The query, and what each run on the page must be. */
const pages: [what: string, query: string, fits: (run: RunPage['agentRuns'][number]) => boolean][] = [
  ['first page', '', () => true],
  ['first page, by state', '?states=failed', ({ state }) => state === 'failed'],
  ['first page, by agent', `?agentId=${summarizer}`, ({ agentId }) => agentId === summarizer],
]

export async function lists(plan: Plan): Promise<Row[]> {
  const stored = plan.quick ? 2_000 : 100_000
  const rows: Row[] = []
  const folder = freshFolder()
  const key = await seedStore(folder, stored)
  const full = await startTroupe({ folder, key })
  for (const [what, query, fits] of pages) {
    const path = `${runsPath}${query}`
    const { agentRuns } = await getJson<RunPage>(full, path)
    if (agentRuns.length !== 20 || !agentRuns.every(fits)) throw new Error(`GET ${path} has the wrong runs.`)
    for (const { id } of agentRuns) await assertWhole(full, id)
    const bytes = requestBytes('GET', path, { key })
    const rounds: Load[] = []
    for (let round = 0; round < plan.rounds; round += 1) {
      const operation = async (connection: Parameters<typeof ask>[0]) => void (await ask(connection, bytes))
      rounds.push(await load({ port: full.port, clients, durationMs: plan.roundMs }, operation))
    }
    rows.push(loadRow(`list of ${stored.toLocaleString('en-US')} runs, ${what}, ${clients} clients`, medians(rounds)))
  }

  const emptyFolder = freshFolder()
  const empty = await startTroupe({ folder: emptyFolder })
  const { ours, ratio } = await compare(
    plan,
    clients,
    { port: full.port, operation: lifecycle(full) },
    { port: empty.port, operation: lifecycle(empty) },
  )
  await Promise.all([full.stop(), empty.stop()])
  for (const used of [folder, emptyFolder]) removeFolder(used)
  rows.push({
    ...loadRow(`lifecycle, ${stored.toLocaleString('en-US')} runs stored, ${clients} clients`, ours),
    ratio,
    baseline: 'lifecycle, empty store',
    aim: 'within 10 %',
    met: ratio >= 0.9,
  })
  return rows
}

/** Throws unless the run's stream can be read to its end, from the journal, steps and checkpoints that are stored. */
async function assertWhole({ port, key }: Server, id: string) {
  const path = `${runsPath}/${id}/stream?after=0`
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } })
  const text = await answer.text()
  for (const event of ['run.transition', 'step.started', 'end']) {
    if (!text.includes(`event: ${event}\n`)) throw new Error(`GET ${path} lacks ${event}.`)
  }
}
