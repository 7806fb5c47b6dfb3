/**
 * The cost of prices and budgets: the processor time of lifecycle on a server with a price file, with and without
 * limits of the run, against the same server without prices.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from '../compare.ts'
import { compareProcessorTime, processorText } from '../processor-time.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, startTroupe } from '../server.ts'
import { lifecycle } from '../troupe.ts'

const clients = 32

const prices = [
  { provider: 'anthropic', model: 'claude-*', inputPerMillion: '3', outputPerMillion: '15', currency: 'USD' },
  { provider: 'sandbox', model: '*', inputPerMillion: '0.25', outputPerMillion: '1.25', currency: 'USD' },
]
const limits = { maxTokens: 1_000_000, maxCost: { amount: '10', currency: 'USD' } }

export async function costs(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  for (const { what, more } of [
    { what: 'prices', more: {} },
    { what: 'prices and limits', more: { limits } },
  ]) {
    const folders = [freshFolder(), freshFolder()] as const
    const file = join(folders[1], 'prices.json')
    writeFileSync(file, JSON.stringify(prices))
    const off = await startTroupe({ folder: folders[0] })
    const on = await startTroupe({ folder: folders[1], settings: { TROUPE_PRICES_FILE: file } })
    const operations = { with: lifecycle(on, undefined, more), without: lifecycle(off) }
    const taken = await compareProcessorTime(plan, clients, { with: on, without: off }, operations)
    await Promise.all([on.stop(), off.stop()])
    for (const folder of folders) removeFolder(folder)
    rows.push({
      what: `lifecycle, ${clients} clients, ${what}`,
      ratio: taken.ratio.serving,
      baseline: 'the time of the serving thread without',
      value: processorText(taken),
    })
  }
  return rows
}
