/** Any sequence of calls has the outcome of a small model without statecharts, store or transactions. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { OperationFailure } from '../../../src/automation/operations/failure.ts'
import { bundleOf, type Caller, type Entities, openEntities, order } from './store-world.ts'

let entities: Entities
let caller: Caller
beforeAll(async () => {
  entities = await openEntities()
  caller = { bundle: bundleOf(await entities.plant(), { order }) }
})
afterAll(() => entities?.close())

interface Model {
  state: string
  version: number
  total: number
}

type Call =
  | { action: 'create'; total: number }
  | { action: 'update'; of: number; total: number; expected: number | null; again: boolean }
  | { action: 'transition'; of: number; event: string; expected: number | null; again: boolean }
  | { action: 'delete'; of: number; again: boolean }

const of = fc.nat({ max: 2 })
const again = fc.boolean()
const expected = fc.option(fc.integer({ min: 1, max: 5 }))
const event = fc.constantFrom('pay', 'touch', 'cancel', 'ship', 'fly')
const call: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ action: fc.constant('create' as const), total: fc.nat() }),
  fc.record({ action: fc.constant('update' as const), of, total: fc.nat(), expected, again }),
  { arbitrary: fc.record({ action: fc.constant('transition' as const), of, event, expected, again }), weight: 3 },
  fc.record({ action: fc.constant('delete' as const), of, again }),
)

const moves: Record<string, Record<string, string>> = {
  open: { pay: 'paid', touch: 'open', cancel: 'canceled' },
  paid: { ship: 'shipped' },
  shipped: {},
  canceled: {},
}

/** The expected outcome of a call; a word if it is rejected. */
function expectedOf(
  model: Model | undefined,
  made: Exclude<Call, { action: 'create' }>,
): Model | 'missing' | 'conflict' {
  if (!model) return 'missing'
  const version = model.version + 1
  if (made.action === 'delete') return { ...model, version }
  const state = made.action === 'update' ? model.state : moves[model.state]?.[made.event]
  if (state === undefined || (made.expected !== null && made.expected !== model.version)) return 'conflict'
  return { state, version, total: made.action === 'update' ? made.total : model.total }
}

const inputOf = (id: string, made: Exclude<Call, { action: 'create' }>) => {
  if (made.action === 'delete') return { id }
  const version = made.expected === null ? {} : { expectedVersion: made.expected }
  return made.action === 'update'
    ? { id, data: { total: made.total }, ...version }
    : { id, event: made.event, ...version }
}

test('the outcomes match the model', async () => {
  let keys = 0
  const run = async (calls: Call[]) => {
    const ids: string[] = []
    const models: (Model | undefined)[] = []
    for (const made of calls) {
      keys += 1
      const key = `model-${keys}`
      if (made.action === 'create') {
        const { id, ...born } = await entities.perform(caller, 'create', { data: { total: made.total } }, key)
        expect([born.state, born.version, born.data]).toEqual(['open', 1, { total: made.total }])
        ids.push(id)
        models.push({ state: 'open', version: 1, total: made.total })
        continue
      }
      const id = ids[made.of] ?? 'ent_none'
      const next = expectedOf(models[made.of], made)
      for (let times = made.again ? 2 : 1; times > 0; times -= 1) {
        const outcome = await entities.perform(caller, made.action, inputOf(id, made), key).catch((error) => error)
        if (typeof next === 'string') {
          expect(outcome).toBeInstanceOf(OperationFailure)
          expect(outcome.conflict).toEqual(
            next === 'conflict' ? { currentState: (models[made.of] as Model).state } : null,
          )
        } else {
          expect(outcome).toMatchObject({ id, state: next.state, version: next.version, data: { total: next.total } })
        }
      }
      if (typeof next !== 'string') models[made.of] = made.action === 'delete' ? undefined : next
    }
    // the stored entities match the model, also in a process without memory
    for (const [index, id] of ids.entries()) {
      entities.actors.forget({ kind: 'entity', id })
      const actor = await entities.actors.read<{ data: string; entity_version: number }>({ kind: 'entity', id })
      const model = models[index]
      expect(actor?.state).toBe(model?.state ?? 'entity/deleted')
      if (model)
        expect([actor?.row.entity_version, actor?.row.data]).toEqual([model.version, `{"total":${model.total}}`])
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(call, { maxLength: 12 }), run), { numRuns: 150 })
})
