/** A whole run as its client sees it: the start, then the stream until `end`; embedded runner, sandbox model. */
import { compare, type Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { loadRow, type Row } from '../report.ts'
import { freshFolder, removeFolder, startBare, startTroupe } from '../server.ts'
import { assistant, lifecycle as life, same } from '../troupe.ts'

export async function lifecycle(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const clients of [1, 32, 256]) {
    const folder = freshFolder()
    const troupe = await startTroupe({ folder })
    const bare = await startBare(folder)
    const post = requestBytes('POST', '/items', { body: { agentId: assistant, query: 'How are you?' } })
    const { ours, ratio } = await compare(
      plan,
      clients,
      { port: troupe.port, operation: life(troupe) },
      { port: bare.port, operation: same(post) },
    )
    await Promise.all([troupe.stop(), bare.stop()])
    removeFolder(folder)
    const aim = clients === 32 ? { aim: '≥ 10 %', met: ratio >= 0.1 } : {}
    rows.push({ ...loadRow(`lifecycle, ${clients} clients`, ours), ratio, baseline: 'bare POST', ...aim })
  }
  return rows
}
