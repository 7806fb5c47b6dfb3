/** Conditions of steps: what holds, what is refused, and what a run makes of them. Source: contract 14, "Workflows". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readCondition } from '../../../src/authoring/definitions/workflows/conditions.ts'
import { conditionCharactersMax, holds } from '../../../src/automation/workflows/steps/conditions.ts'
import { TooMuchRendered } from '../../../src/automation/workflows/templates.ts'
import { anyParams, openWorld, type Served, stepsOf, type World } from './world.ts'

const values = {
  params: { n: 7, text: 'x', list: [1, { a: null }], no: null, yes: true, tricky: '{{params.n}}' },
  outputs: new Map<string, unknown>([['find', { sum: 1.5, tags: ['new'] }]]),
}

describe('a condition', () => {
  test.each<[unknown, boolean]>([
    ['{{params.yes}}', true],
    ['{{params.no}}', false],
    ['{{params.none}}', false],
    ['{{params.n}} > 6.5', true],
    ['{{params.n}}>7', false],
    ['{{params.n}} == 7', true],
    ['{{params.n}} == "7"', false],
    ['{{params.n}} != null', true],
    ['{{params.none}} == null', true],
    ['{{params.text}} == "x"', true],
    ['{{params.text}} < "y"', true],
    ['{{params.text}} < 3', false],
    ['{{params.text}} >= 3', false],
    ['"new" in {{steps.find.output.tags}}', true],
    ['"old" in {{steps.find.output.tags}}', false],
    ['{{params.tricky}} == 7', false],
    [{ '==': ['{{params.n}}', 7] }, true],
    [{ '==': ['{{params.list}}', [1, 2]] }, false],
    [{ '==': ['{{steps.find.output.tags}}', ['new']] }, true],
    [{ in: ['{{params.n}}', [6, 7]] }, true],
    [{ in: ['{{params.n}}', '{{params.no}}'] }, false],
    [{ in: ['ew', 'new'] }, true],
    [{ '!': '{{params.no}}' }, true],
    [{ '!': ['{{params.yes}}'] }, false],
    [{ and: ['{{params.yes}}', '{{params.n}} > 8'] }, false],
    [{ or: ['{{params.n}} > 8', { '!': { '==': ['{{params.text}}', 'y'] } }] }, true],
  ])('%j: %p', (condition, expected) => {
    expect(holds(condition, values)).toBe(expected)
  })

  test('that looks at too much is not evaluated', () => {
    const large = { params: { text: 'x'.repeat(conditionCharactersMax / 2) }, outputs: new Map() }
    expect(() => holds({ '==': ['{{params.text}}', '{{params.text}}'] }, large)).toThrow(TooMuchRendered)
    expect(holds({ or: [{ '==': ['{{params.text}}', 'y'] }, { '!': '{{params.none}}' }] }, large)).toBe(true)
  })
})

const deep = (depth: number): unknown => (depth === 0 ? '{{params.n}}' : { '!': deep(depth - 1) })
const wide = (width: number) => ({ and: Array.from({ length: width }, () => '{{params.n}}') })
const within = 'at/here'

describe('refused is', () => {
  test.each<[unknown, string, RegExp]>([
    ['yes', '', /no comparison/],
    ['{{params.n}} = 7', '', /no comparison/],
    ['{{params.n}} > 6 and {{params.n}} < 9', '', /no comparison/],
    ['process.exit(1)', '', /no comparison/],
    ['{{params.n}} == "{{params.text}}"', '', /without quotes/],
    ['{{params.n}} == "\\x"', '', /no text of JSON/],
    [{}, '', /one operator: and, or/],
    [{ '==': [1, 2], '<': [1, 2] }, '', /one operator/],
    [{ constructor: [1, 2] }, '', /one operator/],
    [{ var: 'params.n' }, '', /one operator/],
    [{ '==': ['{{params.n}}'] }, '/==', /list of 2 operands/],
    [{ '==': '{{params.n}}' }, '/==', /list of 2 operands/],
    [{ and: [] }, '/and', /list of 1 to 100/],
    [{ and: ['yes'] }, '/and/0', /no comparison/],
    [{ or: ['{{params.n}}', { '<': [1, { plus: [1, 2] }] }] }, '/or/1/</1', /one operator/],
    [{ in: ['{{params.n}}', [[1]]] }, '/in/1/0', /a text, a number/],
    [deep(11), '/!'.repeat(10), /10 operators deep/],
    [wide(101), '/and', /1 to 100/],
    [{ and: [wide(60), wide(60)] }, '/and/1/and/37', /at most 100 operators/],
  ])('number %#', (condition, path, message) => {
    const read = readCondition(condition, within) as { issue: { path: string; message: string } }
    expect(read.issue.path).toMatch(new RegExp(`^${within}`))
    expect(read.issue.path.replaceAll('/0', '')).toBe(`${within}${path}`.replaceAll('/0', ''))
    expect(read.issue.message).toMatch(message)
  })

  test.each([[deep(10)], [wide(99)]])('not: number %#', (condition) => {
    expect('node' in readCondition(condition, within)).toBe(true)
  })
})

let world: World
let served: Served
const step = (id: string, more: object = {}) => ({ id, operation: 'shop.echo', ...more })
beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    maybe: {
      params: anyParams,
      steps: [
        step('find', { input: { sum: '{{params.sum}}' } }),
        step('ask', { when: '{{steps.find.output.sum}} > 100', input: { asked: true } }),
        step('pay', {
          when: { or: ['{{steps.find.output.sum}} <= 100', '{{steps.ask.output.asked}}'] },
          input: { sum: '{{steps.find.output.sum}}', asked: '{{steps.ask.output.asked}}' },
        }),
      ],
      output: { asked: '{{steps.ask.output}}', paid: '{{steps.pay.output.sum}}' },
    },
    bulky: {
      params: anyParams,
      steps: [step('one', { when: '{{params.text}} == "x"' })],
    },
  })
})
afterAll(() => world?.stop())

describe('a step with a condition', () => {
  test('is done if it holds', async () => {
    const run = await world.run(served, 'maybe', { sum: 200 })
    expect([run.state, stepsOf(run)]).toEqual(['completed', 'find:succeeded ask:succeeded pay:succeeded'])
    expect(run.output).toEqual({ asked: { asked: true }, paid: 200 })
  })

  test('is skipped if not, and those after it run and see null', async () => {
    const run = await world.run(served, 'maybe', { sum: 50 })
    expect([run.state, stepsOf(run)]).toEqual(['completed', 'find:succeeded ask:skipped pay:succeeded'])
    expect(run.steps[1]).toMatchObject({ attempts: 0, output: null, error: null, startedAt: null })
    expect(run.steps.map(({ stateReason }) => stateReason?.code)).toEqual([undefined, 'condition_false', undefined])
    expect(run.output).toEqual({ asked: null, paid: 50 })
    const { items } = await world.owner
      .get(`${served.place.path}/operation-invocations`, { query: { operation: 'shop.echo' } })
      .then(({ body }) => body.data)
    expect(items.filter((each: { stepId: string }) => each.stepId === 'ask')).toHaveLength(1)
  })

  test('fails if the condition looks at too much', async () => {
    const run = await world.run(served, 'bulky', { text: 'x'.repeat(conditionCharactersMax) })
    expect(run.steps[0]).toMatchObject({ state: 'failed', attempts: 1, error: { code: 'condition_too_large' } })
  })
})
