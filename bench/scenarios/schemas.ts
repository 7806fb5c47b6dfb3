/**
 * Validations by JSON Schemas: of an ordinary tool's input, in the thread with the proof that it is short and in a
 * worker, against `ajv` alone; and how much longer others wait while another organization's validations time out.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { checkValue, schemaWorkers } from '../../src/platform/json-schemas/checks.ts'
import type { Plan } from '../compare.ts'
import { median, percentiles } from '../load.ts'
import type { Row } from '../report.ts'

const order = {
  type: 'object',
  properties: {
    orderId: { type: 'string', pattern: '^[A-Z]{1,3}-[0-9]{1,9}$', maxLength: 20 },
    email: { type: 'string', format: 'email' },
    lines: {
      type: 'array',
      maxItems: 50,
      items: {
        type: 'object',
        properties: { sku: { type: 'string', minLength: 1 }, count: { type: 'integer', minimum: 1 } },
        required: ['sku', 'count'],
        additionalProperties: false,
      },
    },
  },
  required: ['orderId'],
  additionalProperties: false,
}
const value = {
  orderId: 'AB-1234',
  email: 'someone@example.com',
  lines: [
    { sku: 'A-1', count: 2 },
    { sku: 'B-7', count: 1 },
  ],
}
/** Nothing is proven of schemas with this keyword. */
const unproven = { ...order, unevaluatedProperties: false }
const again = { properties: { a: { $ref: '#' } } }
const costly = { oneOf: [again, again] }
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

export async function schemas(plan: Plan): Promise<Row[]> {
  const ajv = addFormats.default(new Ajv2020({ strict: false }))
  const alone = ajv.compile(order)
  const kinds: [string, () => unknown][] = [
    ['ajv alone', () => alone(value)],
    ['in the thread', () => checkValue(order, value, 'org_bench')],
    ['in a worker', () => checkValue(unproven, value, 'org_bench')],
  ]
  const times = new Map(kinds.map(([name]): [string, number[]] => [name, []]))
  try {
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const [name, check] of kinds) {
        times.set(name, times.get(name)!.concat(await timesOf(check, plan.roundMs)))
      }
    }
    const baseline = median(times.get('ajv alone')!)
    const rows = [...times].map(([name, found]) => row(`check of a tool's input, ${name}`, found, baseline))
    return [...rows, await beside(plan)]
  } finally {
    schemaWorkers.close()
  }
}

/** Milliseconds of each validation, one after the other; the first ones, which compile, do not count. */
async function timesOf(check: () => unknown, roundMs: number): Promise<number[]> {
  for (let time = 0; time < 100; time += 1) await check()
  const found: number[] = []
  for (const until = performance.now() + roundMs; performance.now() < until; ) {
    const startedAt = performance.now()
    await check()
    found.push(performance.now() - startedAt)
  }
  return found
}

function row(what: string, found: number[], baseline?: number): Row {
  const [p50, p99] = percentiles(found, [0.5, 0.99]) as [number, number]
  const micros = (ms: number) => `${(ms * 1_000).toLocaleString('en-US', { maximumFractionDigits: 1 })} µs`
  const times = baseline === undefined ? '' : `, ${(p50 / baseline).toFixed(1)} times ajv alone`
  return { what, value: `p50 ${micros(p50)}, p99 ${micros(p99)}${times}` }
}

/** Validations in a worker for one organization while those of another time out, one after the other. */
async function beside(plan: Plan): Promise<Row> {
  let isOver = false
  const attack = async () => {
    while (!isOver) await checkValue(costly, nested(28), 'org_attacker').catch(() => {})
  }
  const attacking = attack()
  const found = await timesOf(() => checkValue(unproven, value, 'org_bench'), plan.roundMs)
  isOver = true
  await attacking
  return row("the same in a worker, while another organization's checks are cut off", found)
}
