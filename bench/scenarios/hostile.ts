/**
 * How one organization, or an unauthenticated client, can affect another: the longest wait of `GET /healthz` and of a
 * run start of an unrelated organization during requests designed to block the server.
 */
import type { Plan } from '../compare.ts'
import type { Assault, Attack } from '../hostile/attack.ts'
import { assaultInThread } from '../hostile/attacker.ts'
import { bodyAttacks } from '../hostile/bodies.ts'
import { floodAttacks } from '../hostile/floods.ts'
import { readAttacks } from '../hostile/reads.ts'
import { schemaAttacks } from '../hostile/schemas.ts'
import { openTenants, type Tenants } from '../hostile/tenants.ts'
import { workflowAttacks } from '../hostile/workflows.ts'
import { Connection } from '../http-client.ts'
import { percentiles } from '../load.ts'
import type { Row } from '../report.ts'

const waitMsMax = 100
/** Pauses between the requests of the working organization: it stays far below its own rate limit. */
const healthEveryMs = 10
const startEveryMs = 40

export async function hostile(plan: Plan): Promise<Row[]> {
  const attackMs = plan.quick ? 500 : 4_000
  const rows: Row[] = []
  // the first row is the wait without an attack
  const quiet: Attack = { what: 'nothing', prepare: async () => undefined }
  for (const attack of [quiet, ...schemaAttacks, ...bodyAttacks, ...readAttacks, ...workflowAttacks, ...floodAttacks]) {
    // a new server for each, without effects of the previous attack
    const tenants = await openTenants()
    try {
      rows.push(await underAttack(tenants, attack, attackMs))
    } finally {
      await tenants.stop()
    }
  }
  return rows
}

async function underAttack(tenants: Tenants, attack: Attack, attackMs: number): Promise<Row> {
  const requests = await attack.prepare(tenants.server)
  const over = new AbortController()
  const probes = [
    probe(tenants.server.port, tenants.victim.health, healthEveryMs, over.signal),
    probe(tenants.server.port, tenants.victim.start, startEveryMs, over.signal),
  ]
  await Bun.sleep(100)
  const ended = requests && (await assaultInThread(tenants.server.port, attack, requests, attackMs))
  if (!ended) await Bun.sleep(attackMs)
  // a wait that began at the end counts as well
  await Bun.sleep(200)
  over.abort()
  const [health, starts] = (await Promise.all(probes)) as [number[], number[]]
  const all = [...health, ...starts]
  const [p50Ms, p99Ms] = percentiles(all, [0.5, 0.99])
  const [worstHealth, worstStart] = [Math.max(...health), Math.max(...starts)]
  return {
    what: `beside ${attack.what}`,
    p50Ms: p50Ms as number,
    p99Ms: p99Ms as number,
    value: `worst: health ${Math.round(worstHealth)} ms, start ${Math.round(worstStart)} ms${told(attack, ended)}`,
    aim: `≤ ${waitMsMax} ms`,
    met: Math.max(worstHealth, worstStart) <= waitMsMax,
  }
}

/** The answers to the attack. */
function told({ what }: Attack, ended: Assault | undefined): string {
  if (!ended) return what === 'nothing' ? '' : '; refused when it is published'
  const counts = [...ended.statuses].sort(([a], [b]) => a - b)
  return `; answers: ${counts.map(([status, count]) => `${count} × ${status === 0 ? 'closed' : status}`).join(', ')}`
}

/** The waits of a series of requests, in milliseconds. */
async function probe(port: number, bytes: Uint8Array, everyMs: number, over: AbortSignal): Promise<number[]> {
  const waits: number[] = []
  const connection = await Connection.open(port)
  while (!over.aborted) {
    const sentAt = performance.now()
    const { status } = await connection.request(bytes)
    if (status !== 200) throw new Error(`The organization that works was answered ${status}.`)
    waits.push(performance.now() - sentAt)
    await Bun.sleep(everyMs)
  }
  connection.close()
  return waits
}
