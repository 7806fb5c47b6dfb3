/**
 * Conditions and templates of steps against a second evaluation, written from `docs/workflows.md`, "Steps" and
 * "Conditions", over random values. `TROUPE_TEST_WORKFLOWS` is the number of conditions.
 */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readCondition } from '../../../src/authoring/definitions/workflows/conditions.ts'
import { holds } from '../../../src/automation/workflows/steps/conditions.ts'
import { renderTemplate } from '../../../src/automation/workflows/templates.ts'

const numRuns = Number(process.env.TROUPE_TEST_WORKFLOWS ?? 3_000)

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Tree =
  | { is: 'value'; value: Json }
  | { is: 'placeholder'; path: string[] }
  | { is: 'call'; operator: string; operands: Tree[] }

const scalar: fc.Arbitrary<Json> = fc.constantFrom(null, true, false, 0, 1, -2.5, 7, '', 'a', 'ab', '7', 'é"\\n')
const json: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'length', '__proto__'), tie('json'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).json
const path = fc
  .tuple(
    fc.constantFrom(['params', 'a'], ['params', 'b'], ['steps', 'one', 'output'], ['steps', 'none', 'output']),
    fc.array(fc.constantFrom('a', 'b', '0', '1', 'length', 'toString'), { maxLength: 2 }),
  )
  .map(([start, more]) => [...start, ...more])
const operand: fc.Arbitrary<Tree> = fc.oneof(
  scalar.map((value): Tree => ({ is: 'value', value })),
  path.map((names): Tree => ({ is: 'placeholder', path: names })),
  path.map((names): Tree => ({ is: 'placeholder', path: names })),
)
const list: fc.Arbitrary<Tree> = fc.array(scalar, { maxLength: 3 }).map((value) => ({ is: 'value', value }))
const tree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    operand,
    fc
      .tuple(
        fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in'),
        fc.oneof(operand, tie('tree')),
        fc.oneof(operand, list),
      )
      .map(([operator, ...operands]): Tree => ({ is: 'call', operator, operands })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('tree'), { minLength: 1, maxLength: 3 }))
      .map(([operator, operands]): Tree => ({ is: 'call', operator, operands })),
    tie('tree').map((only): Tree => ({ is: 'call', operator: '!', operands: [only] })),
  ),
})).tree

interface Values {
  params: Json
  outputs: ReadonlyMap<string, Json>
}
const values: fc.Arbitrary<Values> = fc.record({
  params: fc.record({ a: json, b: json }),
  outputs: json.map((one) => new Map([['one', one]])),
})

function found([root, ...names]: string[], { params, outputs }: Values): Json {
  const [start, rest] = root === 'params' ? [params, names] : [outputs.get(names[0]!) ?? null, names.slice(2)]
  return rest.reduce<Json>((value, name) => {
    const entry = typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name) : undefined
    return (entry?.value as Json | undefined) ?? null
  }, start)
}

/** A JSON value with the names of its objects in order. */
const sorted = (value: Json): string =>
  JSON.stringify(value, (_, part: Json) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? {
          names: Object.keys(part).sort(),
          parts: Object.keys(part)
            .sort()
            .map((name) => found(['params', name], { params: part } as unknown as Values)),
        }
      : part,
  )
const isTrue = (value: Json): boolean =>
  !(value === false || value === null || value === 0 || value === '' || (Array.isArray(value) && value.length === 0))

function result(of: Tree, given: Values): Json {
  if (of.is === 'value') return of.value
  if (of.is === 'placeholder') return found(of.path, given)
  const operands = of.operands.map((each) => result(each, given))
  const [left = null, right = null] = operands
  const haveOrder = (typeof left === 'number' || typeof left === 'string') && typeof left === typeof right
  switch (of.operator) {
    case 'and':
      return operands.every(isTrue)
    case 'or':
      return operands.some(isTrue)
    case '!':
      return !isTrue(left)
    case '==':
      return sorted(left) === sorted(right)
    case '!=':
      return sorted(left) !== sorted(right)
    case 'in':
      if (typeof right === 'string') return typeof left === 'string' && right.indexOf(left) !== -1
      return Array.isArray(right) && right.some((item) => sorted(item) === sorted(left))
    case '<':
      return haveOrder && left! < right!
    case '<=':
      return haveOrder && left! <= right!
    case '>':
      return haveOrder && left! > right!
    default:
      return haveOrder && left! >= right!
  }
}

const placeholderOf = (names: string[]) => `{{${names.join('.')}}}`

/** The condition as a Definition has it; `asText`: comparisons of two operands are texts. */
function written(of: Tree, asText: boolean, isCondition = true): unknown {
  if (of.is === 'placeholder') return placeholderOf(of.path)
  // among conditions a text would be a comparison
  if (of.is === 'value') return isCondition && typeof of.value === 'string' ? { '==': [of.value, ''] } : of.value
  const { operator, operands } = of
  const text = (each: Tree) => {
    if (each.is === 'placeholder') return placeholderOf(each.path)
    return each.is === 'value' && !Array.isArray(each.value) ? JSON.stringify(each.value) : undefined
  }
  const [left, right] = operands.map(text)
  const isComparison = !['and', 'or', '!'].includes(operator)
  if (asText && isComparison && isCondition && left !== undefined && right !== undefined) {
    return ` ${left} ${operator}  ${right}`
  }
  return { [operator]: operands.map((each) => written(each, asText, !isComparison)) }
}

/** Texts among conditions, which are written as comparisons with the empty text. */
function compared(of: Tree, isCondition = true): Tree {
  if (of.is === 'value' && isCondition && typeof of.value === 'string') return { is: 'value', value: of.value === '' }
  if (of.is !== 'call') return of
  const areConditions = ['and', 'or', '!'].includes(of.operator)
  return { ...of, operands: of.operands.map((each) => compared(each, areConditions)) }
}

test('a condition holds when a second reading of it says so', () => {
  fc.assert(
    fc.property(tree, values, fc.boolean(), (of, given, asText) => {
      const condition = written(of, asText)
      expect([condition, readCondition(condition, '')]).not.toEqual([condition, { issue: expect.anything() }])
      expect([condition, holds(condition, given)]).toEqual([condition, isTrue(result(compared(of), given))])
    }),
    { numRuns, includeErrorInReport: true },
  )
})

/** A value in a longer text. */
const asWritten = (value: Json): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

test('a placeholder alone becomes its value, and within a text the value as text', () => {
  const piece = fc.oneof(fc.constantFrom('a', ' {', '} ', '"', '$&', ''), path)
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), values, (pieces, given) => {
      const template = pieces.map((each) => (typeof each === 'string' ? each : placeholderOf(each))).join('')
      const [only] = pieces
      const expected =
        pieces.length === 1 && typeof only !== 'string'
          ? found(only!, given)
          : pieces.map((each) => (typeof each === 'string' ? each : asWritten(found(each, given)))).join('')
      const isAlone = /^\{\{[^{}]*\}\}$/.test(template)
      fc.pre(!isAlone || pieces.length === 1)
      fc.pre(!/\{\{\{|\}\}\}/.test(template))
      expect(renderTemplate({ text: [template] }, given, 1_000_000)).toEqual({ text: [expected] })
    }),
    { numRuns, includeErrorInReport: true },
  )
})
