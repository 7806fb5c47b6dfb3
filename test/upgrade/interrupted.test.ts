/** A server that is killed during an upgrade leaves a store that the next start upgrades. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../storage/migrations.ts'
import { openTroupe } from '../support/troupe.ts'
import { ShiftedClock } from './clock.ts'
import { oldStores, putOldStore } from './stores.ts'

const old = oldStores.find(({ areas, killed }) => areas.includes('automation') && !killed)!

const historyOf = (file: string) => {
  const database = new Database(file)
  try {
    return database.query<{ name: string }, []>('select name from kysely_migration order by name').values().flat()
  } finally {
    database.close()
  }
}

test.each([
  ['the first', 0],
  ['the third', 2],
  ['the last', -1],
])('killed after %s of its migrations', async (_, before) => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-interrupted-'))
  try {
    const file = join(folder, 'troupe.db')
    const { key, masterKeys, madeAt, reads } = await putOldStore(old, file)
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'interrupted.ts'), file, String(before)], {
      env: { PATH: process.env.PATH ?? '' },
      stderr: 'pipe',
    })
    const said = await new Response(child.stderr).text()
    await child.exited
    expect({ signal: child.signalCode, said }).toEqual({ signal: 'SIGKILL', said: '' })
    expect(historyOf(file).length).toBeLessThan(Object.keys(migrations).length)

    const clock = new ShiftedClock(Date.parse(madeAt))
    const environment = { TROUPE_MASTER_KEYS: masterKeys, TROUPE_RUNNER: 'none' }
    const troupe = await openTroupe({ folder, clock, environment })
    try {
      for (const { path } of reads) expect((await troupe.as(key).get(path)).status).toBe(200)
      expect(historyOf(file)).toEqual(Object.keys(migrations).sort())
    } finally {
      await troupe.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
