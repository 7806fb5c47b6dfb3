import { describe, expect, test } from 'bun:test'
import { planOf } from '../../../src/automation/workflows/plan.ts'
import { renderTemplate, TooMuchRendered, valueOfPlaceholder } from '../../../src/automation/workflows/templates.ts'

const values = {
  params: { n: 7, text: 'x', list: [1, { a: null }], no: null, yes: false, deep: { er: { est: 'here' } } },
  outputs: new Map<string, unknown>([
    ['find', { id: 'a', sum: 1.5 }],
    ['word', 'said'],
    ['none', undefined],
  ]),
}

test.each([
  ['{{params.n}}', 7],
  ['{{params.list}}', [1, { a: null }]],
  ['{{params.yes}}', false],
  ['{{params.no}}', null],
  ['{{params.unknown}}', null],
  ['{{params.text.length}}', null],
  ['{{params.list.0}}', 1],
  ['{{params.deep.er.est}}', 'here'],
  ['{{params.__proto__}}', null],
  ['{{params.constructor}}', null],
  ['{{steps.find.output}}', { id: 'a', sum: 1.5 }],
  ['{{steps.find.output.sum}}', 1.5],
  ['{{steps.find.output.sum.more}}', null],
  ['{{steps.word.output}}', 'said'],
  ['{{steps.none.output}}', null],
  ['{{steps.none.output.x}}', null],
  ['{{steps.other.output}}', null],
  ['n is {{params.n}}', 'n is 7'],
  ['{{params.n}}{{params.n}}', '77'],
  ['[{{params.list}}] {{params.no}}{{params.unknown}}!', '[[1,{"a":null}]] !'],
  ['{{ params.n }}', null],
  ['plain', 'plain'],
  ['{plain}', '{plain}'],
  [
    { a: ['{{params.n}}', { b: '{{steps.word.output}}' }], c: 1 },
    { a: [7, { b: 'said' }], c: 1 },
  ],
  [{ '{{params.n}}': 1 }, { '{{params.n}}': 1 }],
])('%p renders to %p', (template, expected) => {
  expect(renderTemplate(template, values, 1_000)).toEqual(expected)
})

test('a value is never parsed as a template', () => {
  const tricky = { params: { a: '{{params.b}}', b: 'secret' }, outputs: new Map() }
  expect(renderTemplate(['{{params.a}}', 'x{{params.a}}'], tricky, 1_000)).toEqual(['{{params.b}}', 'x{{params.b}}'])
})

describe('a result over the limit is not built', () => {
  const large = { params: { text: 'x'.repeat(600) }, outputs: new Map() }

  test.each([
    [['{{params.text}}', '{{params.text}}']],
    ['{{params.text}} {{params.text}}'],
    [{ a: '{{params.text}}', b: { c: '{{params.text}}' } }],
  ])('%p', (template) => {
    expect(() => renderTemplate(template, large, 1_000)).toThrow(TooMuchRendered)
    expect(() => renderTemplate(template, large, 2_000)).not.toThrow()
  })
})

test('a step depends on those in `after` and those that its input names, each once', () => {
  const step = (id: string, more: object = {}) => ({ id, operation: `shop.${id}`, ...more })
  const plan = planOf({
    params: {},
    steps: [
      step('c', { after: ['b'], input: { x: '{{steps.a.output}} {{steps.b.output.y}}', n: ['{{params.n}}'] } }),
      step('a', { retry: { maxAttempts: 3, backoffMs: 10 } }),
      step('b', { onError: 'continue' }),
    ],
  })
  expect(plan).toEqual([
    { id: 'c', operation: 'shop.c', after: [2, 1], maxAttempts: 1, backoffMs: 0, continues: false },
    { id: 'a', operation: 'shop.a', after: [], maxAttempts: 3, backoffMs: 10, continues: false },
    { id: 'b', operation: 'shop.b', after: [], maxAttempts: 1, backoffMs: 0, continues: true },
  ])
})

test('the list of a step is taken without a look at its items, since each element takes it', () => {
  let looks = 0
  const list = new Proxy([{ name: 'a' }], {
    get(items, name) {
      looks += 1
      return Reflect.get(items, name)
    },
  })
  expect(valueOfPlaceholder('{{params.list}}', { params: { list }, outputs: new Map() })).toBe(list)
  expect(looks).toBe(0)
  for (const text of ['{{params.none}}', 'x{{params.list}}', '']) expect(valueOfPlaceholder(text, values)).toBeNull()
})
