/**
 * The statechart of a workflow run against the reference, over random workflows and events. `TROUPE_TEST_WORKFLOWS` is
 * the number of workflows; a failure shows its seed, which `TROUPE_TEST_SEED` repeats.
 */
import { test } from 'bun:test'
import fc from 'fast-check'
import { choices, workflows } from './definitions.ts'
import { Duel } from './duel.ts'

const numRuns = Number(process.env.TROUPE_TEST_WORKFLOWS ?? 6_000)
const seed = process.env.TROUPE_TEST_SEED === undefined ? {} : { seed: Number(process.env.TROUPE_TEST_SEED) }

test('after every event the statechart and the reference agree', () => {
  fc.assert(
    fc.property(workflows, choices, (workflow, chosen) => {
      const duel = new Duel(workflow)
      for (const choice of chosen) duel.next(choice)
    }),
    { numRuns, ...seed, includeErrorInReport: true },
  )
})
