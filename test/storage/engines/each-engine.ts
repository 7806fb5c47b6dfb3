/** The storage suite: runs the same tests on each engine, each test with an empty store. */
import { afterEach, beforeEach, describe } from 'bun:test'
import { dueTimers, insertTimer } from '../../../storage/runtime/actors.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { engines, type Place } from './engines.ts'

interface Opened {
  place: Place
  store: Store
  /** Reopens the store after the test has closed it. */
  reopen(): Promise<void>
  timer(actorId: string, dueAt?: number): Write
  /** The actors that have timers in the store. */
  stored(): Promise<string[]>
}

export const onEachEngine = (tests: (opened: Opened) => void) =>
  describe.each(engines)('$name', (engine) => {
    const opened = {
      async reopen() {
        opened.store = await openMigrated(opened.place.address)
      },
      timer: (actorId, dueAt = 1) =>
        insertTimer(opened.store, { kind: 'note', actor_id: actorId, name: 'due', due_at: dueAt }),
      async stored() {
        const timers = dueTimers(opened.store, { now: Number.MAX_SAFE_INTEGER, limit: 100_000 })
        return (await opened.store.all(timers)).map(({ actor_id }) => actor_id).toSorted()
      },
    } as Opened
    beforeEach(async () => {
      opened.place = await engine.place()
      await opened.reopen()
    })
    afterEach(async () => {
      await opened.store.close()
      await opened.place.remove()
    })
    tests(opened)
  })
