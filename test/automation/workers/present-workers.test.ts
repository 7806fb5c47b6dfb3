/** How long workers are remembered in memory. Source: contract 11, "shows who serves which queue". */
import { expect, test } from 'bun:test'
import { PresentWorkers } from '../../../src/automation/workers/present-workers.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

test('workers that are gone, and their Environments, leave the memory', async () => {
  const store = await openMigrated()
  const clock = new HandClock()
  const present = new PresentWorkers({ store, clock, onError: () => {} })
  const come = (environment: number, name: string) =>
    present.reports({ environmentId: `env_${environment}`, queue: 'billing', workerId: name })

  for (let environment = 0; environment < 50; environment += 1)
    for (let start = 0; start < 20; start += 1) come(environment, `host-${environment}-${start}`)
  expect(present.statistics).toEqual({ workers: 1_000, environments: 50 })
  clock.advance(30_000)
  come(0, 'host-0-0')
  clock.advance(31_000)
  come(50, 'new')
  expect(present.statistics).toEqual({ workers: 2, environments: 2 })
  store.close()
})
