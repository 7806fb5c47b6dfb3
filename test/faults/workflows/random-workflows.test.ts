/**
 * A server is killed at random moments while it runs random workflows with steps of all kinds. Each run comes to one of
 * the ends that the reference allows, nothing that it did is lost, and nothing is repeated that must not be.
 * `TROUPE_TEST_KILLS` is the number of kills; a failure shows the seed of the workflows, which `TROUPE_TEST_SEED` repeats.
 */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { type Receiver, receiver } from '../../events/webhooks/world.ts'
import { Reference } from '../../machines/workflow-run/reference/reference.ts'
import type { Workflow } from '../../machines/workflow-run/reference/unit.ts'
import type { Client } from '../../support/client.ts'
import { endAll, eventually, Site } from '../../support/process.ts'
import { child, succeeds, workflows } from './random-workflows/definitions.ts'
import { endOfRun, problemsOf } from './random-workflows/effects.ts'
import { endsOf } from './random-workflows/ends.ts'
import { hasEnded, People, type Planned } from './random-workflows/people.ts'
import { serve } from './served-workflows.ts'

const kills = Number(process.env.TROUPE_TEST_KILLS ?? 2)
const runsOfEach = 8
const workflowsMax = 40
const seed = Number(process.env.TROUPE_TEST_SEED ?? Math.floor(Math.random() * 1e9))

setDefaultTimeout(600_000 + kills * 20_000)
let site: Site | undefined
let shop: Receiver | undefined
afterAll(async () => {
  await endAll()
  shop?.stop()
  await site?.remove()
})

/** A shop whose answers depend on the path and on how many invocations have asked before. */
function openShop(): Receiver {
  const invocations = new Map<string, string[]>()
  return receiver(async ({ path, headers }) => {
    const key = headers['idempotency-key'] ?? ''
    const known = invocations.get(path) ?? []
    if (!known.includes(key)) invocations.set(path, [...known, key])
    const nth = invocations.get(path)!.indexOf(key) + 1
    await Bun.sleep(Math.random() * 25)
    return succeeds(path, nth) ? Response.json({ path }) : new Response(null, { status: 402 })
  })
}

test(`killed at random moments, runs end as the reference says (seed ${seed})`, async () => {
  const defined = fc.sample(workflows, { numRuns: workflowsMax, seed })
  const plans: (Planned & { of: Workflow; ends: Set<string> })[] = []
  for (let count = 0; plans.length < runsOfEach * (kills + 1); count += 1) {
    const name = `r${count}`
    const of = defined[count % workflowsMax]!
    const isCanceled = count % 6 === 5
    const ends = endsOf(new Reference(of, 2, 0), name, isCanceled)
    if (ends) plans.push({ name, workflow: `w${count % workflowsMax}`, isCanceled, of, ends })
  }

  site = await Site.create({ TROUPE_RUNNER: 'none', TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' })
  shop = openShop()
  let server = await site.start()
  const used = new Map(plans.map(({ workflow, of }) => [workflow, of]))
  const served = await serve(server.client, shop, { ...Object.fromEntries(used), child })
  const people = new People(served, shop)
  for (let round = 0; round < kills; round += 1) {
    let isUp = true
    const some = plans.slice(0, (round + 1) * runsOfEach)
    const attended = attending(server.client, () => isUp && some)
    await eventually('the start of all', () => some.every(({ id }) => id !== undefined))
    await Bun.sleep(Math.random() * 150)
    isUp = false
    await server.end('SIGKILL')
    await attended
    server = await site.start()
  }
  let isUp = true
  const attended = attending(server.client, () => isUp && plans)
  await eventually('the end of all runs', () => plans.every(hasEnded))
  isUp = false
  await attended

  const problems = plans.flatMap(({ name, of, ends, last }) => {
    const end = endOfRun(last!, of)
    const isAllowed = ends.has(end)
    const wrong = [...(isAllowed ? [] : [`ended ${end}; allowed are ${[...ends].join(', or ')}`])]
    wrong.push(...problemsOf(last!, name, of, shop!.received))
    return wrong.map((problem) => `${name}: ${problem}\n${JSON.stringify(of.steps)}`)
  })
  expect([seed, problems]).toEqual([seed, []])
  expect(await server.end('SIGTERM')).toBe(0)

  async function attending(client: Client, runs: () => Planned[] | false) {
    for (let some = runs(); some; some = runs()) {
      // the server may be killed at any time
      await people.attend(client, some).catch(() => {})
      await Bun.sleep(10)
    }
  }
})
