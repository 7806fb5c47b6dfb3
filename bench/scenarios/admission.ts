/** Durable admission: `POST /agent-runs`, authenticated, on a server without a runner, so that nothing else is measured. */
import { compare, type Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { loadRow, type Row } from '../report.ts'
import { freshFolder, removeFolder, startBare, startTroupe } from '../server.ts'
import { assistant, same, startBytes } from '../troupe.ts'

const query = 'How are you?'

export async function admission(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const clients of [1, 32, 256]) {
    const folder = freshFolder()
    const troupe = await startTroupe({ folder, settings: { TROUPE_RUNNER: 'none' } })
    const bare = await startBare(folder)
    const { ours, baseline, ratio } = await compare(
      plan,
      clients,
      { port: troupe.port, operation: same(startBytes(troupe.key, query)) },
      { port: bare.port, operation: same(requestBytes('POST', '/items', { body: { agentId: assistant, query } })) },
    )
    await Promise.all([troupe.stop(), bare.stop()])
    removeFolder(folder)
    const aim = clients === 32 ? { aim: '≥ 60 %', met: ratio >= 0.6 } : {}
    rows.push(loadRow(`bare POST, ${clients} clients`, baseline))
    rows.push({ ...loadRow(`admission, ${clients} clients`, ours), ratio, baseline: 'bare POST', ...aim })
  }
  return rows
}
