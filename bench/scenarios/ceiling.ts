/** The limit of the load generator: a route that does nothing. Results near it measure the generator. */
import { medians, type Plan } from '../compare.ts'
import { requestBytes } from '../http-client.ts'
import { type Load, load } from '../load.ts'
import { loadRow, type Row } from '../report.ts'
import { freshFolder, removeFolder, startBare } from '../server.ts'
import { same } from '../troupe.ts'

export async function ceiling(plan: Plan): Promise<Row[]> {
  const folder = freshFolder()
  const bare = await startBare(folder)
  const rows: Row[] = []
  for (const clients of [1, 32, 256]) {
    const rounds: Load[] = []
    for (let round = 0; round < plan.rounds; round += 1) {
      const options = { port: bare.port, clients, durationMs: plan.roundMs }
      rounds.push(await load(options, same(requestBytes('GET', '/nothing'))))
    }
    rows.push(loadRow(`bare route that does nothing, ${clients} clients`, medians(rounds)))
  }
  await bare.stop()
  removeFolder(folder)
  return rows
}
