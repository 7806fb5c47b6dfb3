/**
 * Several servers on one PostgreSQL and one Redis under load, while any of them fails at random: see `faults.ts`. The
 * faults follow from `SEED`, which is printed; `FAULTS` restricts them by a pattern, and `KILLS` is their number.
 * Afterwards everything that was acknowledged is checked from the outside.
 */
import { writeFileSync } from 'node:fs'
import { randomOf } from '../../test/support/seeded-random.ts'
import type { Plan } from '../compare.ts'
import { send } from '../environments.ts'
import { type Bank, startBank } from '../faults/bank.ts'
import { Caller } from '../faults/caller.ts'
import { type Fault, faultsOfAll, faultsOfServers } from '../faults/faults.ts'
import { type Member, Members } from '../faults/members.ts'
import { type Place, preparedPlace } from '../faults/place.ts'
import { problemsOf, unsettled } from '../faults/store-checks.ts'
import { Work } from '../faults/work.ts'
import { until } from '../load.ts'
import type { Row } from '../report.ts'

const clients = 6
const pauseMsMax = 4_000
const patienceMs = 120_000

const settings = {
  TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
  TROUPE_ATTEMPT_BACKOFF_MS: '10',
  TROUPE_LEASE_TTL_MS: '6000',
  TROUPE_WEBHOOK_BACKOFF_MS: '100,200,400,800,1600,3200,6400,6400,6400,6400,6400,6400',
  TROUPE_WEBHOOK_TIMEOUT_MS: '5000',
  TROUPE_WEBHOOK_LEASE_MS: '10000',
}

const log = (line: string) => void process.stderr.write(`\n${line}`)

export async function faultsOfSeveral(plan: Plan, servers: number): Promise<Row[]> {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
  const count = Number(process.env.KILLS ?? (plan.quick ? 3 : 40))
  log(`SEED=${seed}`)
  const bank = startBank()
  const members = await Members.start(servers, settings)
  try {
    const place = await preparedPlace(serverAt(members, 0), bank.url)
    const caller = new Caller(members)
    const work = new Work(caller, place, seed)
    work.begin(clients)
    await happen(members, seed, count)
    await members.untilReady()
    await work.end()
    log(`Repeated: ${[...caller.repeated].map(([why, times]) => `${times} × ${why}`).join(', ')}`)
    const late = await unsettledAtLast(members, place, work, bank)
    if (late.length === 0) await work.untilFollowed()
    const all = members.all.map(({ server }) => server)
    const problems = [
      ...caller.problems,
      ...members.unexpectedErrors(),
      ...late,
      ...(await problemsOf(all, place, work, bank)),
    ]
    if (problems.length > 0)
      throw new Error(`SEED=${seed}: ${problems.length} errors:\n${problems.slice(0, 40).join('\n')}`)
    const again = [...bank.deliveries.values()].filter((times) => times > 1).length
    return [
      {
        what: `${count} random faults of ${servers} servers, PostgreSQL and Redis, ${clients} clients (seed ${seed})`,
        value: `${work.runs.length + work.turns.size} runs and ${work.workflows.size} workflow runs acknowledged: none lost, none twice, no call made twice that must not be; ${bank.deliveries.size} events delivered, ${again} of them repeatedly`,
      },
    ]
  } finally {
    if (process.env.LOG_FILE) writeFileSync(process.env.LOG_FILE, members.log.join('\n'))
    await members.stop()
    bank.stop()
  }
}

const serverAt = (members: Members, number: number) => (members.all[number] as Member).server

/** Lets so many faults happen, one after the other; a third of them together with one of another server. */
async function happen(members: Members, seed: number, count: number): Promise<void> {
  const pattern = new RegExp(process.env.FAULTS ?? '')
  const matching = (of: Record<string, Fault>) => Object.entries(of).filter(([name]) => pattern.test(name))
  const ofServers = matching(faultsOfServers)
  const chosen = [...ofServers, ...matching(faultsOfAll)]
  const seeds = randomOf(seed)
  for (let number = 1; number <= count; number += 1) {
    // numbers of its own, however many an earlier fault has used
    const random = randomOf(seeds() * 1e9)
    const one = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    await Bun.sleep(random() * pauseMsMax)
    const startedAt = performance.now()
    const begin = (member: Member, [name, fault]: [string, Fault]) => ({
      name: `${member.name}: ${name}`,
      end: fault({ members, member, random: randomOf(random() * 1e9) }),
    })
    const member = one(members.all)
    const happening = [begin(member, one(chosen))]
    const others = members.all.filter((each) => each !== member)
    if (random() < 0.3 && ofServers.length > 0 && others.length > 0) {
      await Bun.sleep(random() * 2_000)
      happening.push(begin(one(others), one(ofServers)))
    }
    await Promise.all(happening.map(({ end }) => end))
    if (random() < 0.7) await members.untilReady()
    const names = happening.map(({ name }) => name).join(' + ')
    log(`${number}. ${names}, ${Math.round(performance.now() - startedAt)} ms`)
  }
}

/** Waits until everything has ended and every event has arrived; returns what has not in time. */
async function unsettledAtLast(members: Members, place: Place, work: Work, bank: Bank): Promise<string[]> {
  const startedAt = performance.now()
  // its ticks would change what is counted later
  await send(serverAt(members, 0), 'PATCH', `${place.path}/agent-jobs/${place.jobId}`, { enabled: false })
  let left: string[] = []
  const isSettledNow = async () => {
    await work.settle()
    left = await unsettled(serverAt(members, 0), place, bank)
    return left.length === 0
  }
  await until('the end of everything', patienceMs, isSettledNow, 500).catch(() => {})
  log(`Settled after ${Math.round(performance.now() - startedAt)} ms, ${left.length} are not`)
  return left.map((what) => `Not settled in time: ${what}`)
}
