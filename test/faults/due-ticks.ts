/** Ticks of all jobs of a stopped server that are due at once, while the server is killed again and again. */
import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { eventually, type Server, type Site } from '../support/process.ts'

interface DueTicks {
  /** The server after the kills, which has processed the ticks. */
  server: Server
  /** The only number that a statement returns. */
  count(sql: string): number
  close(): void
}

/**
 * Makes the next tick of each job due, whatever its schedule, and kills the server `rounds` times after `each` further
 * ticks. Then each job waits for the tick after that, and has one record of this one.
 */
export async function killedWhileTicksAreDue(
  site: Site,
  jobsCount: number,
  { rounds, each }: { rounds: number; each: number },
): Promise<DueTicks> {
  // the tick of the coming New Year is due now
  const tick = Date.now()
  const database = new Database(site.storePath)
  database.run('pragma busy_timeout = 5000')
  database.run(
    `update agent_jobs set next_run_at = ${tick}, context = json_set(context, '$.nextRunAt', ${tick}), version = version + 1`,
  )
  database.run(`update timers set due_at = ${tick} where kind = 'agent-job'`)
  const count = (sql: string) => Object.values(database.query<Record<string, number>, []>(sql).get() ?? {})[0] as number
  const dealtWith = () => count(`select count(*) from job_firings where scheduled_for = ${tick}`)

  for (let round = 1; round <= rounds && dealtWith() < jobsCount; round += 1) {
    const running = site.spawn()
    await eventually('the first ticks', () => dealtWith() >= Math.min(jobsCount, round * each))
    await running.end('SIGKILL')
  }
  const server = await site.start()
  await eventually(
    'all of them waiting for the next year',
    () => count(`select count(*) from agent_jobs where state = 'scheduled' and next_run_at > ${tick}`) === jobsCount,
  )
  expect(dealtWith()).toBe(jobsCount)
  return { server, count, close: () => database.close() }
}
