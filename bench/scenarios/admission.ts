/**
 * Durable admission: authenticated `POST /agent-runs`, on a default server, whose runner works meanwhile, and without a
 * runner.
 */
import { compare, type Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { loadRow, type Row } from '../report.ts'
import { freshFolder, removeFolder, startBare, startTroupe } from '../server.ts'
import { assistant, same, startBytes } from '../troupe.ts'

const query = 'How are you?'

/** Share of the bare route at 32 clients. */
const aims: Record<string, number> = { embedded: 0.4, none: 0.6 }

const sides: [clients: number, runner: 'embedded' | 'none'][] = [
  [1, 'embedded'],
  [32, 'embedded'],
  [256, 'embedded'],
  [32, 'none'],
]

export async function admission(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const [clients, runner] of sides) {
    const folder = freshFolder()
    const troupe = await startTroupe({ folder, settings: { TROUPE_RUNNER: runner } })
    const bare = await startBare(folder)
    const { ours, baseline, ratio } = await compare(
      plan,
      clients,
      { port: troupe.port, operation: same(startBytes(troupe.key, query)) },
      { port: bare.port, operation: same(requestBytes('POST', '/items', { body: { agentId: assistant, query } })) },
    )
    await Promise.all([troupe.stop(), bare.stop()])
    removeFolder(folder)
    const least = aims[runner] as number
    const aim = clients === 32 ? { aim: `≥ ${least * 100} %`, met: ratio >= least } : {}
    const what = runner === 'none' ? 'no runner' : 'its runner at work'
    rows.push(loadRow(`bare POST, ${clients} clients`, baseline))
    rows.push({ ...loadRow(`admission, ${clients} clients, ${what}`, ours), ratio, baseline: 'bare POST', ...aim })
  }
  return rows
}
